use super::*;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("inputs/cases")).unwrap();
    for (path, text) in
        [("plan.json", "{}\n".to_owned()), ("inputs/cases/a", String::new()), ("b", "x".repeat(70_000))]
    {
        fs::write(folder.path().join(path), text).unwrap();
    }
    fs::write(folder.path().join("inputs").join("n".repeat(150)), "a long name").unwrap();
    folder
}

fn contents(folder: &Path) -> Vec<(String, Vec<u8>, bool)> {
    let listing = evidence::list(folder).unwrap();
    let read = |file: FileEntry| (file.path, fs::read(file.place).unwrap(), file.executable);
    listing.files.into_iter().map(read).collect()
}

fn packed(folder: &Path) -> (TempDir, PathBuf) {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("r.tar.zst");
    pack(folder, &path).unwrap();
    (out, path)
}

/// Why an archive made by hand is refused.
fn refused(make: impl FnOnce(&mut tar::Builder<Vec<u8>>)) -> String {
    let mut builder = tar::Builder::new(Vec::new());
    make(&mut builder);
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("r.tar.zst");
    compress(builder.into_inner().unwrap().as_slice(), File::create(&path).unwrap()).unwrap();
    unpack(&path).unwrap_err().to_string()
}

fn entry(builder: &mut tar::Builder<Vec<u8>>, path: &str, change: impl FnOnce(&mut tar::Header)) {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(1);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    // Past the builder, which refuses such paths itself.
    header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
    change(&mut header);
    header.set_cksum();
    builder.append(&header, &b"x"[..]).unwrap();
}

#[test]
fn a_folder_comes_back_as_it_was_and_packs_to_the_same_bytes() {
    let one = folder();
    let (_keep, first) = packed(one.path());
    let again = unpack(&first).unwrap();
    assert_eq!(contents(again.path()), contents(one.path()));
    let (_keep, second) = packed(again.path());
    assert_eq!(fs::read(&first).unwrap(), fs::read(second).unwrap());
    assert!(is_pack(&first) && !is_pack(one.path()) && !is_pack(&one.path().join("plan.json")));
}

#[test]
fn hostile_archives_are_refused() {
    let plain = |_: &mut tar::Header| {};
    for path in ["../a", "run/../a", "/etc/a", "run//a", "run/./a", "other/a", "run/a\\b", "run/"] {
        let error = refused(|builder| entry(builder, path, plain));
        assert!(
            error.contains("path") || error.contains("lie under") || error.contains("regular"),
            "{path}: {error}"
        );
    }
    let error = refused(|builder| {
        entry(builder, "run/a", plain);
        entry(builder, "run/a", plain);
    });
    assert!(error.contains("stands twice"), "{error}");
    for kind in
        [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Directory, tar::EntryType::Fifo]
    {
        let error = refused(|builder| entry(builder, "run/a", |header| header.set_entry_type(kind)));
        assert!(error.contains("no regular file"), "{kind:?}: {error}");
    }
    for change in [
        |header: &mut tar::Header| header.set_mtime(1),
        |header: &mut tar::Header| header.set_uid(1000),
        |header: &mut tar::Header| header.set_mode(0o4755),
    ] {
        let error = refused(|builder| entry(builder, "run/a", change));
        assert!(error.contains("gives another archive"), "{error}");
    }
}

#[test]
fn every_cut_and_whatever_follows_is_refused() {
    let (_keep, path) = packed(folder().path());
    let whole = fs::read(&path).unwrap();
    for cut in (0..whole.len()).step_by(7) {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(unpack(&path).is_err(), "cut at {cut} of {}", whole.len());
    }
    fs::write(&path, [whole.as_slice(), b"x"].concat()).unwrap();
    assert!(unpack(&path).unwrap_err().to_string().contains("follows"));
}

#[cfg(unix)]
#[test]
fn links_are_not_packed() {
    let folder = folder();
    std::os::unix::fs::symlink("plan.json", folder.path().join("link")).unwrap();
    let error = pack(folder.path(), &folder.path().join("x")).unwrap_err().to_string();
    assert!(error.contains("symbolic link"), "{error}");
}

/// An entry of this kind whose content is as long as it says: nothing compresses to next to nothing.
fn long_entry(builder: &mut tar::Builder<Vec<u8>>, kind: tar::EntryType, size: u64) {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.as_gnu_mut().unwrap().name[..13].copy_from_slice(b"././@LongLink");
    header.set_cksum();
    builder.append(&header, io::repeat(b'a').take(size)).unwrap();
}

/// A small pack must not fill the memory of whoever looks at it.
#[test]
fn names_are_not_read_beyond_what_a_name_can_be() {
    let long = refused(|builder| long_entry(builder, tar::EntryType::GNULongName, 8 << 20));
    assert!(long.contains("a path in it has 8388608 bytes"), "{long}");
    for kind in [tar::EntryType::GNULongLink, tar::EntryType::XHeader, tar::EntryType::XGlobalHeader] {
        let error = refused(|builder| long_entry(builder, kind, 8 << 20));
        assert!(error.contains("`././@LongLink` is no regular file"), "{kind:?}: {error}");
    }
    // One name for another, and a name for nothing.
    let twice = refused(|builder| {
        long_entry(builder, tar::EntryType::GNULongName, 200);
        long_entry(builder, tar::EntryType::GNULongName, 200);
    });
    assert!(twice.contains("no regular file"), "{twice}");
    let dangling = refused(|builder| long_entry(builder, tar::EntryType::GNULongName, 200));
    assert!(dangling.contains("gives another archive"), "{dangling}");
}

#[test]
fn a_file_that_changes_while_it_is_packed_is_an_error() {
    for (size, content) in [(3, "abcd"), (3, "ab")] {
        let file = FileEntry { path: "a".to_owned(), place: PathBuf::new(), size, executable: false };
        let error = append(&mut tar::Builder::new(Vec::new()), &file, content.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("changed while it was packed"), "{content}: {error}");
    }
}

#[test]
fn a_run_under_way_is_not_packed() {
    let folder = folder();
    let (journal, _) = journal::Journal::open(&folder.path().join(TRANSCRIPTS), "start").unwrap();
    let to = folder.path().with_extension("tar.zst");
    let error = pack(folder.path(), &to).unwrap_err().to_string();
    assert!(error.contains("another assize is writing this run") && !to.exists(), "{error}");
    drop(journal);
    pack(folder.path(), &to).unwrap();
    fs::remove_file(to).unwrap();
}
