//! Running pipelines: expansion of words, redirections, and the bounds on work and output.

use std::sync::Arc;

use super::parse::{Command, Pipeline, Redirect, When};
use super::word::Word;
use super::{files, find, git, grep, sed, text};
use crate::workspace::{WorkPath, Workspace};

/// The most bytes that one command may write.
const MAX_STREAM_BYTES: usize = 2 << 20;
/// The most bytes that one command line may read, or do the like of, so that no command line takes long or much memory.
const MAX_WORK_BYTES: usize = 64 << 20;
/// What making a matcher of a wildcard comes to, and each byte of it.
const GLOB_BYTES: usize = 16 << 10;
const GLOB_BYTES_A_BYTE: usize = 64;

/// A stream that stops growing at its bound.
#[derive(Debug, Default)]
pub(super) struct Sink {
    pub(super) bytes: Vec<u8>,
}

impl Sink {
    pub(super) fn push(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let room = MAX_STREAM_BYTES.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub(super) fn line(&mut self, bytes: impl AsRef<[u8]>) {
        self.push(bytes);
        self.push(b"\n");
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= MAX_STREAM_BYTES
    }
}

/// What a command reads and writes.
#[derive(Debug, Default)]
pub(super) struct Io {
    /// What is piped in; `None` when nothing is.
    pub(super) input: Option<Arc<[u8]>>,
    pub(super) out: Sink,
    pub(super) err: Sink,
}

impl Io {
    /// Reports a failure and returns its exit status.
    pub(super) fn fail(&mut self, status: i32, message: impl std::fmt::Display) -> i32 {
        self.err.line(message.to_string());
        status
    }
}

/// The state of one command line.
#[derive(Debug)]
pub(super) struct Shell<'a> {
    pub(super) workspace: &'a mut Workspace,
    cwd: WorkPath,
    work: usize,
    /// What the model will see.
    pub(super) terminal: Sink,
    /// Whether the last command said that it failed.
    pub(super) complained: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Terminal,
    Pipe,
    Null,
    File(WorkPath),
}

impl<'a> Shell<'a> {
    pub(super) fn new(workspace: &'a mut Workspace) -> Self {
        Self { workspace, cwd: WorkPath::root(), work: 0, terminal: Sink::default(), complained: false }
    }

