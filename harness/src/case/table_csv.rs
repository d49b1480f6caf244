//! Parameter tables as CSV files.

use std::collections::BTreeMap;
use std::ops::Range;

use csv::{ReaderBuilder, StringRecord};

use super::problem::{Problems, Source, suggestion};
use super::table::{Row, Table, Type, check_name, infer};

/// A record with the place of its cells.
struct Record {
    cells: StringRecord,
    start: usize,
    line: usize,
}

impl Record {
    /// The bytes of a cell as it stands in the file, quotes included.
    fn span(&self, index: usize, source: &Source) -> Range<usize> {
        let text = &source.text[self.start.min(source.text.len())..];
        let (mut cell, mut start, mut quoted) = (0, 0, false);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'"' => quoted = !quoted,
                b',' if !quoted && cell == index => return self.start + start..self.start + at,
                b',' if !quoted => (cell, start) = (cell + 1, at + 1),
                b'\n' | b'\r' if !quoted => {
                    return self.start + start.min(at)..self.start + at;
                }
                _ => {}
            }
        }
        self.start + start.min(text.len())..source.text.len()
    }
}

/// Reads the table in `source`, with the types that were declared; `Err` holds the columns that could be read.
pub(crate) fn read(
    source: &Source,
    types: &BTreeMap<String, Type>,
    problems: &mut Problems,
) -> Result<Table, Vec<String>> {
    let before = problems.told();
    let Some(records) = records(source, problems) else { return Err(Vec::new()) };
    let Some((header, rows)) = records.split_first().filter(|(_, rows)| !rows.is_empty()) else {
        let problem = source.problem(0..source.text.len(), "the table has no rows");
        problems.add(problem.help("a header line with the parameters' names, then one line a row"));
        return Err(Vec::new());
    };
    let columns = || header.cells.iter().map(str::to_owned).collect();
    check_header(header, source, problems);
    for row in rows.iter().filter(|row| row.cells.len() != header.cells.len()) {
        let (has, wants) = (row.cells.len(), header.cells.len());
        let span = row.span(0, source).start..row.span(has.saturating_sub(1), source).end;
        let problem = source.problem(span, format!("the row has {has} cells, the header {wants}"));
        problems.add(problem.help("a cell that holds a comma or a quote goes in double quotes"));
    }
    if problems.told() > before {
        return Err(columns());
    }
    let mut table = Table {
        rows: vec![Row::new(); rows.len()],
        declared: true,
        file: None,
        lines: rows.iter().map(|row| row.line).collect(),
    };
    for (index, name) in header.cells.iter().enumerate() {
        fill_column(&mut table, index, name, rows, types.get(name).copied(), source, problems);
    }
    if problems.told() == before { Ok(table) } else { Err(columns()) }
}

fn records(source: &Source, problems: &mut Problems) -> Option<Vec<Record>> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source.text.as_bytes());
    let mut records = Vec::new();
    let mut cells = StringRecord::new();
    loop {
        match reader.read_record(&mut cells) {
            Ok(false) => return Some(records),
            Ok(true) => {
                let position = cells.position();
                let start = position.map_or(0, |at| usize::try_from(at.byte()).unwrap_or(usize::MAX));
                // The reader counts blank lines before a record as part of it.
                let text = source.text.get(start..).unwrap_or_default();
                let start = start + text.len() - text.trim_start_matches(['\r', '\n']).len();
                records.push(Record { cells: cells.clone(), start, line: source.place(start).0 });
            }
            Err(error) => {
                problems.add(source.problem(0..0, format!("not readable as CSV: {error}")));
                return None;
            }
        }
    }
}

fn check_header(header: &Record, source: &Source, problems: &mut Problems) {
    for (index, name) in header.cells.iter().enumerate() {
        let span = header.span(index, source);
        if header.cells.iter().take(index).any(|earlier| earlier == name) {
            problems.add(source.problem(span, format!("the column `{name}` occurs twice")));
        } else {
            check_name(name, span, source, problems);
        }
    }
}

