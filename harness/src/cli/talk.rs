//! How much a command says on stderr, the same for all that play or judge.

/// How much is said on stderr.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Talk {
    /// Say nothing on stderr but what is wrong
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more: also of what is as it should be
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// The form of a command's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Text,
    /// JSON for programs
    Json,
}
