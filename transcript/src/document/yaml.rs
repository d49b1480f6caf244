//! YAML that people write, into any type. Strict where the format is treacherous, and every fault in words with its place.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_yaml::{Error, Location, Spanned};

use super::tree::{self, Raw, span_of};
use super::{Problem, Source, suggestion, words};

/// The settings for all files: `yes` and `on` are texts, `007` and `1_000` too.
fn options() -> serde_yaml::Options {
    serde_yaml::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        with_snippet: false,
    }
}

/// Reads the one document in `source`.
///
/// # Errors
/// The first fault, with its place and what to do.
pub fn read<T: DeserializeOwned>(source: &Source) -> Result<T, Problem> {
    serde_yaml::from_str_with_options(&source.text, options()).map_err(|error| fault(source, &error))
}

/// What the YAML reader says, in words.
#[must_use]
pub fn fault(source: &Source, error: &Error) -> Problem {
    if source.is_blank() {
        return Problem::whole(&source.path, "the file is empty");
    }
    let error = error.without_snippet();
    // The tree has what the reader no longer knows: what stands there, and where a key was set before. It is read to the
    // end, so it also has what is no YAML behind the place where the reader stopped.
    let tree = match tree::read(&source.text) {
        Ok(tree) => Some(tree),
        Err(broken) if is_syntax(broken.without_snippet()) => {
            let broken = broken.without_snippet();
            return syntax(source, place_of(source, broken), broken);
        }
        Err(_) => None,
    };
    let span = place_of(source, error);
    match typed(error, source, &span, tree.as_ref()) {
        Some(problem) => problem,
        None => syntax(source, span, error),
    }
}

/// Whether the text is no YAML, whatever was to come of it.
fn is_syntax(error: &Error) -> bool {
    matches!(
        error,
        Error::ExternalMessage { .. }
            | Error::Eof { .. }
            | Error::MultipleDocuments { .. }
            | Error::UnknownAnchor { .. }
            | Error::ContainerEndMismatch { .. }
    )
}

fn place_of(source: &Source, error: &Error) -> Range<usize> {
    error.location().map_or(0..0, |at| span_at(source, at))
}

/// Where the value under `keys` stands, key by key from the top; a number names an item of a list. Nothing when it does
/// not stand there.
#[must_use]
pub fn place(source: &Source, keys: &[&str]) -> Range<usize> {
    let Ok(tree) = tree::read(&source.text) else { return 0..0 };
    let mut at = &tree;
    for wanted in keys {
        let next = match &at.value {
            Raw::Map(fields) => fields.iter().find(|(key, _)| key.value == **wanted).map(|(_, value)| value),
            Raw::List(items) => wanted.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        let Some(next) = next else { return 0..0 };
        at = next;
    }
    span_of(at)
}

/// The bytes at a place that the YAML reader names.
#[must_use]
pub fn span_at(source: &Source, at: Location) -> Range<usize> {
    let index = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    match (at.span().byte_offset(), at.span().byte_len()) {
        (Some(start), Some(length)) if length > 0 => index(start)..index(start).saturating_add(index(length)),
        _ => source.byte_at(at.line(), at.column()),
    }
}

/// A fault of a document that is YAML: something in it is not what the file's kind wants.
fn typed(
    error: &Error,
    source: &Source,
    span: &Range<usize>,
    tree: Option<&Spanned<Raw>>,
) -> Option<Problem> {
    let say = |message: String| source.problem(span.clone(), message);
    let standing = tree.and_then(|tree| standing(tree, None, span.start));
    let wrong = |wanted: &str, found: &str| match &standing {
        Some(Standing { name: Some(name), what }) => say(format!("{name} must be {wanted}, not {what}")),
        Some(Standing { name: None, what }) => say(format!("{wanted} must stand here, not {what}")),
        None if found.is_empty() => say(format!("{wanted} must stand here")),
        None => say(format!("{wanted} must stand here, not {found}")),
    };
    Some(match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            say(format!("unknown key `{field}`")).help(suggestion(field, expected.iter().copied()))
        }
        Error::SerdeUnknownVariant { variant, expected, .. } => {
            let problem = match &standing {
                // A value. Where the name is a key, what begins there is the mapping around it.
                Some(Standing { name: Some(name), what }) if what == "a text" => {
                    say(format!("{name} cannot be `{variant}`"))
                }
                _ => say(format!("`{variant}` is not known here")),
            };
            problem.help(suggestion(variant, expected.iter().copied()))
        }
        Error::SerdeMissingField { field, .. } => say(format!("`{field}` is missing")),
        Error::SerdeInvalidType { unexpected, expected, .. }
        | Error::SerdeInvalidValue { unexpected, expected, .. } => {
            let problem = wrong(&words::wanted(expected), &words::found(unexpected));
            let is_scalar = unexpected.starts_with("integer") || unexpected.starts_with("boolean");
            match words::wanted(expected).as_str() {
                "a text" if is_scalar => problem.help("put it in quotes"),
                _ => problem,
            }
        }
        Error::SerdeInvalidLength { len, expected, .. } => {
            say(format!("{} must stand here, not {len} items", words::wanted(expected)))
        }
        Error::Unexpected { expected, .. } => wrong(&words::wanted(expected), ""),
        Error::InvalidScalar { ty, .. } => wrong(&words::wanted(ty), ""),
        Error::InvalidBooleanStrict { .. } => {
            wrong("true or false", "").help("`yes`, `no`, `on` and `off` are texts here")
        }
        Error::NullIntoString { .. } => wrong("a text", "nothing"),
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or_else(|| source.text.get(span.clone()).unwrap_or_default());
            let first = tree.and_then(|tree| first_set(tree, span.start));
            let help = first.map_or_else(
                || "remove one of the two".to_owned(),
                |at| format!("it is first set in line {}; remove one of the two", source.place(at).0),
            );
            say(format!("the key `{key}` occurs twice")).help(help)
        }
        // A sentence of one of the readers' own, without a place in the text of the error.
        Error::Message { msg, .. } => say(msg.split(" at line ").next().unwrap_or(msg).to_owned()),
        _ => return None,
    })
}