    pub(super) fn list(&mut self, list: &[Pipeline]) -> i32 {
        let mut status = 0;
        for pipeline in list {
            let runs = match pipeline.when {
                When::Always => true,
                When::AfterSuccess => status == 0,
                When::AfterFailure => status != 0,
            };
            if runs {
                status = self.pipeline(pipeline);
            }
            // Whoever used the last of its share up has said so; the rest has none.
            if self.work > MAX_WORK_BYTES {
                break;
            }
        }
        status
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> i32 {
        let mut status = 0;
        let mut piped = None;
        for (n, command) in pipeline.commands.iter().enumerate() {
            let is_last = n + 1 == pipeline.commands.len();
            let mut io = Io { input: piped.take(), ..Io::default() };
            let target = if is_last { Target::Terminal } else { Target::Pipe };
            let mut stream = Sink::default();
            status = self.redirected(command, &mut io, target, &mut stream);
            piped = Some(stream.bytes.into());
        }
        if pipeline.negated { i32::from(status == 0) } else { status }
    }

    /// Runs one command and sends its streams where they go.
    fn redirected(&mut self, command: &Command, io: &mut Io, start: Target, pipe: &mut Sink) -> i32 {
        let mut args = Vec::new();
        for word in &command.words {
            let words = self.expand(word);
            if let Err(message) = self.charge(words.iter().map(|word| word.len() + 64).sum()) {
                self.complained = true;
                self.terminal.line(format!("sh: {message}"));
                return 2;
            }
            args.extend(words);
        }
        let known = args.first().is_none_or(|name| is_known(name));
        let opened =
            if known { self.open(command, io, start.clone()) } else { Ok([start, Target::Terminal]) };
        let (status, targets) = match opened {
            Ok(targets) => (self.run(&args, io), targets),
            Err(message) => (io.fail(1, message), [Target::Null, Target::Terminal]),
        };
        self.complained = !io.err.bytes.is_empty() || status > 1;
        let mut status = status;
        let streams = [std::mem::take(&mut io.out.bytes), std::mem::take(&mut io.err.bytes)];
        for (bytes, target) in streams.into_iter().zip(targets) {
            match target {
                Target::Terminal => self.terminal.push(bytes),
                Target::Pipe => pipe.push(bytes),
                Target::Null => {}
                Target::File(path) => {
                    if let Err(error) = self.append(&path, &bytes) {
                        self.terminal.line(format!("sh: {error}"));
                        self.complained = true;
                        status = 1;
                    }
                }
            }
        }
        status
    }

    /// Writes behind what a file holds, which is copied for it.
    fn append(&mut self, path: &WorkPath, bytes: &[u8]) -> Result<(), String> {
        let old = self.workspace.get(path.as_str()).map(Arc::clone).unwrap_or_default();
        self.charge(old.len())?;
        self.workspace.write(path, [&old, bytes].concat()).map_err(|error| error.to_string())
    }

    /// Opens what the command's redirections name, as a shell does: in order, and before the command runs.
    fn open(&mut self, command: &Command, io: &mut Io, out: Target) -> Result<[Target; 2], String> {
        let mut targets = [out, Target::Terminal];
        for redirect in &command.redirects {
            match redirect {
                Redirect::Text(text) => io.input = Some(text.as_bytes().into()),
                Redirect::In(word) => {
                    let name = self.single(word)?;
                    io.input = Some(self.read(&name).map_err(|error| format!("sh: {error}"))?);
                }
                Redirect::Join { from: 2, to: 1 } => targets[1] = targets[0].clone(),
                Redirect::Join { from: 1, to: 2 } => targets[0] = targets[1].clone(),
                Redirect::Join { .. } => {}
                Redirect::Out { from, append, to } => {
                    let name = self.single(to)?;
                    let target = self.output_file(&name, *append)?;
                    match from {
                        1 => targets[0] = target,
                        2 => targets[1] = target,
                        _ => targets = [target.clone(), target],
                    }
                }
            }
        }
        Ok(targets)
    }

    fn output_file(&mut self, name: &str, append: bool) -> Result<Target, String> {
        match name {
            "/dev/null" => return Ok(Target::Null),
            "/dev/stdout" | "/dev/stderr" | "/dev/tty" => return Ok(Target::Terminal),
            _ => {}
        }
        let path = self.path(name).map_err(|error| format!("sh: {error}"))?;
        if !append || !self.workspace.is_file(&path) {
            self.workspace.write(&path, *b"").map_err(|error| format!("sh: {error}"))?;
        }
        Ok(Target::File(path))
    }

    fn single(&mut self, word: &Word) -> Result<String, String> {
        let mut words = self.expand(word);
        match (words.pop(), words.is_empty()) {
            (Some(word), true) => Ok(word),
            _ => Err("sh: ambiguous redirect".to_owned()),
        }
    }

    /// The words that a word becomes. A wildcard looks at every path, and that is work too.
    fn expand(&mut self, word: &Word) -> Vec<String> {
        word.expand(|text, pattern| {
            if self.charge_glob(pattern).and_then(|()| self.walk()).is_err() {
                return Vec::new();
            }
            let Some(glob) = super::word::glob(pattern) else { return Vec::new() };
            // Compared in the form in which they are written: as an absolute path, below `./`, or plain.
            let prefix = ["/repo/", "/workspace/", "/", "./"]
                .into_iter()
                .find(|prefix| text.starts_with(prefix))
                .unwrap_or("");
            let base = if prefix.starts_with('/') { WorkPath::root() } else { self.cwd.clone() };
            let hidden = text.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
            let mut found = std::collections::BTreeSet::new();
            for path in self.workspace.paths_below(&base) {
                let Some(inner) = base.below(path) else { continue };
                for end in inner.match_indices('/').map(|(at, _)| at).chain([inner.len()]) {
                    let entry = &inner[..end];
                    let name = entry.rsplit('/').next().unwrap_or_default();
                    let written = format!("{prefix}{entry}");
                    if (hidden || !name.starts_with('.')) && glob.is_match(&written) {
                        found.insert(written);
                    }
                }
            }
            found.into_iter().collect()
        })
    }

    /// A path as the command line has it, from the folder the shell is in.
    pub(super) fn path(&self, text: &str) -> Result<WorkPath, String> {
        let joined = if self.cwd.is_root() || text.starts_with(['/', '\\', '~']) {
            text.to_owned()
        } else {
            format!("{}/{text}", self.cwd)
        };
        WorkPath::parse(&joined).map_err(|error| format!("{text}: {error}"))
    }

    /// A file's content, charged to the command line's account.
    pub(super) fn read(&mut self, name: &str) -> Result<Arc<[u8]>, String> {
        if name == "/dev/null" {
            return Ok(Arc::default());
        }
        let path = self.path(name)?;
        self.read_at(&path, name)
    }

    pub(super) fn read_at(&mut self, path: &WorkPath, name: &str) -> Result<Arc<[u8]>, String> {
        match self.workspace.get(path.as_str()).map(Arc::clone) {
            Some(content) => self.charge(content.len()).map(|()| content),
            None if self.workspace.is_folder(path) => Err(format!("{name}: Is a directory")),
            None => Err(format!("{name}: No such file or directory")),
        }
    }

    /// Counts work; an error when the command line has had its share.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), String> {
        self.work += bytes + 1024;
        if self.work > MAX_WORK_BYTES { Err("the command line reads too much".to_owned()) } else { Ok(()) }
    }

