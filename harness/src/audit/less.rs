//! What a change asks for less than its base did, or of somebody else: trials, models, cases, rows, who judges, how the
//! charter is cut. Beside an edit of the charter any of it could be what makes the edit pass.

use model_matrix::{Model, Provider};

use crate::case::{Case, Variant};
use crate::sitting::material::Material;
use crate::sitting::planning;

/// What `head` asks for less than `before` did.
pub(super) fn asked(before: &Material, head: &Material) -> Vec<String> {
    let mut less = Vec::new();
    if head.project.trials < before.project.trials {
        less.push(format!("{} trials a cell instead of {}", head.project.trials, before.project.trials));
    }
    for model in &before.matrix.models {
        match head.matrix.get(&model.id) {
            None => less.push(format!("model {} is gone", model.id)),
            Some(now) => less.extend(of_model(model, now)),
        }
    }
    for case in before.cases() {
        match head.cases().find(|now| now.id == case.id) {
            None => less.push(format!("case {} is gone", case.id)),
            Some(now) => less.extend(of_case(case, now)),
        }
    }
    let cut = |material: &Material| {
        let charter = &material.project.charter;
        (charter.runtime_end.clone(), charter.invariants.clone())
    };
    if cut(before) != cut(head) {
        less.push(
            "the charter is cut at another line, or its invariants are looked for elsewhere".to_owned(),
        );
    }
    less
}

/// An entry that keeps its name and is another model, or plays another part.
fn of_model(before: &Model, now: &Model) -> Vec<String> {
    let mut less = Vec::new();
    if now.role != before.role {
        less.push(format!("model {} plays another role", before.id));
    }
    let differing = differing(before, now);
    if !differing.is_empty() {
        less.push(format!("model {} is another ({})", before.id, differing.join(", ")));
    }
    less
}

/// In what two entries are not the same model. Keys, prices, and how fast it may be asked make no other model of it.
fn differing(before: &Model, now: &Model) -> Vec<&'static str> {
    let (then_pin, now_pin) = (planning::pin(before), planning::pin(now));
    let reported = |model: &Model| {
        let pin = &model.pin;
        (pin.model.clone(), pin.fingerprint.clone(), pin.version.clone())
    };
    let requested = then_pin.requested != now_pin.requested;
    [
        (then_pin.provider != now_pin.provider || wire(before) != wire(now), "the provider"),
        (requested, "the model that is asked for"),
        (then_pin.endpoint != now_pin.endpoint, "the endpoint"),
        // Without a pin of its own an entry is pinned to the name that is asked for.
        (
            reported(before) != reported(now) && !(requested && !before.pin.explicit && !now.pin.explicit),
            "the pin",
        ),
        (then_pin.expect != now_pin.expect, "what is expected of it"),
        (before.decoding != now.decoding, "its decoding parameters"),
        (before.limits.max_steps != now.limits.max_steps, "its replies to a step"),
        (program(before) != program(now), "the program"),
    ]
    .into_iter()
    .filter_map(|(differs, what)| differs.then_some(what))
    .collect()
}

fn wire(model: &Model) -> Option<model_matrix::Wire> {
    model.provider.wire()
}

/// The agent program without what has a line of its own, and without where its key is found.
fn program(model: &Model) -> Option<model_matrix::Program> {
    let Provider::Program(program) = &model.provider else { return None };
    Some(model_matrix::Program { model: None, base_url: None, key_env: None, ..(**program).clone() })
}

fn of_case(before: &Case, now: &Case) -> Vec<String> {
    let mut less = Vec::new();
    for variant in &before.variants {
        let label = match &variant.name {
            Some(name) => format!("{}.{name}", before.id),
            None => before.id.clone(),
        };
        match now.variant(variant.name.as_deref()) {
            None => less.push(format!(
                "variant {} of {} is gone",
                variant.name.as_deref().unwrap_or("-"),
                before.id
            )),
            Some(now) => less.extend(of_variant(&label, variant, now)),
        }
    }
    less
}

/// Another judge, and rows that are gone or read otherwise. Rows have no names but their places, by which runs call them.
fn of_variant(label: &str, before: &Variant, now: &Variant) -> Vec<String> {
    let mut less = Vec::new();
    if now.checker != before.checker {
        less.push(format!("{label} is judged by {} instead of {}", now.checker, before.checker));
    }
    for (index, row) in before.table.rows.iter().enumerate() {
        let number = index + 1;
        match now.table.rows.get(index) {
            None => less.push(format!("row {number} of {label} is gone")),
            Some(now) if row.iter().any(|(name, value)| now.get(name) != Some(value)) => {
                less.push(format!("row {number} of {label} reads otherwise"));
            }
            Some(_) => {}
        }
    }
    less
}
