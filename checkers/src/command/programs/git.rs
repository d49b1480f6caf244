//! git: much of it looks, some of it only keeps the books, the rest changes files.

use super::super::{Step, Syntax};
use super::Call;

impl Call<'_, '_> {
    pub(super) fn git(&mut self) {
        let mut at = 0;
        while let Some(word) = self.arguments.get(at).filter(|word| word.starts_with('-')) {
            let takes_value = matches!(word.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree");
            at += 1 + usize::from(takes_value);
        }
        let Some(sub) = self.arguments.get(at) else { return self.push(Step::Look) };
        let rest = &self.arguments[at + 1..];
        let plain = || rest.iter().filter(|word| !word.starts_with('-')).cloned().collect::<Vec<_>>();
        let has = |name: &str| rest.iter().any(|word| word == name);
        match sub.as_str() {
            "grep" => {
                let rest = rest.to_vec();
                self.grep("git-grep", &rest, Syntax::Basic, None);
            }
            "diff" | "show" if !rest.iter().any(|word| word.starts_with("--output")) => {
                let names = rest.iter().any(|word| {
                    matches!(word.as_str(), "--stat" | "--name-only" | "--name-status" | "--shortstat")
                });
                let paths = rest
                    .iter()
                    .filter(|word| {
                        word.contains(['.', '/']) && !word.starts_with('-') && !word.contains("..")
                    })
                    .cloned()
                    .collect();
                self.push(if names { Step::Look } else { Step::Diff(paths) });
            }
            "status" | "log" | "ls-files" | "blame" | "rev-parse" | "describe" | "cat-file" | "ls-tree"
            | "shortlog" | "version" | "help" | "whatchanged" | "reflog" | "rev-list" | "check-ignore"
            | "name-rev" => self.push(Step::Look),
            "branch" | "tag" | "remote" if plain().is_empty() || has("--list") || has("-l") => {
                self.push(Step::Look);
            }
            "stash" if has("list") || has("show") => self.push(Step::Look),
            "config" if has("--get") || has("--list") || has("-l") => self.push(Step::Look),
            "add" | "commit" | "branch" | "tag" | "fetch" | "push" | "remote" | "config" => {
                self.push(Step::Bookkeeping);
            }
            "checkout" | "switch" if has("-b") || has("-c") || has("-B") || has("-C") => {
                self.push(Step::Bookkeeping);
            }
            "mv" => self.transfer(&plain(), true),
            "rm" => self.delete(&plain()),
            _ => self.opaque(),
        }
    }
}
