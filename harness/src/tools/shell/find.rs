//! Commands that look at names: `ls`, `find`, `test`.

use std::collections::BTreeSet;

use globset::GlobMatcher;

use super::exec::{Io, Shell};
use super::options::{Options, Spec};
use super::word::{BYTES_A_MATCH, wildcard};
use crate::workspace::WorkPath;

/// Files and folders below a folder, relative to it, in byte order.
fn entries(sh: &Shell<'_>, folder: &WorkPath) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let folders = sh.workspace.folders_below(folder);
    for path in sh.workspace.paths_below(folder).chain(folders) {
        let inner = folder.below(path).unwrap_or(path);
        out.extend(inner.match_indices('/').map(|(at, _)| inner[..at].to_owned()));
        out.insert(inner.to_owned());
    }
    out
}

fn below(folder: &WorkPath, inner: &str) -> Option<WorkPath> {
    WorkPath::parse(&format!("{}/{inner}", folder.as_str())).ok()
}

pub(super) fn ls(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "laARd1hFtrpS", values: "", long: &[("all", 'a'), ("recursive", 'R')] };
    let mut options = match Options::parse(args, SPEC) {
        Ok(options) => options,
        Err(error) => return io.fail(2, format_args!("ls: {error}")),
    };
    if options.rest.is_empty() {
        options.rest.push(".".to_owned());
    }
    let mut status = 0;
    let titled = options.rest.len() > 1 || options.has('R');
    for (n, name) in options.rest.iter().enumerate() {
        let path = sh.walk().and_then(|()| sh.path(name));
        match path {
            Ok(path) if sh.workspace.is_file(&path) || options.has('d') && sh.workspace.is_folder(&path) => {
                row(sh, &options, &path, name, io);
            }
            Ok(path) if sh.workspace.is_folder(&path) => {
                let all = entries(sh, &path);
                let mut folders = vec![(name.clone(), String::new())];
                if options.has('R') {
                    let inner = all.iter().filter(|inner| {
                        below(&path, inner).is_some_and(|folder| sh.workspace.is_folder(&folder))
                    });
                    folders.extend(inner.map(|inner| (format!("{name}/{inner}"), format!("{inner}/"))));
                }
                for (at, (title, prefix)) in folders.iter().enumerate() {
                    if titled {
                        io.out.push(format!("{}{title}:\n", if n + at > 0 { "\n" } else { "" }));
                    }
                    list(sh, &options, &path, (&all, prefix), io);
                    if io.out.is_full() {
                        break;
                    }
                }
            }
            Ok(_) => {
                status = io.fail(2, format_args!("ls: cannot access '{name}': No such file or directory"));
            }
            Err(error) => status = io.fail(2, format_args!("ls: {error}")),
        }
    }
    status
}

/// Lists what of `all`, the entries below `root`, stands right behind `prefix`.
fn list(
    sh: &Shell<'_>,
    options: &Options,
    root: &WorkPath,
    (all, prefix): (&BTreeSet<String>, &String),
    io: &mut Io,
) {
    let inside = all.range(prefix.clone()..).map_while(|entry| Some((entry, entry.strip_prefix(prefix)?)));
    for (entry, name) in inside.filter(|(_, name)| !name.contains('/')) {
        let hidden = name.starts_with('.') && !options.has('a') && !options.has('A');
        if let Some(path) = below(root, entry).filter(|_| !hidden) {
            row(sh, options, &path, name, io);
        }
    }
}

fn row(sh: &Shell<'_>, options: &Options, path: &WorkPath, name: &str, io: &mut Io) {
    let content = sh.workspace.get(path.as_str());
    let mark = if content.is_none() && (options.has('F') || options.has('p')) { "/" } else { "" };
    if options.has('l') {
        let (mode, size) = content.map_or(("drwxr-xr-x", 4096), |content| ("-rw-r--r--", content.len()));
        io.out.line(format!("{mode} 1 user user {size:>8} Jan  1 00:00 {name}{mark}"));
    } else {
        io.out.line(format!("{name}{mark}"));
    }
}

#[derive(Debug)]
enum Test {
    Name(GlobMatcher, bool),
    Path(GlobMatcher),
    File,
    Folder,
    Empty,
}

#[derive(Debug, Default)]
struct Query {
    roots: Vec<String>,
    /// Alternatives of conditions, each with whether it is turned round.
    any: Vec<Vec<(bool, Test)>>,
    least: usize,
    most: Option<usize>,
    zero: bool,
}

