//! Parameter tables: the rows that a case is played with, typed, from a CSV file or from the case file itself.

use serde_json::{Map, Value};

use super::problem::{Problems, Source};

/// One row: parameter names and values.
pub type Row = Map<String, Value>;

/// A case's parameter rows; the first is the canonical one.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The rows, at least one.
    pub rows: Vec<Row>,
    /// Whether the case has a table at all; without one it has a single row without parameters.
    pub declared: bool,
    /// The file it was read from, by its path in the case's folder; none for rows in the case's own file.
    pub(crate) file: Option<String>,
    /// The line each row stands in, for messages.
    pub(crate) lines: Vec<usize>,
}

impl Table {
    /// The table of a case without parameters.
    pub(crate) fn without_parameters() -> Self {
        Self { rows: vec![Row::new()], declared: false, file: None, lines: vec![0] }
    }
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Number,
    Integer,
    Percent,
    Text,
    List,
    Object,
}

impl Type {
    pub(crate) const NAMES: [&str; 6] = ["number", "integer", "percent", "text", "list", "object"];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "number" => Self::Number,
            "integer" => Self::Integer,
            "percent" => Self::Percent,
            "text" => Self::Text,
            "list" => Self::List,
            "object" => Self::Object,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Percent => "percent",
            Self::Text => "text",
            Self::List => "list",
            Self::Object => "object",
        }
    }

    /// The name with its article, for messages.
    pub(crate) fn article(self) -> String {
        let name = self.name();
        let article = if name.starts_with(['i', 'o']) { "an" } else { "a" };
        format!("{article} {name}")
    }

    /// Whether `value` is of this type.
    pub(crate) fn holds(self, value: &Value) -> bool {
        match self {
            Self::Number | Self::Percent => value.is_number(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Text => value.is_string(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
        }
    }

    /// Reads a cell; `Err` is what is wrong and what to do about it.
    pub(crate) fn read(self, cell: &str) -> Result<Value, (String, Option<String>)> {
        if self == Self::Text {
            return Ok(cell.into());
        }
        let wrong = || (format!("`{cell}` is not {}", self.article()), self.advice(cell));
        let value = transcript::strict::parse(cell).map_err(|error| match self {
            Self::List | Self::Object => (format!("not {} in JSON: {error}", self.article()), None),
            _ => wrong(),
        })?;
        if !self.holds(&value) {
            return Err(wrong());
        }
        if value.as_number().is_some_and(|number| !super::node::is_exact(number)) {
            let help = "numbers go up to 2^53; declare the column as text to carry larger ones";
            return Err((format!("the number {cell} is too large to be exact"), Some(help.to_owned())));
        }
        Ok(value)
    }

    fn advice(self, cell: &str) -> Option<String> {
        let bare = cell.trim();
        if bare.is_empty() {
            return Some("every row needs a value in every column".to_owned());
        }
        if let Some(number) = without_separators(bare) {
            return Some(format!("write it without thousands separators: {number}"));
        }
        let stripped = bare.trim_matches(['$', '€', '£', '%', '+', ' ']);
        (stripped != cell && transcript::strict::parse(stripped).is_ok_and(|value| value.is_number()))
            .then(|| format!("write only the number: {stripped}"))
    }
}

/// `1,234.5` without its commas; `None` when it is no number with separators.
fn without_separators(cell: &str) -> Option<String> {
    let (whole, fraction) = cell.split_once('.').unwrap_or((cell, "0"));
    let groups: Vec<_> =
        whole.trim_start_matches('-').split([',', ' ', '_', '\'', '\u{a0}', '\u{202f}']).collect();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let grouped = groups.len() > 1
        && groups[0].len() <= 3
        && groups.iter().all(|group| digits(group))
        && groups[1..].iter().all(|group| group.len() == 3);
    let sign = if cell.starts_with('-') { "-" } else { "" };
    let fraction = if cell.contains('.') { format!(".{fraction}") } else { String::new() };
    (grouped && (fraction.is_empty() || digits(&fraction[1..])))
        .then(|| format!("{sign}{}{fraction}", groups.concat()))
}

/// The type of a column that nobody declared; `Err` with the index of the cell that leaves it open.
pub(crate) fn infer(cells: &[&str]) -> Result<Type, (usize, String, String)> {
    let is_json = |cell: &str| cell.trim_start().starts_with(['[', '{']);
    let is_number = |cell: &str| transcript::strict::parse(cell).is_ok_and(|value| value.is_number());
    if cells.iter().all(|cell| is_number(cell)) {
        return Ok(Type::Number);
    }
    if cells.iter().all(|cell| cell.trim_start().starts_with('[')) {
        return Ok(Type::List);
    }
    if cells.iter().all(|cell| cell.trim_start().starts_with('{')) {
        return Ok(Type::Object);
    }
    if let Some(odd) = cells.iter().position(|cell| is_json(cell)) {
        let help = "a list or an object in every row, or declare the column as text under `types`";
        return Err((odd, "the column mixes JSON with other values".to_owned(), help.to_owned()));
    }
    let separated = |cell: &str| without_separators(cell).is_some();
    if let Some(odd) = cells.iter().position(|cell| separated(cell))
        && cells.iter().all(|cell| separated(cell) || is_number(cell))
    {
        let plain = without_separators(cells[odd]).unwrap_or_default();
        let help = format!("write {plain}, or declare the column as text under `types`");
        return Err((odd, format!("`{}` has thousands separators", cells[odd]), help));
    }
    Ok(Type::Text)
}

/// Checks a parameter's name.
pub(crate) fn check_name(name: &str, span: std::ops::Range<usize>, source: &Source, problems: &mut Problems) {
    let mut characters = name.chars();
    let well_formed = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !well_formed {
        let problem = source.problem(span, format!("`{name}` cannot be a parameter's name"));
        problems.add(problem.help("letters, digits and underscores, starting with a letter"));
    } else if ["charter", "item", "loop"].contains(&name) {
        problems.add(
            source.problem(span, format!("the name `{name}` is taken: templates use it for something else")),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_read_by_their_type() {
        assert_eq!(Type::Number.read("80000").unwrap(), json!(80000));
        assert_eq!(Type::Percent.read("12.5").unwrap(), json!(12.5));
        assert_eq!(Type::Text.read("007").unwrap(), json!("007"));
        assert_eq!(Type::List.read("[\"a\", 1]").unwrap(), json!(["a", 1]));
        assert_eq!(Type::Object.read("{\"kind\": \"bytes\"}").unwrap(), json!({"kind": "bytes"}));
    }

    #[test]
    fn cells_of_another_type_are_refused_with_advice() {
        let advice = |kind: Type, cell: &str| {
            let (message, help) = kind.read(cell).unwrap_err();
            format!("{message} | {}", help.unwrap_or_default())
        };
        assert_eq!(
            advice(Type::Number, "80,000"),
            "`80,000` is not a number | write it without thousands separators: 80000"
        );
        assert_eq!(
            advice(Type::Number, "-1 234.50"),
            "`-1 234.50` is not a number | write it without thousands separators: -1234.50"
        );
        assert_eq!(advice(Type::Percent, "25%"), "`25%` is not a percent | write only the number: 25");
        assert_eq!(advice(Type::Number, "$5"), "`$5` is not a number | write only the number: 5");
        assert_eq!(advice(Type::Integer, "2.5"), "`2.5` is not an integer | ");
        assert_eq!(advice(Type::Number, ""), "`` is not a number | every row needs a value in every column");
        assert!(advice(Type::Integer, "9007199254740993").contains("too large to be exact"));
        assert!(advice(Type::Number, "1e999").contains("is not a number"));
        assert!(advice(Type::List, "[1, 2").starts_with("not a list in JSON"));
        assert!(advice(Type::Object, "{\"a\": 1, \"a\": 2}").contains("`a` occurs twice"));
    }

    #[test]
    fn a_column_is_inferred_as_a_whole() {
        assert_eq!(infer(&["1", "2.5"]), Ok(Type::Number));
        assert_eq!(infer(&["1", "x"]), Ok(Type::Text));
        assert_eq!(infer(&["007", "1"]), Ok(Type::Text));
        assert_eq!(infer(&["[1]", "[]"]), Ok(Type::List));
        assert_eq!(infer(&["{}", "{\"a\":1}"]), Ok(Type::Object));
        assert!(infer(&["[1]", "none"]).is_err());
        assert_eq!(infer(&["1", "80,000"]).unwrap_err().0, 1);
        assert_eq!(infer(&["Springfield, 100", "80,000"]), Ok(Type::Text));
    }
}
