use std::collections::BTreeMap;

use proptest::prelude::*;
use transcript::Change;

use super::*;

fn base(files: &[(&str, &str)]) -> Arc<Tree> {
    Arc::new(files.iter().map(|(path, text)| ((*path).to_owned(), Arc::from(text.as_bytes()))).collect())
}

fn at(path: &str) -> WorkPath {
    WorkPath::parse(path).unwrap()
}

#[test]
fn two_views_of_one_base_do_not_see_each_other() {
    let base = base(&[("a", "1")]);
    let (mut one, two) = (Workspace::new(Arc::clone(&base)), Workspace::new(Arc::clone(&base)));
    one.write(&at("a"), *b"2").unwrap();
    one.write(&at("b/c"), *b"3").unwrap();
    assert_eq!(one.paths().collect::<Vec<_>>(), ["a", "b/c"]);
    assert_eq!(two.paths().collect::<Vec<_>>(), ["a"]);
    assert_eq!(&**two.read(&at("a")).unwrap(), b"1");
    assert_eq!(&*base["a"], b"1");
}

#[test]
fn files_and_folders_do_not_take_each_others_place() {
    let mut workspace = Workspace::new(base(&[("a/b", "1")]));
    assert_eq!(workspace.write(&at("a"), *b""), Err(WorkspaceError::IsFolder(at("a"))));
    assert_eq!(workspace.write(&at("a/b/c"), *b""), Err(WorkspaceError::IsFile(at("a/b"))));
    assert_eq!(workspace.write(&WorkPath::root(), *b""), Err(WorkspaceError::IsFolder(WorkPath::root())));
    assert_eq!(workspace.read(&at("a")), Err(WorkspaceError::IsFolder(at("a"))));
    assert_eq!(workspace.delete(&at("x")), Err(WorkspaceError::NoSuchFile(at("x"))));
    workspace.make_folder(&at("new/deep")).unwrap();
    assert!(workspace.is_folder(&at("new")));
    assert!(workspace.diff().is_empty(), "an empty folder is no change of a file");
}

#[test]
fn limits_hold() {
    let mut workspace = Workspace::new(base(&[]));
    let big = vec![b'x'; MAX_FILE_BYTES];
    assert!(matches!(
        workspace.write(&at("big"), vec![b'x'; MAX_FILE_BYTES + 1]),
        Err(WorkspaceError::FileTooLarge { .. })
    ));
    for n in 0..15 {
        workspace.write(&at(&format!("f{n}")), big.clone()).unwrap();
    }
    workspace.write(&at("f0"), big.clone()).unwrap();
    assert_eq!(workspace.write(&at("f15"), big), Err(WorkspaceError::Full), "names count too");

    let mut workspace = Workspace::new(base(&[]));
    for n in 0..MAX_FILES {
        workspace.write(&at(&format!("f{n}")), *b"").unwrap();
    }
    assert_eq!(workspace.write(&at("more"), *b""), Err(WorkspaceError::TooManyFiles));
    workspace.write(&at("f1"), *b"still").unwrap();
    workspace.delete(&at("f1")).unwrap();
    workspace.write(&at("more"), *b"").unwrap();
}

#[test]
fn the_diff_tells_what_happened() {
    let mut workspace =
        Workspace::new(base(&[("gone", "bye\n"), ("kept", "1\n"), ("mod", "one\ntwo\n"), ("same", "s")]));
    workspace.write(&at("mod"), *b"one\n2\n").unwrap();
    workspace.write(&at("new"), *b"hello").unwrap();
    workspace.write(&at("bin"), [0xff]).unwrap();
    workspace.delete(&at("gone")).unwrap();
    workspace.write(&at("same"), *b"t").unwrap();
    workspace.write(&at("same"), *b"s").unwrap();
    workspace.write(&at("brief"), *b"x").unwrap();
    workspace.delete(&at("brief")).unwrap();
    insta::assert_json_snapshot!("diff", workspace.diff());
}

#[test]
fn a_huge_rewrite_is_one_block_and_quick() {
    let old: String = (0..60_000).map(|n| format!("old {n}\n")).collect();
    let new: String = (0..60_000).map(|n| format!("new {n}\n")).collect();
    let mut workspace = Workspace::new(base(&[("f", &format!("head\n{old}tail"))]));
    workspace.write(&at("f"), format!("head\n{new}tail").into_bytes()).unwrap();
    let diff = workspace.diff().remove(0).diff.unwrap();
    assert!(diff.starts_with("--- a/f\n+++ b/f\n@@ -2,60000 +2,60000 @@\n-old 0\n"), "{}", &diff[..80]);
    assert!(diff.ends_with("+new 59999\n"));
}

#[derive(Debug, Clone)]
enum Step {
    Write(&'static str, Vec<u8>),
    Delete(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let path = prop::sample::select(vec!["a", "b", "d/a", "d/b", "d/e/f", "z"]);
    prop_oneof![
        (path.clone(), prop::collection::vec(any::<u8>(), 0..4))
            .prop_map(|(path, bytes)| Step::Write(path, bytes)),
        path.prop_map(Step::Delete),
    ]
}

proptest! {
    #[test]
    fn a_view_behaves_like_a_plain_map(steps in prop::collection::vec(step(), 0..40)) {
        let base = base(&[("a", "1"), ("d/a", "2"), ("d/e/f", "3")]);
        let mut naive: BTreeMap<String, Vec<u8>> = base.iter().map(|(k, v)| (k.clone(), v.to_vec())).collect();
        let mut view = Workspace::new(Arc::clone(&base));
        for step in steps {
            match step {
                Step::Write(path, bytes) => {
                    naive.insert(path.to_owned(), bytes.clone());
                    view.write(&at(path), bytes).unwrap();
                }
                Step::Delete(path) => {
                    prop_assert_eq!(naive.remove(path).is_some(), view.delete(&at(path)).is_ok());
                }
            }
        }
        prop_assert_eq!(view.paths().collect::<Vec<_>>(), naive.keys().collect::<Vec<_>>());
        let folder = at("d");
        prop_assert_eq!(view.paths_below(&folder).collect::<Vec<_>>(), naive.keys().filter(|k| k.starts_with("d/")).collect::<Vec<_>>());
        prop_assert_eq!(view.files, naive.len());
        for (path, bytes) in &naive {
            prop_assert_eq!(&**view.get(path).unwrap(), &bytes[..]);
        }
        let mut expected: BTreeMap<String, Change> = BTreeMap::new();
        for path in naive.keys().chain(base.keys()) {
            let change = match (base.get(path), naive.get(path)) {
                (None, _) => Change::Created,
                (_, None) => Change::Deleted,
                (Some(old), Some(new)) if old[..] == new[..] => continue,
                _ => Change::Modified,
            };
            expected.insert(path.clone(), change);
        }
        let diff: Vec<_> = view.diff().into_iter().map(|change| (change.path, change.change)).collect();
        prop_assert_eq!(diff, expected.into_iter().collect::<Vec<_>>());
    }
}