    /// Counts the work of making a matcher of a wildcard.
    pub(super) fn charge_glob(&mut self, pattern: &str) -> Result<(), String> {
        self.charge(GLOB_BYTES + GLOB_BYTES_A_BYTE * pattern.len())
    }

    /// Counts the work of looking at every path, and at every folder on the way to it.
    pub(super) fn walk(&mut self) -> Result<(), String> {
        const BYTES_A_PATH: usize = 512;
        // Asked first: counting the paths once too often is what this is to prevent.
        self.charge(0)?;
        let names = |path: &str| path.bytes().filter(|byte| *byte == b'/').count() + 1;
        let root = WorkPath::root();
        let paths = self.workspace.paths().chain(self.workspace.folders_below(&root));
        let bytes = paths.map(|path| BYTES_A_PATH.max(path.len() * names(path))).sum();
        self.charge(bytes)
    }

    /// Runs a command by its name.
    pub(super) fn run(&mut self, args: &[String], io: &mut Io) -> i32 {
        let Some((name, args)) = args.split_first() else { return 0 };
        if let Err(message) = self.charge(io.input.as_ref().map_or(0, |input| input.len())) {
            return io.fail(2, format_args!("sh: {message}"));
        }
        match base_name(name) {
            "true" | ":" => 0,
            "false" => 1,
            "pwd" => {
                io.out.line(if self.cwd.is_root() {
                    "/workspace".to_owned()
                } else {
                    format!("/workspace/{}", self.cwd)
                });
                0
            }
            "cd" => self.change_folder(args, io),
            "xargs" => self.xargs(args, io),
            "echo" => text::echo(args, io),
            "printf" => text::printf(args, io),
            "cat" => text::cat(self, args, io),
            "head" => text::head(self, args, io),
            "tail" => text::tail(self, args, io),
            "wc" => text::wc(self, args, io),
            "sort" => text::sort(self, args, io),
            "uniq" => text::uniq(self, args, io),
            "sha256sum" => text::sha256sum(self, args, io),
            "tee" => files::tee(self, args, io),
            "ls" => find::ls(self, args, io),
            "find" => find::find(self, args, io),
            "test" | "[" => find::test(self, args, io),
            "grep" => grep::grep(self, args, io, grep::Flavour::Grep),
            "egrep" => grep::grep(self, args, io, grep::Flavour::Egrep),
            "fgrep" => grep::grep(self, args, io, grep::Flavour::Fgrep),
            "rg" => grep::grep(self, args, io, grep::Flavour::Rg),
            "sed" => sed::sed(self, args, io),
            "rm" => files::rm(self, args, io),
            "mv" => files::mv(self, args, io),
            "cp" => files::cp(self, args, io),
            "mkdir" => files::mkdir(self, args, io),
            "touch" => files::touch(self, args, io),
            "git" => git::git(self, args, io),
            _ => io.fail(127, format_args!("command not available here: {}", super::excerpt(name))),
        }
    }

    fn change_folder(&mut self, args: &[String], io: &mut Io) -> i32 {
        match self.path(args.first().map_or("/", String::as_str)) {
            Ok(path) if self.workspace.is_folder(&path) => {
                self.cwd = path;
                0
            }
            Ok(path) => io.fail(1, format_args!("sh: cd: {path}: No such file or directory")),
            Err(error) => io.fail(1, format_args!("sh: cd: {error}")),
        }
    }

    fn xargs(&mut self, args: &[String], io: &mut Io) -> i32 {
        let skip = args
            .iter()
            .take_while(|arg| matches!(arg.as_str(), "-0" | "-r" | "--null" | "--no-run-if-empty"))
            .count();
        let mut command = args[skip..].to_vec();
        // It would call itself once a word.
        if command.first().is_none_or(|name| name.starts_with('-') || base_name(name) == "xargs") {
            return io.fail(1, "xargs: this use is not available here");
        }
        let input = io.input.take().unwrap_or_default();
        let input = String::from_utf8_lossy(&input);
        let more: Vec<String> = input
            .split(|c: char| c.is_whitespace() || c == '\0')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        if more.is_empty() && skip > 0 {
            return 0;
        }
        command.extend(more);
        self.run(&command, io)
    }
}

/// The commands, for asking before anything is opened.
const COMMANDS: [&str; 32] = [
    "true",
    ":",
    "false",
    "pwd",
    "cd",
    "xargs",
    "echo",
    "printf",
    "cat",
    "head",
    "tail",
    "wc",
    "sort",
    "uniq",
    "sha256sum",
    "tee",
    "ls",
    "find",
    "test",
    "[",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "sed",
    "rm",
    "mv",
    "cp",
    "mkdir",
    "touch",
    "git",
    "",
];

fn is_known(name: &str) -> bool {
    COMMANDS.contains(&base_name(name))
}

/// `/bin/cat` is `cat`.
fn base_name(name: &str) -> &str {
    ["/usr/bin/", "/bin/"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}