/// A value in words.
struct Standing {
    /// What it is called, after the key it stands under.
    name: Option<String>,
    /// What it is.
    what: String,
}

/// What stands at byte `at` in `node`, which is called `name`. Outermost first: a list and its first item may begin at one
/// byte, and the reader stopped at the list.
fn standing(node: &Spanned<Raw>, name: Option<&str>, at: usize) -> Option<Standing> {
    if span_of(node).start == at {
        return Some(Standing { name: name.map(str::to_owned), what: describe(&node.value) });
    }
    match &node.value {
        Raw::Map(fields) => {
            fields.iter().find_map(|(key, value)| standing(value, Some(&format!("`{}`", key.value)), at))
        }
        Raw::List(items) => {
            let name = name.map_or_else(|| "an item".to_owned(), |name| format!("an item of {name}"));
            items.iter().find_map(|item| standing(item, Some(&name), at))
        }
        _ => None,
    }
}

fn describe(value: &Raw) -> String {
    match value {
        Raw::Null => "nothing".to_owned(),
        Raw::Bool(value) => format!("the boolean {value}"),
        Raw::Number(number) => format!("the number {number}"),
        Raw::Text(_) => "a text".to_owned(),
        Raw::List(_) => "a list".to_owned(),
        Raw::Map(_) => "a mapping".to_owned(),
    }
}

/// Where the key that stands at byte `at` was set before.
fn first_set(node: &Spanned<Raw>, at: usize) -> Option<usize> {
    match &node.value {
        Raw::Map(fields) => match fields.iter().find(|(key, _)| span_of(key).start == at) {
            Some((again, _)) => fields
                .iter()
                .map(|(key, _)| key)
                .find(|key| key.value == again.value)
                .map(|key| span_of(key).start)
                .filter(|first| *first < at),
            None => fields.iter().find_map(|(_, value)| first_set(value, at)),
        },
        Raw::List(items) => items.iter().find_map(|item| first_set(item, at)),
        _ => None,
    }
}

/// A fault of a document that is no YAML.
fn syntax(source: &Source, span: Range<usize>, error: &Error) -> Problem {
    if let Some(tab) = tab_before(source, span.start) {
        let problem = source.problem(tab..tab + 1, "a tab at the beginning of a line");
        return problem.help("YAML is indented with spaces: put them in the tab's place");
    }
    match error {
        Error::MultipleDocuments { .. } => {
            return source
                .problem(span, "a second document begins here")
                .help("a file holds one: take the line `---` out");
        }
        Error::Eof { .. } => return source.problem(span, "not readable as YAML: it ends too early"),
        _ => {}
    }
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    let problem = source.problem(span, format!("not readable as YAML: {message}"));
    match HINTS.iter().find(|(word, _)| message.contains(word)) {
        Some((_, hint)) => problem.help(*hint),
        None => problem,
    }
}

