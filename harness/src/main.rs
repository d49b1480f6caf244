//! The binary `assize`: arguments in, exit code out. Everything it decides is decided in the library crates.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main().into()
}
