//! Lists the shipped checker definitions, so that adding one is adding its files and nothing else.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("definitions");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut entries = Vec::new();
    for folder in fs::read_dir(&root)? {
        let folder = folder?.path();
        if !folder.is_dir() {
            continue;
        }
        println!("cargo::rerun-if-changed={}", folder.display());
        for file in fs::read_dir(&folder)? {
            let file = file?.path();
            if file.extension().is_some_and(|e| e == "yaml") {
                entries.push((file.clone(), file.with_extension("controls.jsonl")));
            }
        }
    }
    entries.sort();
    let mut code = String::from("&[\n");
    for (definition, controls) in entries {
        let name = definition.strip_prefix(&root).map_err(io::Error::other)?;
        code += &format!(
            "    ({:?}, include_str!({definition:?}), include_str!({controls:?})),\n",
            Path::new("definitions").join(name)
        );
    }
    code += "]\n";
    fs::write(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("shipped.rs"), code)
}