/// Words of the YAML reader, and what is likely to be the matter.
const HINTS: [(&str, &str); 8] = [
    (
        "mapping values are not allowed",
        "is the line indented as those it belongs to? a text with a colon and a blank in it goes in quotes",
    ),
    ("did not find expected '-' indicator", "lines that belong together begin in the same column"),
    ("did not find expected key", "lines that belong together begin in the same column"),
    ("did not find expected <document start>", "lines that belong together begin in the same column"),
    ("illegal placement of ':'", "is a bracket or a quote before it left open?"),
    ("unclosed", "close it"),
    ("unexpected character", "a text that begins with it goes in quotes"),
    ("unknown anchor", "a text that begins with `*` goes in quotes"),
];

/// The first tab that indents the line of byte `at` or the line before it, where the reader noticed.
fn tab_before(source: &Source, at: usize) -> Option<usize> {
    let (line, _) = source.place(at);
    (line.saturating_sub(1)..=line + 1).filter(|line| *line > 0).find_map(|line| {
        let start = source.byte_at(line as u64, 1).start;
        let text = source.text[start..].split('\n').next().unwrap_or_default();
        let indent = &text[..text.len() - text.trim_start().len()];
        indent.find('\t').map(|tab| start + tab)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read only to be refused")]
    struct File {
        name: String,
        #[serde(default)]
        count: Option<u32>,
        #[serde(default)]
        share: Option<f64>,
        #[serde(default)]
        on: bool,
        #[serde(default)]
        kind: Option<Kind>,
        #[serde(default)]
        list: Vec<String>,
        #[serde(default)]
        map: BTreeMap<String, u32>,
        #[serde(default)]
        inner: Option<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        FrontierReference,
        Other,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read only to be refused")]
    struct Inner {
        path: Spanned<String>,
    }

    #[test]
    fn each_fault_is_told_in_plain_words() {
        let mut told = String::new();
        for text in [
            "",
            "# nothing yet\n---\n",
            "nmae: x\n",
            "name: x\nzzz: 1\n",
            "count: 3\n",
            "name:\n",
            "name: [x]\n",
            "name: {a: 1}\n",
            "name: x\ncount: many\n",
            "name: x\ncount: -1\n",
            "name: x\ncount: [1]\n",
            "name: x\nshare: half\n",
            "name: x\non: yes\n",
            "name: x\non: [true]\n",
            "name: x\nkind: strongest\n",
            "name: x\nkind: frontier-refrence\n",
            "name: x\nlist: one\n",
            "name: x\nlist: {one: two}\n",
            "name: x\nmap: [a]\n",
            "name: x\nmap: {a: b}\n",
            "name: x\ninner: deep\n",
            "name: x\ninner: {pth: a}\n",
            "name: x\ninner: {}\n",
            "name: x\ninner:\n  path: {}\n",
            "name: x\ncount: 1\nname: y\n",
            "name: x\nmap: {a: 1, a: 2}\n",
            "- name: x\n",
            "just a text\n",
            "name: x\ninner:\n\tpath: a\n",
            "name: x\ninner:\n  path: a\n\tcount: 1\n",
            "name: x\n  count: 1\n",
            "name: x\ninner:\n    path: a\n  pth: b\n",
            "  name: x\ncount: 1\n",
            "name: x\nlist: [a, b\ncount: 1\n",
            "name: \"x\ncount: 1\n",
            "name: x: y\n",
            "name: *gone\n",
            "name: x\n---\nname: y\n",
            "name: x\nlist:\n- a\n b\n",
            "name: @x\n",
            "name: `x`\n",
            "name: %x\n",
            "{name: x\n",
            "name: x}\n",
            "name x\n",
            "name:x\n",
            "name: x\n<<: {a: 1}\n",
            "name: !odd x\n",
        ] {
            let source = Source::new("file.yaml", text);
            match read::<File>(&source) {
                Ok(file) => writeln!(told, "{text}≡ {file:?}\n").unwrap(),
                Err(problem) => writeln!(told, "{text}≡ {problem}\n").unwrap(),
            }
        }
        insta::assert_snapshot!(told);
    }
}
