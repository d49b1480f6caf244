//! Commands that change files: `rm`, `mv`, `cp`, `mkdir`, `touch`, `tee`.

use super::exec::{Io, Shell};
use super::options::{Options, Spec};
use crate::workspace::WorkPath;

type Outcome = Result<(), String>;

fn run(
    name: &str,
    args: &[String],
    spec: Spec,
    io: &mut Io,
    act: impl FnOnce(&Options, &mut Io) -> Outcome,
) -> i32 {
    let result = Options::parse(args, spec).and_then(|options| act(&options, io));
    match result {
        Ok(()) => 0,
        Err(error) => io.fail(1, format_args!("{name}: {error}")),
    }
}

pub(super) fn rm(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "rRfvd", values: "", long: &[("recursive", 'r'), ("force", 'f')] };
    run("rm", args, SPEC, io, |options, _| {
        if options.rest.is_empty() && !options.has('f') {
            return Err("no file is named".to_owned());
        }
        for name in &options.rest {
            let path = sh.path(name)?;
            if sh.workspace.is_file(&path) {
                sh.workspace.delete(&path).map_err(|error| error.to_string())?;
            } else if !sh.workspace.is_folder(&path) {
                if !options.has('f') {
                    return Err(format!("cannot remove '{name}': No such file or directory"));
                }
            } else if path.is_root() {
                return Err("refusing to remove the workspace itself".to_owned());
            } else if options.has('r') || options.has('R') {
                remove_tree(sh, &path)?;
            } else {
                return Err(format!("cannot remove '{name}': Is a directory"));
            }
        }
        Ok(())
    })
}

fn remove_tree(sh: &mut Shell<'_>, folder: &WorkPath) -> Outcome {
    for path in owned_paths(sh, folder)? {
        sh.workspace.delete(&path).map_err(|error| error.to_string())?;
    }
    sh.workspace.forget_folders(folder);
    Ok(())
}

fn owned_paths(sh: &Shell<'_>, folder: &WorkPath) -> Result<Vec<WorkPath>, String> {
    sh.workspace
        .paths_below(folder)
        .map(|path| WorkPath::parse(path).map_err(|error| error.to_string()))
        .collect()
}

pub(super) fn mv(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "fnv", values: "", long: &[("force", 'f')] };
    run("mv", args, SPEC, io, |options, _| transfer(sh, options, true))
}

pub(super) fn cp(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec =
        Spec { flags: "rRafpvn", values: "", long: &[("recursive", 'r'), ("archive", 'a'), ("force", 'f')] };
    run("cp", args, SPEC, io, |options, _| transfer(sh, options, false))
}

/// Copies, or moves, each source to the last argument.
fn transfer(sh: &mut Shell<'_>, options: &Options, moves: bool) -> Outcome {
    let Some((target_name, sources)) = options.rest.split_last().filter(|(_, sources)| !sources.is_empty())
    else {
        return Err("a source and a target are needed".to_owned());
    };
    let target = sh.path(target_name)?;
    let into_folder = sh.workspace.is_folder(&target);
    if !into_folder && (sources.len() > 1 || target_name.ends_with('/')) {
        return Err(format!("target '{target_name}' is not a directory"));
    }
    for name in sources {
        let source = sh.path(name)?;
        let to = if into_folder { join(&target, source.name())? } else { target.clone() };
        if to == source || source.below(to.as_str()).is_some() {
            return Err(format!("'{name}' and its target overlap"));
        }
        if options.has('n') && sh.workspace.is_file(&to) {
            continue;
        }
        if sh.workspace.is_file(&source) {
            transfer_file(sh, &source, &to, moves)?;
        } else if !sh.workspace.is_folder(&source) {
            return Err(format!("cannot stat '{name}': No such file or directory"));
        } else if !(moves || options.has('r') || options.has('R') || options.has('a')) {
            return Err(format!("-r not specified; omitting directory '{name}'"));
        } else {
            for path in owned_paths(sh, &source)? {
                let inner = source.below(path.as_str()).unwrap_or_default().to_owned();
                transfer_file(sh, &path, &join(&to, &inner)?, moves)?;
            }
            if moves {
                sh.workspace.forget_folders(&source);
            }
            sh.workspace.make_folder(&to).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

fn join(folder: &WorkPath, inner: &str) -> Result<WorkPath, String> {
    WorkPath::parse(&format!("{}/{inner}", folder.as_str())).map_err(|error| error.to_string())
}

fn transfer_file(sh: &mut Shell<'_>, from: &WorkPath, to: &WorkPath, moves: bool) -> Outcome {
    let content = sh.read_at(from, from.as_str())?;
    sh.workspace.write(to, content).map_err(|error| error.to_string())?;
    if moves {
        sh.workspace.delete(from).map_err(|error| error.to_string())?;
    }
    Ok(())
}

pub(super) fn mkdir(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "pv", values: "", long: &[("parents", 'p')] };
    run("mkdir", args, SPEC, io, |options, _| {
        for name in &options.rest {
            let path = sh.path(name)?;
            if sh.workspace.is_folder(&path) && !options.has('p') {
                return Err(format!("cannot create directory '{name}': File exists"));
            }
            let has_parent = path.ancestors().next().is_none_or(|parent| {
                WorkPath::parse(parent).is_ok_and(|parent| sh.workspace.is_folder(&parent))
            });
            if !has_parent && !options.has('p') {
                return Err(format!("cannot create directory '{name}': No such file or directory"));
            }
            sh.workspace.make_folder(&path).map_err(|error| error.to_string())?;
        }
        Ok(())
    })
}

pub(super) fn touch(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "c", values: "", long: &[] };
    run("touch", args, SPEC, io, |options, _| {
        for name in &options.rest {
            let path = sh.path(name)?;
            let is_there = sh.workspace.is_file(&path) || sh.workspace.is_folder(&path);
            if !is_there && !options.has('c') {
                sh.workspace.write(&path, *b"").map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    })
}

pub(super) fn tee(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "a", values: "", long: &[("append", 'a')] };
    run("tee", args, SPEC, io, |options, io| {
        let input = io.input.take().unwrap_or_default();
        io.out.push(&input);
        for name in &options.rest {
            if matches!(name.as_str(), "/dev/null" | "/dev/stderr" | "/dev/tty") {
                continue;
            }
            let path = sh.path(name)?;
            sh.charge(input.len())?;
            let mut content = Vec::new();
            if options.has('a') && sh.workspace.is_file(&path) {
                content.extend_from_slice(&sh.read_at(&path, name)?);
            }
            content.extend_from_slice(&input);
            sh.workspace.write(&path, content).map_err(|error| error.to_string())?;
        }
        Ok(())
    })
}
