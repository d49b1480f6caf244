//! Commands that read text and write text.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::exec::{Io, Shell};
use super::options::{Options, Spec};

/// Files with the names they were asked for by.
pub(super) type Inputs = Vec<(String, Arc<[u8]>)>;

/// Reads the named files, or what is piped in when there are none; what cannot be read is reported and left out.
pub(super) fn inputs(sh: &mut Shell<'_>, command: &str, names: &[String], io: &mut Io) -> (Inputs, bool) {
    let piped = io.input.clone().unwrap_or_default();
    if names.is_empty() {
        // Charged already, when the command began.
        return (vec![("-".to_owned(), piped)], true);
    }
    let mut all_read = true;
    let mut out = Vec::new();
    for name in names {
        // What is piped in can be named any number of times, and each time it is read.
        let content =
            if name == "-" { sh.charge(piped.len()).map(|()| Arc::clone(&piped)) } else { sh.read(name) };
        match content {
            Ok(content) => out.push((name.clone(), content)),
            Err(error) => {
                all_read = false;
                io.err.line(format!("{command}: {error}"));
            }
        }
    }
    (out, all_read)
}

/// The lines of a stream, each with its line end.
pub(super) fn lines(content: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    content.split_inclusive(|byte| *byte == b'\n')
}

/// The lines of all `files`, without their ends. Of short lines the list is longer than the text, so it is charged too.
fn all_lines<'f>(sh: &mut Shell<'_>, files: &'f Inputs) -> Result<Vec<&'f [u8]>, String> {
    let all = || files.iter().flat_map(|(_, content)| lines(content));
    sh.charge(all().count() * size_of::<&[u8]>())?;
    Ok(all().collect())
}

pub(super) fn echo(args: &[String], io: &mut Io) -> i32 {
    let flags = args.iter().take_while(|arg| matches!(arg.as_str(), "-n" | "-e" | "-ne" | "-en")).count();
    let has = |letter| args[..flags].iter().any(|arg| arg.contains(letter));
    let text = args[flags..].join(" ");
    io.out.push(if has('e') { escapes(&text) } else { text });
    if !has('n') {
        io.out.push(b"\n");
    }
    0
}

pub(super) fn printf(args: &[String], io: &mut Io) -> i32 {
    let Some((format, args)) = args.split_first() else { return io.fail(2, "printf: missing format") };
    let format = escapes(format);
    let mut args = args.iter();
    loop {
        let before = args.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match (c, (c == '%').then(|| chars.next()).flatten()) {
                ('%', Some('s' | 'd' | 'i')) => io.out.push(args.next().map_or("", String::as_str)),
                ('%', Some('b')) => io.out.push(escapes(args.next().map_or("", String::as_str))),
                ('%', Some('%')) => io.out.push("%"),
                ('%', other) => {
                    let letter = other.map_or(String::new(), String::from);
                    return io.fail(1, format_args!("printf: format not available here: %{letter}"));
                }
                (c, _) => io.out.push(c.encode_utf8(&mut [0; 4])),
            }
        }
        if args.len() == 0 || args.len() == before || io.out.is_full() {
            return 0;
        }
    }
}

fn escapes(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, (c == '\\').then(|| chars.next()).flatten()) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('\\') | None) => out.push('\\'),
            ('\\', Some(other)) => out.extend(['\\', other]),
            (c, _) => out.push(c),
        }
    }
    out
}

pub(super) fn cat(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "nAev", values: "", long: &[("number", 'n')] };
    let options = match Options::parse(args, SPEC) {
        Ok(options) => options,
        Err(error) => return io.fail(1, format_args!("cat: {error}")),
    };
    let (files, all_read) = inputs(sh, "cat", &options.rest, io);
    let mut number = 0;
    for (_, content) in files {
        if !options.has('n') {
            io.out.push(&content);
            continue;
        }
        for line in lines(&content) {
            number += 1;
            io.out.push(format!("{number:>6}\t"));
            io.out.push(line);
        }
    }
    i32::from(!all_read)
}

