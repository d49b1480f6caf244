//! Released definitions are immutable, and so is what they say of their controls.

use std::path::Path;

use checkers::{Library, lock};

#[test]
fn shipped_checkers_are_as_they_were_released() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("checkers.lock");
    let locked = lock::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let failures = lock::compare(&locked, Library::shipped().unwrap().iter());
    let text: Vec<String> = failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "\n{}", text.join("\n"));
}
