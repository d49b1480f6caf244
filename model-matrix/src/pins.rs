//! Which names stand for one model for good, and which may stand for another one tomorrow.
//!
//! "A pinned name holds a date" is wrong in both directions, so each maker's names have rules of their own. A rule
//! can only speak of names that it knows: what remains is for the comparison with what each reply reports.

use crate::Wire;

/// Why a name is not pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unpinned {
    /// Its maker points it at other models as they come.
    Alias,
    /// Its maker changes what is behind it without notice.
    Preview,
    /// It leaves the choice of the model to the endpoint.
    Router,
}

impl Unpinned {
    /// What is wrong with the name, to go on after it.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Alias => "is an alias, which may stand for another model tomorrow",
            Self::Preview => "is a preview, which may be changed without notice",
            Self::Router => "leaves the choice of the model to the endpoint",
        }
    }
}

/// Says why `model`, asked for in the format `wire` at `host`, is not pinned; `None` where nothing speaks against it.
/// Servers of one's own name models as they like: there, only names that say `latest` are doubted.
#[must_use]
pub fn unpinned(wire: Wire, host: &str, model: &str) -> Option<Unpinned> {
    let name = model.to_ascii_lowercase();
    let last = name.rsplit(['-', ':', '@']).next().unwrap_or_default();
    if last == "latest" {
        return Some(Unpinned::Alias);
    }
    let at = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
    if at("openrouter.ai") {
        return routed(&name);
    }
    match wire {
        // Azure's names are those of one's own deployments.
        Wire::OpenaiChat | Wire::OpenaiResponses if at("openai.com") => openai(&name),
        Wire::Anthropic if at("anthropic.com") => anthropic(&name),
        // Google has a door for each of the two formats.
        Wire::Gemini | Wire::OpenaiChat if at("googleapis.com") => {
            gemini(name.rsplit('/').next().unwrap_or_default())
        }
        _ => None,
    }
}

/// Names of the form `maker/model`, perhaps with a variant after a colon.
fn routed(name: &str) -> Option<Unpinned> {
    let (maker, model) = name.split_once('/')?;
    let model = model.split(':').next().unwrap_or_default();
    match maker {
        "openrouter" => Some(Unpinned::Router),
        "openai" if !model.starts_with("gpt-oss") => openai(model),
        "anthropic" => anthropic(&model.replace('.', "-")),
        "google" if model.starts_with("gemini") => gemini(model),
        _ => None,
    }
}

/// OpenAI's names are aliases unless a date follows, as `-2025-04-14`, or in old names `-0613`.
fn openai(name: &str) -> Option<Unpinned> {
    let family = ["gpt-", "chatgpt-", "o1", "o3", "o4", "codex-", "computer-use"];
    if name.starts_with("chatgpt-") {
        return Some(Unpinned::Alias);
    }
    // Fine-tuned models are named `ft:<base>:…`: their base is what has to be pinned.
    let base = name.strip_prefix("ft:").and_then(|rest| rest.split(':').next()).unwrap_or(name);
    let known = family.iter().any(|start| base.starts_with(start));
    (known && !has_date(base)).then_some(Unpinned::Alias)
}

/// Up to version 4.5 Anthropic's names are aliases unless a date follows; from 4.6 on, names without a date are the
/// proper names of single models.
fn anthropic(name: &str) -> Option<Unpinned> {
    let rest = name.strip_prefix("claude-")?;
    if has_date(rest) || matches!(rest, "2-0" | "2-1" | "2.0" | "2.1" | "instant-1.2" | "instant-1-2") {
        return None;
    }
    let numbers: Vec<u32> = rest.split('-').filter_map(|word| word.parse().ok()).collect();
    let version = (numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(0));
    (version < (4, 6)).then_some(Unpinned::Alias)
}

/// Google's old names without a number at their end are aliases; so are experiments and previews without a date.
fn gemini(name: &str) -> Option<Unpinned> {
    let words: Vec<&str> = name.split('-').collect();
    let dated =
        words.last().is_some_and(|word| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_digit()));
    if dated {
        return None;
    }
    if words.iter().any(|word| matches!(*word, "preview" | "exp" | "experimental")) {
        return Some(Unpinned::Preview);
    }
    let old = ["gemini-1.", "gemini-2.0-", "gemini-pro"].iter().any(|start| name.starts_with(start));
    old.then_some(Unpinned::Alias)
}