const ENDS: Spec =
    Spec { flags: "qv", values: "nc", long: &[("lines", 'n'), ("bytes", 'c'), ("quiet", 'q')] };

/// `-20` as `-n 20`.
fn modern(args: &[String]) -> Vec<String> {
    let is_count = |arg: &str| {
        arg.len() > 1 && arg.starts_with('-') && arg[1..].bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut is_value = false;
    let mut out = Vec::new();
    for arg in args {
        out.push(if !is_value && is_count(arg) { format!("-n{}", &arg[1..]) } else { arg.clone() });
        is_value = matches!(arg.as_str(), "-n" | "-c" | "--lines" | "--bytes");
    }
    out
}

pub(super) fn head(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    ends(sh, "head", args, io, |content, count, by_lines| match (count.strip_prefix('-'), by_lines) {
        (Some(count), true) => {
            let keep = lines(content).count().saturating_sub(count.parse().ok()?);
            Some(lines(content).take(keep).map(<[u8]>::len).sum::<usize>()).map(|end| &content[..end])
        }
        (Some(count), false) => Some(&content[..content.len().saturating_sub(count.parse().ok()?)]),
        (None, true) => Some(&content[..lines(content).take(count.parse().ok()?).map(<[u8]>::len).sum()]),
        (None, false) => Some(&content[..content.len().min(count.parse().ok()?)]),
    })
}

pub(super) fn tail(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    ends(sh, "tail", args, io, |content, count, by_lines| {
        let number: usize = count.trim_start_matches(['+', '-']).parse().ok()?;
        let start = match (count.starts_with('+'), by_lines) {
            (true, true) => lines(content).take(number.saturating_sub(1)).map(<[u8]>::len).sum(),
            (true, false) => number.saturating_sub(1).min(content.len()),
            (false, true) => {
                content.len() - lines(content).rev().take(number).map(<[u8]>::len).sum::<usize>()
            }
            (false, false) => content.len().saturating_sub(number),
        };
        Some(&content[start..])
    })
}

fn ends(
    sh: &mut Shell<'_>,
    name: &str,
    args: &[String],
    io: &mut Io,
    part: impl for<'a> Fn(&'a [u8], &str, bool) -> Option<&'a [u8]>,
) -> i32 {
    let options = match Options::parse(&modern(args), ENDS) {
        Ok(options) => options,
        Err(error) => return io.fail(1, format_args!("{name}: {error}")),
    };
    let bytes = options.value('c');
    let count = bytes.or(options.value('n')).unwrap_or("10");
    let (files, all_read) = inputs(sh, name, &options.rest, io);
    let titled = (options.rest.len() > 1 || options.has('v')) && !options.has('q');
    for (n, (file, content)) in files.iter().enumerate() {
        let Some(part) = part(content, count, bytes.is_none()) else {
            return io.fail(1, format_args!("{name}: not a number: {count}"));
        };
        if titled {
            io.out.push(format!("{}==> {file} <==\n", if n > 0 { "\n" } else { "" }));
        }
        io.out.push(part);
    }
    i32::from(!all_read)
}