fn fill_column(
    table: &mut Table,
    index: usize,
    name: &str,
    rows: &[Record],
    declared: Option<Type>,
    source: &Source,
    problems: &mut Problems,
) {
    let cells: Vec<&str> = rows.iter().map(|row| row.cells.get(index).unwrap_or_default()).collect();
    let kind = match declared.map_or_else(|| infer(&cells), Ok) {
        Ok(kind) => kind,
        Err((row, message, help)) => {
            problems.add(source.problem(rows[row].span(index, source), message).help(help));
            return;
        }
    };
    for ((cell, record), row) in cells.iter().zip(rows).zip(&mut table.rows) {
        match kind.read(cell) {
            Ok(value) => {
                row.insert(name.to_owned(), value);
            }
            Err((message, help)) => {
                let problem =
                    source.problem(record.span(index, source), format!("column `{name}`: {message}"));
                problems.add(match help {
                    Some(help) => problem.help(help),
                    None => problem,
                });
            }
        }
    }
}

/// Refuses declared types of columns that do not exist.
pub(crate) fn check_types<'a>(
    declared: impl Iterator<Item = (&'a str, Range<usize>)>,
    table: &Table,
    source: &Source,
    problems: &mut Problems,
) {
    let columns: Vec<&str> =
        table.rows.first().map(|row| row.keys().map(String::as_str).collect()).unwrap_or_default();
    for (name, span) in declared.filter(|(name, _)| !columns.contains(name)) {
        let problem = source.problem(span, format!("the table has no column `{name}`"));
        problems.add(problem.help(suggestion(name, columns.iter().copied())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, types: &[(&str, Type)]) -> String {
        let mut problems = Problems::default();
        let types = types.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        let table = read(&Source::new("params.csv", text), &types, &mut problems);
        match problems.settle(table.ok()) {
            Ok(table) => serde_json::to_string(&table.rows).unwrap(),
            Err(errors) => errors.to_string(),
        }
    }

    #[test]
    fn rows_are_typed() {
        let text = "n,t,l\r\n1,\"a, \"\"b\"\"\",\"[1,\"\"x\"\"]\"\r\n\r\n2.5,c,[]\r\n";
        assert_eq!(told(text, &[]), r#"[{"n":1,"t":"a, \"b\"","l":[1,"x"]},{"n":2.5,"t":"c","l":[]}]"#);
        assert_eq!(told("\u{feff}n\n1\n", &[("n", Type::Text)]), r#"[{"n":"1"}]"#);
    }

    #[test]
    fn every_bad_cell_is_told() {
        let text = "start,claimed,token\n80000,20,\"{\"\"a\"\": 1}\"\n\"90,000\",25%,{a}\n";
        let types = [("start", Type::Number), ("claimed", Type::Percent), ("token", Type::Object)];
        insta::assert_snapshot!(told(text, &types), @r#"
        error: column `start`: `90,000` is not a number
         --> params.csv:3:1
          |
        3 | "90,000",25%,{a}
          | ^^^^^^^^
          |
          = help: write it without thousands separators: 90000

        error: column `claimed`: `25%` is not a percent
         --> params.csv:3:10
          |
        3 | "90,000",25%,{a}
          |          ^^^
          |
          = help: write only the number: 25

        error: column `token`: not an object in JSON: key must be a string at line 1 column 2
         --> params.csv:3:14
          |
        3 | "90,000",25%,{a}
          |              ^^^

        3 problems
        "#);
    }

    #[test]
    fn ragged_rows_and_bad_headers_are_told() {
        insta::assert_snapshot!(told("a,b a,a\n1,2\n1,2,3,4\n", &[]), @r"
        error: `b a` cannot be a parameter's name
         --> params.csv:1:3
          |
        1 | a,b a,a
          |   ^^^
          |
          = help: letters, digits and underscores, starting with a letter

        error: the column `a` occurs twice
         --> params.csv:1:7
          |
        1 | a,b a,a
          |       ^

        error: the row has 2 cells, the header 3
         --> params.csv:2:1
          |
        2 | 1,2
          | ^^^
          |
          = help: a cell that holds a comma or a quote goes in double quotes

        error: the row has 4 cells, the header 3
         --> params.csv:3:1
          |
        3 | 1,2,3,4
          | ^^^^^^^
          |
          = help: a cell that holds a comma or a quote goes in double quotes

        4 problems
        ");
    }

    #[test]
    fn an_empty_table_is_refused() {
        insta::assert_snapshot!(told("a,b\n", &[]), @r"
        error: the table has no rows
         --> params.csv:1:1
          |
        1 | a,b
          | ^^^
          |
          = help: a header line with the parameters' names, then one line a row

        1 problem
        ");
        assert!(told("", &[]).contains("the table has no rows"));
    }
}
