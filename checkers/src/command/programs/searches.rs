//! The grep family as commands, and what filters behind them leave of the answer.

use super::super::search::{Output, Search, grep};
use super::super::{Step, Syntax};
use super::Call;

/// Whether `head` or `tail` leaves so much out that nothing found could be seen, or not what was found first or last:
/// `head -0`, `head -n -3`, `tail -n +2`.
pub(super) fn hides_finds(program: &str, arguments: &[String]) -> bool {
    if !matches!(program, "head" | "tail") {
        return false;
    }
    let mut before = "";
    arguments.iter().any(|word| {
        let flag = ["--lines=", "--bytes=", "-n", "-c"].into_iter().find_map(|flag| word.strip_prefix(flag));
        let counts = flag.is_some() || ["-n", "-c", "--lines", "--bytes"].contains(&before);
        let count = flag.unwrap_or(word);
        before = word;
        let number = count.trim_start_matches(['-', '+']).parse::<u64>().ok();
        match (count.chars().next(), program) {
            (Some('-'), "head") if counts => number.is_some(),
            (Some('+'), "tail") => number.is_some_and(|first| first > 1),
            _ => number == Some(0),
        }
    })
}

impl Call<'_, '_> {
    /// What a filter behind a search leaves of its answer, when it is not lines any more.
    pub(super) fn boiled_down(&self) -> Option<Output> {
        let all = self.arguments.concat();
        match self.program {
            "wc" => Some(Output::Total),
            "cut" if all.contains("-d:") && all.contains("-f1") => Some(Output::Files),
            "awk" | "gawk" | "mawk"
                if all.contains("-F:") && all.contains("print$1") | all.contains("print $1") =>
            {
                Some(Output::Files)
            }
            _ => None,
        }
    }

    /// Pushes a search. `tree` is set when the file names come from somewhere else.
    pub(super) fn grep(&mut self, program: &str, arguments: &[String], syntax: Syntax, tree: Option<String>) {
        let read = grep(program, arguments, syntax);
        if read.search.patterns.is_empty() {
            return self.push(Step::Look);
        }
        let filters = self.piped && !read.has_files && tree.is_none() && !read.recursive;
        if filters {
            if read.inverted {
                self.drop_lines(&read.search);
            } else {
                self.narrow(&read.search);
            }
            return;
        }
        if read.inverted {
            return self.push(Step::Look);
        }
        let mut search = read.search;
        search.scopes = search.scopes.iter().map(|scope| self.reader.path(scope)).collect();
        if let Some(tree) = tree {
            search.scopes = vec![tree];
        } else if search.scopes.iter().any(|scope| scope.contains("$()")) {
            search.scopes = vec![self.inner_scope.unwrap_or_default().to_owned()];
        } else if search.scopes.is_empty() && !self.reader.cwd.is_empty() {
            search.scopes = vec![self.reader.cwd.clone()];
        }
        self.push(Step::Search(search));
    }

    /// `… | grep -v docs`: lines of files whose path has the word are not shown.
    fn drop_lines(&mut self, filter: &Search) {
        let Some(Step::Search(search)) = self.reader.steps.last_mut() else { return };
        for pattern in &filter.patterns {
            let word: String = pattern.source.replace(['\\', '^', '$'], "");
            let word = word.strip_prefix("./").unwrap_or(&word);
            if !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c)) {
                search.except.push(format!("*{word}*"));
            }
        }
    }

    /// `… | grep x`: only what fits as well is shown of a search's answer.
    pub(super) fn narrow(&mut self, filter: &Search) {
        if let Some(Step::Search(search)) = self.reader.steps.last_mut() {
            // What the first search found and the filter dropped is not shown, so it proves less than both.
            let patterns = std::mem::take(&mut search.patterns);
            search.patterns = patterns.into_iter().filter(|pattern| filter.finds(&pattern.source)).collect();
        } else if let Some(Step::Read(files)) = self.reader.steps.last() {
            let mut search = filter.clone();
            search.scopes.clone_from(files);
            self.push(Step::Search(search));
        }
    }
}
