//! A page of the reference: the comment at the head of one module.
//!
//! ```text
//! `name`, or `name` and `other`: what it asks, in a sentence.
//!
//! Perhaps more.
//!
//! # Reads            what of the transcript it looks at
//! # Proves           what follows when it holds
//! # Does not prove   what does not
//! # Example          a clause as in a definition, and what it was tried on
//! ```
//! A form that several predicates share has a part `# Used by` in the place of the middle three.

use std::fs;
use std::path::Path;

/// The parts that a predicate's page has, in this order; the last may occur again.
const PARTS: [&str; 4] = ["Reads", "Proves", "Does not prove", "Example"];
/// The parts of a page about a form that predicates share.
const FORM_PARTS: [&str; 2] = ["Used by", "Example"];

/// One page.
pub struct Page {
    /// The module's file.
    pub file: String,
    /// What it asks, in a sentence.
    pub summary: String,
    /// The examples, in order.
    pub examples: Vec<Example>,
    names: Vec<String>,
    /// What stands ahead of the first heading, and then each heading with what stands under it.
    parts: Vec<(String, String)>,
}

/// A clause and what it was tried on, both as YAML.
pub struct Example {
    /// A list of one clause.
    pub clause: String,
    /// `params`, `pass` and `fail`.
    pub tried: String,
}

impl Example {
    /// The predicate that the clause is about.
    pub fn predicate(&self) -> String {
        let key = |line: &str| {
            let key = line.trim_start_matches(['-', ' ']).split_once(':')?.0;
            (!matches!(key, "id" | "says" | "variants")).then(|| key.to_owned())
        };
        self.clause.lines().find_map(key).unwrap_or_default()
    }
}

impl Page {
    /// The page at the head of a module, if the module documents something that users write.
    pub fn read(file: &Path) -> Option<Self> {
        let text = fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        let first = lines.split(|line| line.is_empty()).next().unwrap_or_default().join(" ");
        let (names, summary) = first.strip_prefix('`').and_then(|_| first.split_once("`: "))?;
        let names: Vec<String> = names
            .split('`')
            .filter(|part| !matches!(*part, "" | " and " | ", "))
            .map(str::to_owned)
            .collect();
        let mut parts = vec![(String::new(), String::new())];
        let mut fenced = false;
        for line in lines.iter().skip_while(|line| !line.is_empty()) {
            fenced ^= line.starts_with("```");
            match line.strip_prefix("# ").filter(|_| !fenced) {
                Some(title) => parts.push((title.to_owned(), String::new())),
                None => {
                    let (_, body) = parts.last_mut()?;
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
        let examples = parts
            .iter()
            .filter(|(title, _)| title == "Example")
            .filter_map(|(_, body)| {
                let mut fences = fences(body).into_iter();
                Some(Example { clause: fences.next()?, tried: fences.next()? })
            })
            .collect();
        let summary = upper_first(summary.trim_end_matches('.'));
        let file = file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(file).display().to_string();
        Some(Self { file, summary, examples, names, parts })
    }

    /// The names it documents.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether it is about a form that predicates share, and no predicate.
    pub fn is_form(&self) -> bool {
        self.parts.iter().any(|(title, _)| title == "Used by")
    }

    /// What is wrong with it.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let wanted: &[&str] = if self.is_form() { &FORM_PARTS } else { &PARTS };
        let mut titles: Vec<&str> = self.parts.iter().skip(1).map(|(title, _)| title.as_str()).collect();
        titles.dedup();
        if titles != wanted {
            faults.push(format!("{}: the parts are {titles:?}, not {wanted:?}", self.file));
        }
        for (title, body) in self.parts.iter().skip(1) {
            if body.trim().is_empty() {
                faults.push(format!("{}: nothing stands under `{title}`", self.file));
            }
            if title == "Example" && fences(body).len() != 2 {
                faults.push(format!("{}: an example has a clause and what it was tried on", self.file));
            }
        }
        faults
    }

    /// The names, each a link to the page.
    pub fn links(&self) -> String {
        let anchor = self.heading().replace(['`', ','], "").replace(' ', "-");
        let links: Vec<String> = self.names.iter().map(|name| format!("[`{name}`](#{anchor})")).collect();
        links.join(", ")
    }

    fn heading(&self) -> String {
        self.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    /// The page in the reference.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n{}.\n", self.heading(), self.summary);
        for (title, body) in &self.parts {
            if !title.is_empty() {
                text += &format!("\n**{title}**");
                text += if title == "Example" { "\n" } else { "\n\n" };
            }
            let body = body.trim_matches('\n');
            if title.is_empty() && !body.is_empty() || title == "Example" {
                text.push('\n');
            }
            text += body;
            if !body.is_empty() {
                text.push('\n');
            }
        }
        text
    }
}

/// The contents of the fenced blocks of a text.
fn fences(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside;
            if inside {
                found.push(String::new());
            }
        } else if let Some(last) = found.last_mut().filter(|_| inside) {
            last.push_str(line);
            last.push('\n');
        }
    }
    found
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
