use proptest::prelude::*;

use super::*;

fn effect(line: &str) -> Effect {
    effect_of(&read(line))
}

fn writes(line: &str) -> Vec<(String, String)> {
    let shown = |how: &How| match how {
        How::Whole(text) => format!("whole {text:?}"),
        How::Append(text) => format!("append {text:?}"),
        How::Replace { .. } => "replace".to_owned(),
        How::Substitute(subs) => format!("substitute {}", subs.len()),
        How::From(path) => format!("from {path}"),
        How::Delete => "delete".to_owned(),
        How::Unknown => "unknown".to_owned(),
    };
    let target = |target: &Target| match target {
        Target::File(path) => path.clone(),
        Target::Tree(path) => format!("{path}/**"),
    };
    read(line)
        .iter()
        .filter_map(|step| match step {
            Step::Write(write) => Some((target(&write.target), shown(&write.how))),
            _ => None,
        })
        .collect()
}

#[test]
fn commands_that_only_look_are_reads() {
    for line in [
        "grep -rn key . | sort | uniq -c",
        "rg key && cat a.txt",
        "git -C sub --no-pager diff --stat",
        "git status; git log --oneline -5",
        "find . -name '*.py' -not -path './.git/*'",
        "find . -type f -exec grep -l key {} +",
        "sed -n '1,20p' src/main.rs",
        "awk '$3 > 5 {print $1}' data.csv",
        "sha256sum CHARTER_STATE.md",
        "cat a 2>/dev/null || echo missing",
        "bash -lc 'cd src && ls -la'",
        "for f in a b; do cat \"$f\"; done",
        "python --version",
        "if grep -q key a; then echo yes; else echo no; fi",
        "sudo -u app cat /etc/app.conf",
        "echo \"a > b\"",
        "wc -l < a.txt",
        "test -f x && head -5 x",
        "",
    ] {
        assert_eq!(effect(line), Effect::Read, "{line}");
    }
}

#[test]
fn test_runners_are_test_runs() {
    for line in [
        "pytest -q tests/",
        "cd api && python -m pytest",
        "CI=1 npm test -- --watch=false",
        "cargo test -p core 2>&1 | tail -20",
        "go test ./...",
        "make -C lib test",
        "./gradlew test",
        "bundle exec rspec",
        "npx jest",
        "timeout 60 poetry run pytest",
        "npm run test:unit",
        "./run_tests.sh",
        "mvn clean test",
        "ctest --output-on-failure",
    ] {
        assert_eq!(effect(line), Effect::TestRun, "{line}");
    }
}

#[test]
fn everything_else_changes_state() {
    for line in [
        "rm -rf build",
        "grep -rl key . | xargs sed -i 's/key/new/g'",
        "find . -name '*.pyc' -delete",
        "echo x > a.txt",
        "sort -o a a",
        "cat a | tee b",
        "python rename.py",
        "python -c 'print(1)'",
        "sed -i.bak s/a/b/ f",
        "awk '{print > \"out\"}' f",
        "git checkout -- src",
        "cargo test && git push",
        "make deploy",
        "make test deploy",
        "curl -X POST https://example.test",
        "sh deploy.sh",
        "$(cat cmd)x",
        "frobnicate",
        "sed -n 's/a/b/w out.txt' f",
    ] {
        assert_eq!(effect(line), Effect::Write, "{line}");
    }
}

