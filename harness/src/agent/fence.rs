//! What a program may reach: its own folders to write, the system's and its own to read, its endpoint's relay to
//! connect to. Enforced by the process itself before it starts the program, so that everything below inherits it.
//!
//! The platform decides how much of it can be had: Linux has landlock, in several stages, and elsewhere there is
//! nothing yet. So what was enforced and what was not is part of the record.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What is to be reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// Folders in which everything may be done.
    pub write: Vec<PathBuf>,
    /// Files and folders that may be read and run, besides the system's.
    pub read: Vec<PathBuf>,
    /// TCP ports that may be connected to.
    pub ports: Vec<u16>,
}

/// What came of it, in words for the record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fenced {
    /// What the program could not do.
    pub fenced: Vec<String>,
    /// What it could have done all the same.
    pub open: Vec<String>,
}

impl Fenced {
    /// Whether files outside its folders were out of the program's reach.
    #[must_use]
    pub fn holds_files(&self) -> bool {
        self.fenced.iter().any(|what| what == FILES)
    }
}

const FILES: &str = "files: writes only in its workspace, HOME and temporary folder; reads only there, in the system's \
                     folders and its own";
const CONNECT: &str = "TCP: connects only to the port of its endpoint's relay, listens nowhere";
const NO_CONNECT: &str = "TCP: connects nowhere, listens nowhere";
const OUTSIDE: &str = "signals and abstract sockets: none to processes outside";
const FILE_SIZE: &str = "files of at most 256 MiB";
const UDP: &str = "UDP and other protocols than TCP";
const SOCKETS: &str = "sockets in the file system";
const HOSTS: &str = "the relay's port on other hosts";

/// The system's places that programs read, as far as they are there. No home folder is among them.
#[cfg(target_os = "linux")]
const SYSTEM: [&str; 42] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/nix/store",
    "/proc",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/profile",
    "/etc/profile.d",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl",
    "/etc/terminfo",
];

/// Devices that may be read and written.
#[cfg(target_os = "linux")]
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/tty",
];

/// The largest file that may be written.
#[cfg(unix)]
const LARGEST_FILE: u64 = 256 << 20;

/// Fences this process in, and with it everything it starts from now on. There is no way back.
///
/// # Errors
/// When the platform can fence but refused to: the program must not be started then.
pub fn enforce(fence: &Fence) -> Result<Fenced, String> {
    let mut fenced = Fenced::default();
    limits(&mut fenced);
    restrict(fence, &mut fenced)?;
    Ok(fenced)
}

#[cfg(unix)]
fn limits(fenced: &mut Fenced) {
    use rustix::process::{Resource, Rlimit, setrlimit};

    // A dump could be larger than everything else, and would hold what the program had in memory.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let size = Rlimit { current: Some(LARGEST_FILE), maximum: Some(LARGEST_FILE) };
    match setrlimit(Resource::Fsize, size) {
        Ok(()) => fenced.fenced.push(FILE_SIZE.to_owned()),
        Err(_) => fenced.open.push("files of any size".to_owned()),
    }
}

#[cfg(not(unix))]
fn limits(fenced: &mut Fenced) {
    fenced.open.push("files of any size".to_owned());
}

#[cfg(not(target_os = "linux"))]
fn restrict(_fence: &Fence, fenced: &mut Fenced) -> Result<(), String> {
    nothing(fenced, "this platform has no landlock");
    Ok(())
}

#[cfg(target_os = "linux")]
fn restrict(fence: &Fence, fenced: &mut Fenced) -> Result<(), String> {
    use landlock::{ABI, LandlockStatus, RulesetStatus};

    let failed = |error: &dyn std::error::Error| format!("the program cannot be fenced in: {error}");
    let status = ruleset(fence).map_err(|error| failed(&error))?;
    let abi = match (&status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _)
        | (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => {
            nothing(fenced, "this kernel has no landlock");
            return Ok(());
        }
        (_, LandlockStatus::Available { effective_abi, .. }) => effective_abi,
    };
    fenced.fenced.push(FILES.to_owned());
    let connect = if fence.ports.is_empty() { NO_CONNECT } else { CONNECT };
    let parts = [(ABI::V4, connect), (ABI::V6, OUTSIDE)];
    for (since, what) in parts {
        let kept = abi >= since;
        let (list, text) = if kept {
            (&mut fenced.fenced, what.to_owned())
        } else {
            (&mut fenced.open, format!("{} (this kernel cannot)", what.split(':').next().unwrap_or_default()))
        };
        list.push(text);
    }
    if !fence.ports.is_empty() {
        fenced.open.push(HOSTS.to_owned());
    }
    fenced.open.extend([UDP, SOCKETS].map(str::to_owned));
    Ok(())
}

#[cfg(target_os = "linux")]
fn ruleset(fence: &Fence) -> Result<landlock::RestrictionStatus, landlock::RulesetError> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, NetPort, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
        path_beneath_rules,
    };

    let abi = ABI::V6;
    let everything = AccessFs::from_all(abi);
    let reading = AccessFs::from_read(abi);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::ReadDir | AccessFs::IoctlDev;
    let connect = |port: &u16| Ok::<_, landlock::RulesetError>(NetPort::new(*port, AccessNet::ConnectTcp));
    // Places that are not there are left out, and what the kernel does not know is not enforced.
    Ruleset::default()
        .handle_access(everything)?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, reading))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(path_beneath_rules(&fence.read, reading))?
        .add_rules(path_beneath_rules(&fence.write, everything))?
        .add_rules(fence.ports.iter().map(connect))?
        .restrict_self()
}

fn nothing(fenced: &mut Fenced, why: &str) {
    fenced.open.push(format!("files, TCP, signals: {why}"));
    fenced.open.extend([UDP, SOCKETS].map(str::to_owned));
}

// What is fenced is tried end to end, in tests/agents.rs: a process that has fenced itself in tests nothing more.
