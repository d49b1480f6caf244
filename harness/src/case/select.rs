//! Choosing cases by id, name or pattern; a choice of nothing is an error, never an empty run that looks green.

use globset::GlobBuilder;

use super::model::{Case, Variant};
use super::problem::nearest;
use super::set::CaseSet;

/// A case in one of its variants.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'a> {
    /// The case.
    pub case: &'a Case,
    /// The variant.
    pub variant: &'a Variant,
}

impl Selected<'_> {
    /// `E1`, or `E6.i` for a variant.
    #[must_use]
    pub fn label(&self) -> String {
        self.with_variant(&self.case.id)
    }

    fn with_variant(&self, name: &str) -> String {
        match &self.variant.name {
            Some(variant) => format!("{name}.{variant}"),
            None => name.to_owned(),
        }
    }

    /// Everything a filter can call it by.
    fn names(&self) -> [String; 4] {
        let (id, name) = (&self.case.id, &self.case.name);
        [id.clone(), name.clone(), self.with_variant(id), self.with_variant(name)]
    }
}

/// Why a choice of cases was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// A filter matches no case.
    #[error("no case matches `{filter}`\n  = help: {help}")]
    NoMatch {
        /// The filter.
        filter: String,
        /// What there is.
        help: String,
    },
    /// A filter is not a pattern.
    #[error("`{filter}` is not a pattern: {why}")]
    BadPattern {
        /// The filter.
        filter: String,
        /// What is wrong with it.
        why: String,
    },
}

impl CaseSet {
    /// Every case in every variant, in order.
    pub fn all(&self) -> impl Iterator<Item = Selected<'_>> {
        self.cases.iter().flat_map(|case| case.variants.iter().map(move |variant| Selected { case, variant }))
    }

    /// As [`select`], over this set.
    ///
    /// # Errors
    /// As for [`select`].
    pub fn select(&self, filters: &[String]) -> Result<Vec<Selected<'_>>, SelectError> {
        select(self.all().collect(), filters)
    }
}

/// Those of `all` that any of `filters` matches, each once and in their order; all of them without filters.
///
/// A filter is an id (`E1`), an id with a variant (`E6.i`), a name (`fencepost`), or a pattern of these (`E1*`).
///
/// # Errors
/// When one of the filters matches nothing or is no pattern.
pub fn select<'a>(all: Vec<Selected<'a>>, filters: &[String]) -> Result<Vec<Selected<'a>>, SelectError> {
    let mut chosen = vec![filters.is_empty(); all.len()];
    for filter in filters {
        let glob = GlobBuilder::new(filter).build().map_err(|error| SelectError::BadPattern {
            filter: filter.clone(),
            why: error.kind().to_string(),
        })?;
        let glob = glob.compile_matcher();
        let mut matched = false;
        for (chosen, selected) in chosen.iter_mut().zip(&all) {
            if selected.names().iter().any(|name| name == filter || glob.is_match(name)) {
                (*chosen, matched) = (true, true);
            }
        }
        if !matched {
            return Err(SelectError::NoMatch { filter: filter.clone(), help: near(&all, filter) });
        }
    }
    Ok(all.into_iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(selected, _)| selected).collect())
}

fn near(all: &[Selected<'_>], filter: &str) -> String {
    let names: Vec<String> = all.iter().flat_map(Selected::names).collect();
    match nearest(filter, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let labels: Vec<_> = all.iter().map(Selected::label).collect();
            format!("there is: {}", labels.join(", "))
        }
    }
}
