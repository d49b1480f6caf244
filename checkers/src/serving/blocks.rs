//! A reply cut into what it hands over and what it says: fences, tables, letters, sections, bare code, and prose.

use std::ops::Range;
use std::sync::LazyLock;

use super::artifacts::Kind;
use super::{letters, pattern, quoted};
use crate::lean::Regex;

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it looks like; `None` is prose.
    pub kind: Option<Kind>,
    /// Its bytes in the reply.
    pub range: Range<usize>,
    /// The last line of text ahead of it, which says what it is.
    pub lead: Range<usize>,
}

static RULE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A\s*(?:-{3,}|\*{3,}|_{3,}|={3,}|—{3,})\s*\z"));
static PRESENTS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r":\W*\z | \b(?:here(?:'s|’s|\s+is|\s+are|\s+you\s+go)|draft|below|result)\b"));
/// A line that announces items as the work itself, be it provisional.
static GIVES_ITEMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:here(?:'s|’s|\s+is|\s+are)|meanwhile|in\s+the\s+meantime|for\s+now|so\s+(?:that\s+)?you\s+(?:already\s+|at\s+least\s+)?have|provisional(?:ly)?|preliminary|tentative(?:ly)?|draft|first\s+version|sketch|proposal|proposed|suggest(?:ion|ed)|wording|along\s+(?:the|those|these)\s+lines|hier\s+(?:ist|sind)|vorläufig\w*|vorab|\w*entwurf|vorschlag|zwischenstand|(?:vorab|erste?|rohe?)\s*fassung|bis\s+dahin|inzwischen|einstweilen|voici|provisoire\w*|projet|brouillon|proposition|ébauche|en\s+attendant|aquí\s+(?:está|tien)\w*|borrador|propuesta|provisional\w*|mientras\s+tanto|por\s+ahora|bozza|proposta|nel\s+frattempo|per\s+ora|rascunho|esboço|enquanto\s+isso|por\s+enquanto|concept|voorstel|voorlopig\w*|ondertussen|alvast)\b",
    )
});
/// What such a line announces that is not the work: what is asked for, or what was found.
static GIVES_FINDINGS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:what|need\w*|missing|why|how|problems?|issues?|mismatch\w*|differ\w*|discrepanc\w*|conflict\w*|compar\w*|token|hash|sha\w*|check\w*|found|find\w*|see|saw|know\w*|(?:un)?clear|questions?|ask\w*|options?|steps?|situation|status|state\s+(?:of|as)|facts?|evidence|reasons?|cannot|remember|recall|visible|history|context|lost|before|please|confirm\w*|re-?stat\w*|details?|form|template|fields?|fill|points?|sources?|versions\s+of|notes?|was|warum|fehl\w*|brauch\w*|frage\w*|befund\w*|manque\w*|question\w*|seh\w+|unterschied\w*|abweich\w*|steht|lautet|sagt|vois|constat\w*|écart\w*|diffèr\w*|dit|veo|dice|diferenci\w*|vedo|vejo|diz)\b | n't\b",
    )
});
/// What an announced paragraph speaks of when it is not the work after all.
static TALK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:CHARTER_STATE(?:\.md)?|re-?stat\w*|repeat|tasks?|goal|token|hash|sha\S*|checksum|state\s+file|turns?\s+\d+|conversation|context|original\w*|invariants?|INV-\d+|aufgabe|auftrag|prüfsumme|tâche|consigne|tarea|encargo)\b",
    )
});
/// The longest line without a colon that can be a heading, in bytes.
const LONGEST_HEADING: usize = 40;

pub use letters::is_heading;

/// Whether a line leads in what was found or is asked for.
#[must_use]
pub fn gives_findings(lead: &str) -> bool {
    GIVES_FINDINGS.is_match(&quoted::last_sentence(lead))
}

/// Whether a text speaks of the task, the file or the conversation.
#[must_use]
pub fn is_talk(text: &str) -> bool {
    TALK.is_match(text)
}

