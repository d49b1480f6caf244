//! What somebody may have meant by a name that is not known.

/// The one of `known` that `wrong` is most likely a slip for.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wrong, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= (name.chars().count().max(wrong.chars().count()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// "did you mean …", or the list of what there is.
pub fn suggestion<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(wrong, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let known: Vec<_> = known.into_iter().map(|name| format!("`{name}`")).collect();
            if known.is_empty() { "there is none".to_owned() } else { format!("known: {}", known.join(", ")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_guessed_and_nonsense_is_not() {
        assert_eq!(nearest("chekcer", ["checker", "params"]), Some("checker"));
        assert_eq!(nearest("zzz", ["checker", "params"]), None);
        assert_eq!(suggestion("zzz", ["a-long-one", "b-long-one"]), "known: `a-long-one`, `b-long-one`");
    }
}