pub(super) fn find(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    let query = match query(sh, args) {
        Ok(query) => query,
        Err(error) => return io.fail(1, format_args!("find: {error}")),
    };
    let mut status = 0;
    for root in &query.roots {
        let path = match sh.walk().and_then(|()| sh.path(root)) {
            Ok(path) if sh.workspace.is_folder(&path) || sh.workspace.is_file(&path) => path,
            Ok(_) => {
                status = io.fail(1, format_args!("find: '{root}': No such file or directory"));
                continue;
            }
            Err(error) => {
                status = io.fail(1, format_args!("find: {error}"));
                continue;
            }
        };
        let mut all = vec![(0, root.clone(), path.clone())];
        for inner in entries(sh, &path) {
            if let Some(path) = below(&path, &inner) {
                all.push((
                    inner.matches('/').count() + 1,
                    format!("{}/{inner}", root.trim_end_matches('/')),
                    path,
                ));
            }
        }
        let tests: usize = query.any.iter().map(Vec::len).sum();
        if let Err(error) = sh.charge(all.len() * tests * BYTES_A_MATCH) {
            status = io.fail(1, format_args!("find: {error}"));
            break;
        }
        for (depth, shown, path) in all {
            let fits = query
                .any
                .iter()
                .any(|tests| tests.iter().all(|(turned, test)| holds(sh, test, &shown, &path) != *turned));
            if fits && depth >= query.least && query.most.is_none_or(|most| depth <= most) {
                io.out.push(shown);
                io.out.push(if query.zero { b"\0" } else { b"\n" });
            }
        }
    }
    status
}

fn query(sh: &mut Shell<'_>, args: &[String]) -> Result<Query, String> {
    let mut out = Query { any: vec![Vec::new()], ..Query::default() };
    let mut turned = false;
    let mut args = args.iter().peekable();
    while let Some(root) = args.next_if(|arg| !arg.starts_with('-') && *arg != "!" && *arg != "(") {
        out.roots.push(root.clone());
    }
    if out.roots.is_empty() {
        out.roots.push(".".to_owned());
    }
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        let mut glob = |text: &str| {
            sh.charge_glob(text)?;
            wildcard(text).ok_or_else(|| format!("not a pattern: {text}"))
        };
        let test = match arg.as_str() {
            "-name" => Test::Name(glob(value()?)?, false),
            "-iname" => Test::Name(glob(&value()?.to_lowercase())?, true),
            "-path" | "-wholename" => Test::Path(glob(value()?)?),
            "-type" => match value()?.as_str() {
                "f" => Test::File,
                "d" => Test::Folder,
                other => return Err(format!("type not available here: {other}")),
            },
            "-empty" => Test::Empty,
            "-maxdepth" | "-mindepth" => {
                let number = value()?.parse().map_err(|_| format!("{arg} needs a number"))?;
                if arg == "-maxdepth" {
                    out.most = Some(number);
                } else {
                    out.least = number;
                }
                continue;
            }
            "!" | "-not" => {
                turned = !turned;
                continue;
            }
            "-o" | "-or" => {
                out.any.push(Vec::new());
                continue;
            }
            "-a" | "-and" | "-print" => continue,
            "-print0" => {
                out.zero = true;
                continue;
            }
            other => return Err(format!("not available here: {other}")),
        };
        if let Some(tests) = out.any.last_mut() {
            tests.push((std::mem::take(&mut turned), test));
        }
    }
    Ok(out)
}

fn holds(sh: &Shell<'_>, test: &Test, shown: &str, path: &WorkPath) -> bool {
    let name = if path.is_root() { shown } else { path.name() };
    match test {
        Test::Name(glob, false) => glob.is_match(name),
        Test::Name(glob, true) => glob.is_match(name.to_lowercase()),
        Test::Path(glob) => glob.is_match(shown),
        Test::File => sh.workspace.is_file(path),
        Test::Folder => !sh.workspace.is_file(path),
        Test::Empty => match sh.workspace.get(path.as_str()) {
            Some(content) => content.is_empty(),
            None => sh.workspace.paths_below(path).next().is_none(),
        },
    }
}

pub(super) fn test(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "]").collect();
    let (turned, args) = if args.first() == Some(&"!") { (true, &args[1..]) } else { (false, &args[..]) };
    let path = |name: &str| sh.path(name).unwrap_or_else(|_| WorkPath::root());
    let holds = match args {
        ["-f", name] => sh.workspace.is_file(&path(name)),
        ["-d", name] => sh.workspace.is_folder(&path(name)),
        ["-e" | "-r", name] => sh.workspace.is_file(&path(name)) || sh.workspace.is_folder(&path(name)),
        ["-s", name] => sh.workspace.get(path(name).as_str()).is_some_and(|content| !content.is_empty()),
        ["-z", text] => text.is_empty(),
        ["-n", text] | [text] => !text.is_empty(),
        [a, "=" | "==", b] => a == b,
        [a, "!=", b] => a != b,
        _ => return io.fail(2, "test: this test is not available here"),
    };
    i32::from(holds == turned)
}