/// Whether a line leads in what is handed over.
#[must_use]
pub fn gives_items(lead: &str) -> bool {
    let lead = quoted::last_sentence(lead);
    let heads = lead.trim_end().ends_with(':') || lead.len() <= LONGEST_HEADING;
    heads && GIVES_ITEMS.is_match(&lead) && !GIVES_FINDINGS.is_match(&lead)
}
/// The opening tag of a result: `<draft>`. What a model thinks or cites in tags is none.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\s*<((?:draft|mail|e-?mail|letter|text|result|answer|output|response|deliverable|message|notice|document|report|content|code|query|sql|details|translation|entwurf|brouillon|borrador)\w*)>\s*\z",
    )
});
static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A[\W\d]*(?:no|nothing|none|not|neither|kein\w*|nichts|aucune?|rien|ningun[ao]?|nada|nessun\w*|niente)\b",
    )
});
static LIST_ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A\s*(?:[-*•+–]|\d{1,2}[.)])\s+\S"));
/// A line of a list that has a word where others have a mark: `Mon – soup`.
static LABELLED_ITEM: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\A\s*\**\w[\w.]{0,15}(?:\s\w{1,12})?\**\s*(?::|–|—|\s-)\**\s+\S"));
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\s*(?:
            [\d*][\d*/,-]*\s+[\d*][\d*/,-]*\s+[\d*][\d*/,LW?-]*\s+[\w*][\w*/,-]*\s+[\w*][\w*/,-]*(?:\s+[/~$\w].*)?\s*\z
            | (?-i:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|FROM|WHERE|GROUP\s+BY|ORDER\s+BY|HAVING|JOIN|LEFT\s+JOIN|CREATE|ALTER)\s+\S
            | def\s+\w+\s*\( | (?:const|let|var)\s+\w+\s*= | (?:export\s+|async\s+)?function\b.*\( | from\s+\w+\s+import\b | import\s+\w+\s*;?\z
            | /?\^.*\$/?\w{0,3};?\s*\z
            | [\w.\[\]'\x22]+\s*=\s*\S.*[;)\]'\x22/]\s*\z
        )",
    )
});

/// Cuts a reply into blocks, in order and without gaps other than blank lines.
#[must_use]
pub fn blocks(text: &str) -> Vec<Block> {
    let lines = lines(text);
    let mut out: Vec<Block> = Vec::new();
    let mut lead = 0..0;
    let mut at = 0;
    while at < lines.len() {
        let line = &text[lines[at].clone()];
        if line.trim().is_empty() {
            at += 1;
            continue;
        }
        let (kind, end) = block_at(text, &lines, at, &text[lead.clone()], out.is_empty());
        let inner = if kind == Some(Kind::Section) && RULE.is_match(line) { at + 1 } else { at };
        let range = lines[inner].start..lines[end.max(inner + 1).min(lines.len()) - 1].end;
        if kind.is_none() {
            lead = range.clone();
        }
        if kind.is_some() || !RULE.is_match(line) {
            out.push(Block { kind, range, lead: lead.clone() });
        }
        at = end.max(at + 1);
    }
    out
}