#[test]
fn writes_are_read_with_their_content() {
    let own = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(writes("cat <<'EOF' > a/b.txt\none\nEOF"), own(&[("a/b.txt", r#"whole "one\n""#)]));
    assert_eq!(writes("cd a && echo -n hi >> b"), own(&[("a/b", r#"append "hi""#)]));
    assert_eq!(writes("sed -i 's/k/n/g' a b"), own(&[("a", "substitute 1"), ("b", "substitute 1")]));
    assert_eq!(writes("sed -i '' -e 's/k/n/g' a"), own(&[("a", "substitute 1")]));
    assert_eq!(
        writes("for f in x y; do sed -i \"s/k/n/\" $f; done"),
        own(&[("x", "substitute 1"), ("y", "substitute 1")])
    );
    assert_eq!(writes("grep -rl k src | xargs sed -i 's/k/n/g'"), own(&[("src/**", "substitute 1")]));
    assert_eq!(writes("sed -i 's/k/n/g' $(git grep -l k)"), own(&[("/**", "substitute 1")]));
    assert_eq!(writes("find . -type f -exec sed -i 's/k/n/g' {} +"), own(&[("/**", "substitute 1")]));
    assert_eq!(writes("perl -pi -e 's/k/n/g' a"), own(&[("a", "substitute 1")]));
    assert_eq!(writes("git mv a b"), own(&[("b", "from a"), ("a", "delete")]));
    assert_eq!(writes("bash -c \"printf 'x' > f\""), own(&[("f", r#"whole "x""#)]));
}

#[test]
fn searches_know_their_scope_and_what_is_printed_around_them() {
    let search = |line: &str| {
        read(line).into_iter().find_map(|step| match step {
            Step::Search(search) => Some(search),
            _ => None,
        })
    };
    assert_eq!(search("grep -rn key .").unwrap().scopes, ["."]);
    assert!(search("rg key").unwrap().is_whole_tree());
    let narrow = search("cd src && grep -rn key --include='*.py' .").unwrap();
    assert_eq!(narrow.scopes, ["src/."]);
    assert_eq!(narrow.only, ["*.py"]);
    let told = search("grep -rq key . && echo FOUND || echo 'none left'").unwrap();
    assert_eq!((told.on_found, told.on_none), (vec!["FOUND".to_owned()], vec!["none left".to_owned()]));
    let told = search("! grep -rn key . && echo clean").unwrap();
    assert_eq!(told.on_none, ["clean"]);
    let told = search("if grep -q key a; then echo yes; else echo no; fi").unwrap();
    assert_eq!((told.on_found, told.on_none), (vec!["yes".to_owned()], vec!["no".to_owned()]));
    assert!(search("ls | grep key").is_none());
    assert!(search("grep -rn 'new|other' . | grep key").unwrap().patterns.is_empty());
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,200}") {
        prop_assert!(!read(&text).is_empty());
    }

    #[test]
    fn shell_like_text_is_read_without_panic(
        text in "([a-z./*$'\"`(){}<>|&;!\\\\ \n-]|grep |sed -i |find |xargs |git |bash -c |<<E\n|for f in |do |done |s/a/b/){0,40}"
    ) {
        prop_assert!(!read(&text).is_empty());
    }
}

#[test]
fn what_nobody_sees_is_no_look() {
    for line in [
        "cat a.md > /dev/null",
        "cat a.md b.md | wc -l",
        "wc -l a.md",
        "md5sum a.md",
        "grep -rl key . | xargs sed -i s/a/b/",
        "git diff > /tmp/x",
        "grep -rn key . | head -0",
        "grep -rn key . | head -n 0",
        "grep -rn key . | sort | head --lines=0",
        "grep -rn key . | head -c0",
        "grep -rn key . | head -n -3",
        "grep -rn key . | tail -n0",
        "grep -rn key . | tail -n +2",
        "cat a.md | tail -0",
    ] {
        let shows = |step: &Step| match step {
            Step::Read(_) | Step::Diff(_) => true,
            Step::Search(search) => search.output != Output::Quiet,
            _ => false,
        };
        assert!(!read(line).iter().any(shows), "{line}: {:?}", read(line));
    }
    for line in [
        "head -20",
        "head",
        "head -n 5",
        "head -n5",
        "tail -3",
        "tail -n +1",
        "tail -n 2 -q",
        "head --lines=1",
    ] {
        let line = format!("grep -rn key . | {line}");
        let seen = |step: &Step| matches!(step, Step::Search(search) if search.output == Output::Lines);
        assert!(read(&line).iter().any(seen), "{line}: {:?}", read(&line));
    }
    assert!(matches!(read("cat a.md 2>/dev/null").as_slice(), [Step::Read(_)]));
    assert!(matches!(read("git diff --name-only | xargs cat").as_slice(), [_, Step::Read(_)]));
}

#[test]
fn scripts_that_replace_are_followed() {
    let script = "python3 - <<'PY'\nfor p in ['a.md', 'b/c.py']:\n    t = open(p).read()\n    open(p, 'w').write(t.replace('old', 'new'))\nPY";
    assert_eq!(
        writes(script),
        [("a.md".to_owned(), "substitute 1".to_owned()), ("b/c.py".to_owned(), "substitute 1".to_owned())]
    );
    let walking = "python3 -c \"import glob\nold, new = 'a', 'b'\nfor p in glob.glob('**'): open(p,'w').write(open(p).read().replace(old, new))\"";
    assert_eq!(writes(walking), [("/**".to_owned(), "substitute 1".to_owned())]);
    assert!(matches!(read("python3 rename.py old new").as_slice(), [Step::Opaque(_)]));
}

#[test]
fn each_turn_of_a_loop_is_a_pipeline_of_its_own() {
    let searches = |line: &str| -> Vec<(bool, bool, Output, Vec<String>)> {
        let one = |step: &Step| match step {
            Step::Search(search) => {
                Some((search.finds("alpha"), search.finds("beta"), search.output, search.scopes.clone()))
            }
            _ => None,
        };
        read(line).iter().filter_map(one).collect()
    };
    let scopes = || vec!["src".to_owned()];
    let wanted = [(true, false, Output::Total, scopes()), (false, true, Output::Total, scopes())];
    for line in [
        "for k in alpha beta; do grep -rn \"$k\" src | wc -l; done",
        "for k in alpha beta; do\n  grep -rn ${k} src | wc -l\ndone",
        "for k in alpha beta; do grep -rn -- \"$k\" src | sort -u | wc -l; done",
    ] {
        assert_eq!(searches(line), wanted, "{line}");
        assert_eq!(effect(line), Effect::Read, "{line}");
    }
    let told = searches("for k in alpha beta; do echo \"$k: $(grep -rn \"$k\" src | wc -l)\"; done");
    assert_eq!(told, wanted);
    assert_eq!(effect("for f do rm $f; done"), Effect::Write);
    let within =
        searches("for k in alpha beta; do while read f; do cat $f; done < l; grep -rn $k src | wc -l; done");
    assert_eq!(within, wanted);
    let files = searches("for f in a b; do for k in alpha beta; do grep -c $k $f; done; done");
    assert_eq!(files.len(), 4, "{files:?}");
    assert_eq!(
        writes("for f in a b; do echo x > $f.txt; done"),
        [
            ("a.txt".to_owned(), "whole \"x\\n\"".to_owned()),
            ("b.txt".to_owned(), "whole \"x\\n\"".to_owned()),
        ]
    );
}

#[test]
fn what_stands_beyond_the_limits_is_taken_for_the_worst() {
    assert_eq!(effect(&"ls; ".repeat(9_000)), Effect::Read);
    assert_eq!(effect(&("ls; ".repeat(10_001) + "rm a")), Effect::Write);
    let nested = "for a in 1 2 3 4 5 6 7 8 9; do ".repeat(8) + &"true $a; ".repeat(2_000);
    assert_eq!(effect(&(nested + "rm a")), Effect::Write);
}
#[test]
fn names_that_a_loop_only_prints_are_shown() {
    let shown = |line: &str| {
        read(line).iter().any(|step| matches!(step, Step::Search(search) if search.output != Output::Quiet))
    };
    for line in [
        "grep -rl old . | while read f; do echo $f; done",
        "grep -rl old . | while read -r f; do printf '%s\\n' \"$f\"; done",
        "grep -rl old . | xargs -n1 echo",
        "grep -rl old . | xargs ls",
        "grep -rl old .",
    ] {
        assert!(shown(line), "{line}");
    }
    for line in [
        "grep -rl old . | while read f; do sed -i s/old/new/ $f; done",
        "grep -rl old . | while read f; do echo checking; done",
        "grep -rl old . | xargs sed -i s/old/new/",
        "grep -rl old . | xargs rm; echo $f",
        "ls | xargs echo; grep -rl old . | xargs rm",
    ] {
        assert!(!shown(line), "{line}");
    }
}
