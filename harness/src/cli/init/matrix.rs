//! The first matrix: the providers whose key variables are set, with pinned names where there are any; without a key,
//! recorded traces, so that the first run needs nothing.

/// A provider with two models, as in the shipped examples.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Provider {
    /// The variable that holds its key.
    pub(super) key: &'static str,
    /// A matrix of its models.
    example: &'static str,
}

/// The providers that are looked for; the models of the first one found fill the two roles.
const PROVIDERS: [Provider; 3] = [
    Provider {
        key: "ANTHROPIC_API_KEY",
        example: include_str!("../../../../model-matrix/matrices/examples/anthropic.yaml"),
    },
    Provider {
        key: "OPENAI_API_KEY",
        example: include_str!("../../../../model-matrix/matrices/examples/openai.yaml"),
    },
    Provider {
        key: "GEMINI_API_KEY",
        example: include_str!("../../../../model-matrix/matrices/examples/gemini.yaml"),
    },
];

/// The providers whose key variable is set.
pub(super) fn with_keys(is_set: impl Fn(&str) -> bool) -> Vec<&'static Provider> {
    PROVIDERS.iter().filter(|provider| is_set(provider.key)).collect()
}

/// The matrix file.
pub(super) fn render(providers: &[&Provider]) -> String {
    if providers.is_empty() {
        return format!("{HEAD}{REPLAY}{EXAMPLE}");
    }
    let mut text = HEAD.to_owned();
    for (index, provider) in providers.iter().enumerate() {
        let (_, models) = provider.example.split_once("models:\n").unwrap_or_default();
        // One of each role is enough; what the other providers add is there to be compared.
        let models = if index == 0 {
            models.to_owned()
        } else {
            models
                .replace("role: frontier-reference", "role: other")
                .replace("role: weakest-deployed", "role: other")
        };
        text += &format!("{}\n\n", models.trim_end());
    }
    text
}

const HEAD: &str = "\
# The models on trial. Exactly the parameters under `decoding` are sent; what is absent is not sent.
# Pin dated names: an alias may stand for another model tomorrow. Check the names below against your account.
models:
";

const REPLAY: &str = "\
  # No key variable was set, so the two arms below answer from the recorded traces of each case: one must pass all,
  # the other must fail all. They try the harness and the checkers; a release needs models.
  - id: exemplar
    role: control
    provider: replay
    trace: exemplar
    wire: openai-chat
    expect: pass

  - id: naive
    role: control
    provider: replay
    trace: naive
    wire: openai-chat
    expect: fail

";

const EXAMPLE: &str = "\
  # A model behind any OpenAI-compatible server, such as Ollama or llama.cpp:
  # - id: local
  #   role: weakest-deployed
  #   provider: openai-chat
  #   model: qwen2.5:7b-instruct
  #   base_url: http://127.0.0.1:11434/v1
  #   decoding: { temperature: 0, seed: 1, max_tokens: 2048 }
  #
  # A hosted one; the key comes from the environment and is never written anywhere:
  # - id: frontier
  #   role: frontier-reference
  #   provider: anthropic
  #   model: claude-sonnet-4-5-20250929
  #   base_url: https://api.anthropic.com
  #   key_env: ANTHROPIC_API_KEY
  #   decoding: { temperature: 0, max_tokens: 2048 }
";