/// Whether the name ends in a date: `-2025-04-14`, `-20250929`, or `-0613`.
fn has_date(name: &str) -> bool {
    let digits =
        |word: &str, count: usize| word.len() == count && word.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = name.split(['-', '@']).collect();
    match words.as_slice() {
        [.., year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2) => true,
        [_, .., last] => digits(last, 8) || digits(last, 4),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wire: Wire, host: &str, names: &[(&str, Option<Unpinned>)]) {
        for (name, expected) in names {
            assert_eq!(unpinned(wire, host, name), *expected, "{name}");
        }
    }

    const ALIAS: Option<Unpinned> = Some(Unpinned::Alias);
    const PREVIEW: Option<Unpinned> = Some(Unpinned::Preview);

    #[test]
    fn openais_names() {
        for wire in [Wire::OpenaiChat, Wire::OpenaiResponses] {
            check(
                wire,
                "api.openai.com",
                &[
                    ("gpt-4o", ALIAS),
                    ("gpt-4o-2024-08-06", None),
                    ("gpt-4.1-mini", ALIAS),
                    ("gpt-4.1-mini-2025-04-14", None),
                    ("chatgpt-4o-latest", ALIAS),
                    ("gpt-4-0613", None),
                    ("gpt-3.5-turbo", ALIAS),
                    ("gpt-3.5-turbo-0125", None),
                    ("o3", ALIAS),
                    ("o3-2025-04-16", None),
                    ("gpt-5-chat-latest", ALIAS),
                    ("ft:gpt-4o-mini-2024-07-18:example::abc123", None),
                    ("ft:gpt-4o-mini:example::abc123", ALIAS),
                ],
            );
        }
    }

    #[test]
    fn anthropics_names() {
        check(
            Wire::Anthropic,
            "api.anthropic.com",
            &[
                ("claude-sonnet-4-5-20250929", None),
                ("claude-sonnet-4-5", ALIAS),
                ("claude-opus-4-1", ALIAS),
                ("claude-sonnet-4-0", ALIAS),
                ("claude-3-7-sonnet-latest", ALIAS),
                ("claude-3-5-haiku-20241022", None),
                ("claude-3-opus", ALIAS),
                ("claude-2.1", None),
                ("claude-2", ALIAS),
                ("claude-opus-4-6", None),
                ("claude-sonnet-4-6", None),
                ("claude-opus-5", None),
                ("claude-sonnet-latest", ALIAS),
            ],
        );
    }

    #[test]
    fn googles_names() {
        check(
            Wire::Gemini,
            "generativelanguage.googleapis.com",
            &[
                ("gemini-2.5-flash", None),
                ("models/gemini-2.5-pro", None),
                ("gemini-flash-latest", ALIAS),
                ("gemini-2.0-flash", ALIAS),
                ("gemini-2.0-flash-001", None),
                ("gemini-1.5-pro", ALIAS),
                ("gemini-1.5-pro-002", None),
                ("gemini-3-pro-preview", PREVIEW),
                ("gemini-2.5-flash-preview-09-2025", None),
                ("gemini-2.0-flash-exp", PREVIEW),
            ],
        );
    }

    #[test]
    fn names_behind_a_router() {
        check(
            Wire::OpenaiChat,
            "openrouter.ai",
            &[
                ("openrouter/auto", Some(Unpinned::Router)),
                ("openai/gpt-4o", ALIAS),
                ("openai/gpt-4o-2024-08-06", None),
                ("openai/gpt-oss-120b:free", None),
                ("anthropic/claude-sonnet-4.5", ALIAS),
                ("anthropic/claude-opus-4.6", None),
                ("google/gemini-2.0-flash-001", None),
                ("qwen/qwen3-coder:free", None),
            ],
        );
    }

    #[test]
    fn ones_own_servers_name_models_as_they_like() {
        for host in ["127.0.0.1", "llm.example.test", "example.openai.azure.com", "notopenai.com"] {
            check(
                Wire::OpenaiChat,
                host,
                &[
                    ("gpt-4o", None),
                    ("qwen2.5-coder-1.5b.gguf", None),
                    ("/models/a.gguf", None),
                    ("llama3:latest", ALIAS),
                ],
            );
        }
    }
}