pub(super) fn wc(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec {
        flags: "lwcm",
        values: "",
        long: &[("lines", 'l'), ("words", 'w'), ("bytes", 'c'), ("chars", 'm')],
    };
    let options = match Options::parse(args, SPEC) {
        Ok(options) => options,
        Err(error) => return io.fail(1, format_args!("wc: {error}")),
    };
    let (files, all_read) = inputs(sh, "wc", &options.rest, io);
    let any = ['l', 'w', 'c', 'm'].iter().any(|letter| options.has(*letter));
    let wanted = |letter| options.has(letter) || !any && letter != 'm';
    let count = |content: &[u8]| {
        let text = String::from_utf8_lossy(content);
        let all = [
            ('l', content.iter().filter(|byte| **byte == b'\n').count()),
            ('w', text.split_whitespace().count()),
            ('m', text.chars().count()),
            ('c', content.len()),
        ];
        all.into_iter().filter(|(letter, _)| wanted(*letter)).map(|(_, number)| number).collect::<Vec<_>>()
    };
    let mut rows: Vec<(String, Vec<usize>)> =
        files.iter().map(|(name, content)| (name.clone(), count(content))).collect();
    if options.rest.len() > 1 {
        let columns = rows.first().map_or(0, |(_, row)| row.len());
        let total = (0..columns).map(|n| rows.iter().map(|(_, row)| row[n]).sum()).collect();
        rows.push(("total".to_owned(), total));
    }
    let is_bare = rows.len() == 1 && rows[0].1.len() == 1;
    let bytes: usize = files.iter().map(|(_, content)| content.len()).sum();
    let width = if is_bare {
        1
    } else if options.rest.is_empty() {
        7
    } else {
        bytes.to_string().len()
    };
    for (name, row) in rows {
        let mut line: Vec<String> = row.iter().map(|number| format!("{number:>width$}")).collect();
        if name != "-" {
            line.push(name);
        }
        io.out.line(line.join(" "));
    }
    i32::from(!all_read)
}

pub(super) fn sort(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "urnf", values: "", long: &[("unique", 'u'), ("reverse", 'r')] };
    let options = match Options::parse(args, SPEC) {
        Ok(options) => options,
        Err(error) => return io.fail(2, format_args!("sort: {error}")),
    };
    let (files, all_read) = inputs(sh, "sort", &options.rest, io);
    let mut all = match all_lines(sh, &files) {
        Ok(all) => all,
        Err(error) => return io.fail(2, format_args!("sort: {error}")),
    };
    for line in &mut all {
        *line = line.strip_suffix(b"\n").unwrap_or(line);
    }
    let number = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start();
        let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '.'))).unwrap_or(text.len());
        text[..end].parse::<f64>().unwrap_or(0.0)
    };
    if options.has('n') {
        all.sort_by(|a, b| number(a).total_cmp(&number(b)).then_with(|| a.cmp(b)));
    } else if options.has('f') {
        all.sort_by_key(|line| (line.to_ascii_lowercase(), line.to_vec()));
    } else {
        all.sort_unstable();
    }
    if options.has('u') {
        all.dedup();
    }
    if options.has('r') {
        all.reverse();
    }
    for line in all {
        io.out.line(line);
    }
    if all_read { 0 } else { 2 }
}

pub(super) fn uniq(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    const SPEC: Spec = Spec { flags: "cd", values: "", long: &[("count", 'c')] };
    let options = match Options::parse(args, SPEC) {
        Ok(options) => options,
        Err(error) => return io.fail(1, format_args!("uniq: {error}")),
    };
    let (files, all_read) = inputs(sh, "uniq", &options.rest, io);
    let all = match all_lines(sh, &files) {
        Ok(all) => all,
        Err(error) => return io.fail(1, format_args!("uniq: {error}")),
    };
    for same in all.chunk_by(|a, b| a == b) {
        if options.has('d') && same.len() == 1 {
            continue;
        }
        if options.has('c') {
            io.out.push(format!("{:>7} ", same.len()));
        }
        io.out.push(same[0]);
    }
    i32::from(!all_read)
}

pub(super) fn sha256sum(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    if let Some(option) = args.iter().find(|arg| arg.len() > 1 && arg.starts_with('-')) {
        return io.fail(1, format_args!("sha256sum: option not available here: {option}"));
    }
    let (files, all_read) = inputs(sh, "sha256sum", args, io);
    for (name, content) in files {
        io.out.line(format!("{}  {name}", hex(&Sha256::digest(&content))));
    }
    i32::from(!all_read)
}

/// Bytes in lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