/// The kind of the block that starts at line `at`, and the line after its last.
fn block_at(text: &str, lines: &[Range<usize>], at: usize, lead: &str, first: bool) -> (Option<Kind>, usize) {
    let get = |index: usize| lines.get(index).map(|range| &text[range.clone()]);
    let line = get(at).unwrap_or_default();
    let run = |test: &dyn Fn(&str) -> bool| {
        at + lines[at..].iter().take_while(|range| test(&text[(*range).clone()])).count()
    };
    let trimmed = line.trim_start();
    for fence in ["```", "~~~"] {
        if trimmed.starts_with(fence) {
            if trimmed[3..].contains("```") {
                return (Some(Kind::Fence), at + 1);
            }
            let close = (at + 1..lines.len())
                .find(|&index| get(index).is_some_and(|line| line.trim_start().starts_with(fence)));
            return (Some(Kind::Fence), close.map_or(lines.len(), |close| close + 1));
        }
    }
    if trimmed.starts_with('|') {
        let end = run(&|line| line.trim_start().starts_with('|'));
        return (if end - at > 1 { Some(Kind::Table) } else { None }, end);
    }
    if trimmed.starts_with('>') {
        return (Some(Kind::Quote), run(&|line| line.trim_start().starts_with('>')));
    }
    if RULE.is_match(line)
        && PRESENTS.is_match(lead)
        && let Some(close) = (at + 1..lines.len().min(at + 400))
            .find(|&index| get(index).is_some_and(|line| RULE.is_match(line)))
    {
        return (Some(Kind::Section), close + 1);
    }
    let after_rule = (0..at).rev().find_map(|index| get(index).filter(|line| !line.trim().is_empty()));
    if letters::opens(line, lead, after_rule.is_some_and(|line| RULE.is_match(line)), first) {
        return (Some(Kind::Letter), letter_end(at, lines.len(), &get));
    }
    let is_item = |line: &str| LIST_ITEM.is_match(line) || LABELLED_ITEM.is_match(line);
    if is_item(line) && gives_items(lead) {
        let end = run(&|line| is_item(line) || (line.starts_with("  ") && !line.trim().is_empty()));
        let asks = lines[at..end].iter().any(|range| text[range.clone()].contains('?'));
        // `For now: - no mail is written - no file is changed` hands nothing over.
        let empty = lines[at..end].iter().all(|range| NOTHING.is_match(&text[range.clone()]));
        let enough = if LIST_ITEM.is_match(line) { 1 } else { 2 };
        if end - at > enough && !asks && !empty {
            return (Some(Kind::List), end);
        }
    }
    if CODE.is_match(line) {
        return (
            Some(Kind::Line),
            run(&|line| CODE.is_match(line) || (line.starts_with("    ") && !line.trim().is_empty())),
        );
    }
    if let Some(tag) = TAG.captures(line)
        && let Some(close) = (at + 1..lines.len().min(at + 400))
            .find(|&index| get(index).is_some_and(|line| line.trim() == format!("</{}>", &tag[1])))
        && !TALK.is_match(&text[lines[at].start..lines[close].end])
    {
        return (Some(Kind::Section), close + 1);
    }
    if lead.trim_end().ends_with(':') && gives_items(lead) && !is_item(line) {
        let end = run(&|line| !line.trim().is_empty());
        let text = &text[lines[at].start..lines[end - 1].end];
        if !TALK.is_match(text) && !text.contains('?') {
            return (Some(Kind::Section), end);
        }
    }
    (None, at + 1)
}

/// The line after the last of the letter that starts at line `at`: its sign-off, or the paragraph ahead of one that speaks
/// to the user.
fn letter_end<'t>(at: usize, count: usize, get: &impl Fn(usize) -> Option<&'t str>) -> usize {
    let mut after_blank = false;
    for index in at + 1..count {
        let line = get(index).unwrap_or_default();
        if RULE.is_match(line) || letters::closes(line) {
            return index + 1;
        }
        if after_blank && letters::talks_about_the_work(line) {
            return index;
        }
        after_blank = line.trim().is_empty();
    }
    count
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.trim_end_matches(['\n', '\r']).len();
            start += line.len();
            range
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Option<Kind>> {
        blocks(text).into_iter().map(|block| block.kind).collect()
    }

    #[test]
    fn deliverables_are_told_from_talk() {
        assert_eq!(kinds("Here:\n```sql\nSELECT 1\n```\nOk?"), [None, Some(Kind::Fence), None]);
        assert_eq!(kinds("Line is:\n\n30 2 * * 1-5 /bin/x >> /var/log/x 2>&1\n"), [None, Some(Kind::Line)]);
        assert_eq!(
            kinds("Draft:\n\n---\nHello {name},\nplease pay.\n---\nFine?"),
            [None, Some(Kind::Section), None]
        );
        assert_eq!(
            kinds("Draft:\nDear customer,\nplease pay.\nKind regards\nOk?"),
            [None, Some(Kind::Letter), None]
        );
        assert_eq!(kinds("Hi!\nWhat was the task?"), [None, None]);
        assert_eq!(kinds("A table.\n| a | b |\n|---|---|\n| 1 | 2 |"), [None, Some(Kind::Table)]);
        assert_eq!(kinds("One.\n---\nTwo.\n---\nThree."), [None, None, None]);
    }
}
