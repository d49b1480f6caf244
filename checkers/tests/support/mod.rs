//! Keeps what the documents say of this crate in step with what it does.

use std::path::Path;
use std::{env, fs};

/// Checks that the part of `docs/<file>` between `<!-- <part> -->` and `<!-- end of <part> -->` is `text`, or makes it
/// so when `UPDATE_DOCS` is set.
pub fn keep_in_step(file: &str, part: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(file);
    let document = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (opens, closes) = (format!("<!-- {part} -->\n"), format!("<!-- end of {part} -->\n"));
    let from = document.find(&opens).unwrap_or_else(|| panic!("docs/{file} has no `{opens}`")) + opens.len();
    let to = document[from..].find(&closes).unwrap_or_else(|| panic!("docs/{file} has no `{closes}`")) + from;
    if document[from..to] == *text {
        return;
    }
    if env::var_os("UPDATE_DOCS").is_some() {
        let updated = [&document[..from], text, &document[to..]].concat();
        fs::write(&path, updated).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let differs = document[from..to].lines().zip(text.lines()).find(|(is, wanted)| is != wanted);
    let (is, wanted) = differs.unwrap_or(("the end of one of the two", "and the other goes on"));
    panic!(
        "docs/{file}, {part}, is out of step:\n  it says  {is}\n  it is    {wanted}\n\
         run the test with UPDATE_DOCS=1 and look at what changed"
    );
}
