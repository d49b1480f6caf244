//! Whatever is in the files, loading ends with cases or with problems that have a place.

use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn mutated_files_never_panic(
        file in prop::sample::select(vec!["case.yaml", "params.csv", "turns.yaml", "traces/careful.yaml", "notes.tmpl"]),
        cuts in prop::collection::vec((0.0..1.0f64, 0..12usize, "[\\PC\n]{0,3}|\\{\\{|\\}\\}|- |: |\"|&a |\\*a|\t|\r\n"), 1..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        copy(&testdata(), dir.path());
        let path = dir.path().join("m01-key-rename").join(file);
        let mut text = fs::read_to_string(&path).unwrap();
        for (place, length, insert) in cuts {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a small text")]
            let at = text.floor_char_boundary((place * text.len() as f64) as usize);
            let end = text.ceil_char_boundary((at + length).min(text.len()));
            text.replace_range(at..end, &insert);
        }
        fs::write(&path, &text).unwrap();
        match load(dir.path()) {
            Ok(set) => {
                for selected in set.all() {
                    for row in 0..selected.variant.rows() {
                        prop_assert!(selected.variant.instance(row).is_ok(), "tried at loading, but refused in play");
                    }
                    let _ = Trace::load(selected.case, selected.variant, "careful");
                }
            }
            Err(errors) => {
                prop_assert!(!errors.0.is_empty());
                prop_assert!(!errors.to_string().contains('\u{1b}'), "a colour in {errors}");
            }
        }
    }

    #[test]
    fn any_bytes_as_a_case_file_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let dir = tempfile::tempdir().unwrap();
        copy(&testdata(), dir.path());
        fs::write(dir.path().join("m01-key-rename/case.yaml"), bytes).unwrap();
        prop_assert!(load(dir.path()).is_err());
    }
}
