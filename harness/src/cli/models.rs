//! `assize models`: the matrix as it is understood, and whether its endpoints answer.

use std::io::Write;
use std::path::{Path, PathBuf};

use harness::project::Project;
use model_matrix::probe::{self, Answered, Outcome, Support};
use model_matrix::{Matrix, Model, Provider};
use serde_json::{Value, json};
use transcript::Amount;

use super::exit::Exit;
use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};
use super::talk::Format;

/// Show the matrix, and try its endpoints out
///
/// Without --probe nothing is sent. With it, each model gets one tiny request as the matrix has it, and one more each for
/// `temperature`, `seed` and a tool where the matrix does not send them already: at most 4 requests a model. They cost
/// what such requests cost.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Another matrix than the project's
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// Only these models; repeatable
    #[arg(long = "model", value_name = "ID")]
    models: Vec<String>,
    /// Send each model a tiny request, and show what it reports and accepts
    #[arg(long)]
    probe: bool,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let path = match &arguments.matrix {
        Some(path) => path.clone(),
        None => Project::find(project)?.matrix,
    };
    let matrix = Matrix::load(&path)?;
    for id in &arguments.models {
        anyhow::ensure!(
            matrix.get(id).is_some(),
            "--model {id} matches no model of {}; there are {}",
            path.display(),
            matrix.models.iter().map(|model| model.id.as_str()).collect::<Vec<_>>().join(", ")
        );
    }
    let chosen: Vec<&Model> = matrix
        .models
        .iter()
        .filter(|model| arguments.models.is_empty() || arguments.models.contains(&model.id))
        .collect();
    let outcomes = if arguments.probe { probes(&chosen)? } else { chosen.iter().map(|_| None).collect() };
    match arguments.format {
        Format::Json => {
            let list: Vec<Value> = chosen
                .iter()
                .zip(&outcomes)
                .map(|(model, outcome)| as_json(model, outcome.as_ref()))
                .collect();
            say::json(&list)?;
        }
        Format::Text => {
            let mut out = say::page();
            for (model, outcome) in chosen.iter().zip(&outcomes) {
                print(&mut out, model, outcome.as_ref())?;
            }
            out.flush()?;
        }
    }
    Ok(exit(&outcomes))
}

/// Tries all models at the same time: one that hangs holds up no other.
fn probes(models: &[&Model]) -> anyhow::Result<Vec<Option<Outcome>>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for model in models {
            let model = Model::clone(model);
            tasks.push(tokio::spawn(async move {
                // Traces answer as they were recorded, and a program is tried by `verify-load`.
                if !matches!(model.provider, Provider::Api { .. }) {
                    return Ok(None);
                }
                probe::probe(&model, |name| std::env::var(name).ok()).await.map(Some)
            }));
        }
        let mut outcomes = Vec::new();
        for task in tasks {
            outcomes.push(task.await??);
        }
        Ok(outcomes)
    })
}

fn exit(outcomes: &[Option<Outcome>]) -> Exit {
    let outcomes = || outcomes.iter().flatten();
    let unreachable = |outcome: &Outcome| matches!(outcome, Outcome::Unreachable(_));
    if outcomes().any(|outcome| !outcome.holds() && !unreachable(outcome)) {
        Exit::No
    } else if outcomes().any(unreachable) {
        Exit::Incomplete
    } else {
        Exit::Holds
    }
}

/// The variable of a model's key, and whether it is set. Its value is nobody's business here.
fn key(model: &Model) -> Option<(&str, bool)> {
    let variable = model.provider.key_env()?;
    Some((variable, std::env::var(variable).is_ok_and(|value| !value.trim().is_empty())))
}

/// The endpoint. The matrix's reader takes no credentials in it, so there is nothing to hide but what others might.
fn endpoint(model: &Model) -> Option<String> {
    model.provider.base_url().map(ToString::to_string)
}

fn provider(model: &Model) -> String {
    match (&model.provider, model.provider.wire()) {
        (Provider::Program(program), _) => format!("program {}", program.run.join(" ")),
        (Provider::Replay { .. }, Some(wire)) => format!("replay over {}", wire.name()),
        (_, wire) => wire.map_or_else(String::new, |wire| wire.name().to_owned()),
    }
}

fn role(model: &Model) -> String {
    serde_json::to_value(model.role)
        .ok()
        .and_then(|role| role.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn print(out: &mut impl Write, model: &Model, outcome: Option<&Outcome>) -> std::io::Result<()> {
    writeln!(out, "{BOLD}{}{RESET}  {}, {}", model.id, role(model), provider(model))?;
    let requested = model.provider.requested_model();
    let line =
        |out: &mut dyn Write, name: &str, text: &str| writeln!(out, "  {name:<10}{}", harmless(text, 300));
    line(out, "model", &requested)?;
    if model.pin.explicit || model.pin.fingerprint.is_some() || model.pin.model != requested {
        let print =
            model.pin.fingerprint.as_deref().map_or(String::new(), |print| format!(", fingerprint {print}"));
        line(out, "pin", &format!("{}{print}", model.pin.model))?;
    }
    if let Some(endpoint) = endpoint(model) {
        line(out, "endpoint", &endpoint)?;
    }
    match key(model) {
        Some((variable, true)) => line(out, "key", &format!("{variable}, set"))?,
        Some((variable, false)) => writeln!(out, "  {:<10}{variable}, {RED}not set{RESET}", "key")?,
        None if model.provider.is_replay() => {}
        None => line(out, "key", "none is sent")?,
    }
    if !model.provider.is_replay() {
        let decoding = match &model.decoding {
            none if none.is_empty() => "nothing is sent: the endpoint's defaults".to_owned(),
            some => Value::from(some.clone()).to_string(),
        };
        line(out, "decoding", &decoding)?;
        line(out, "limits", &limits(model))?;
        line(out, "prices", &prices(model))?;
    }
    if let Some(end) = model.shutdown {
        line(out, "shutdown", &end.to_string())?;
    }
    if let Some(outcome) = outcome {
        print_outcome(out, outcome)?;
    }
    writeln!(out)
}

fn limits(model: &Model) -> String {
    let limits = &model.limits;
    let mut parts = Vec::new();
    parts.extend(limits.in_flight.map(|n| format!("{n} at the same time")));
    parts.extend(limits.rpm.map(|n| format!("{n} requests a minute")));
    parts.extend(limits.tpm.map(|n| format!("{n} tokens a minute")));
    parts.push(format!("{} s a request", limits.timeout_s));
    if model.stream {
        parts.push(format!("{} s of silence in a stream", limits.idle_timeout_s));
    } else {
        parts.push("not streamed".to_owned());
    }
    parts.join(", ")
}

fn prices(model: &Model) -> String {
    let Some(prices) = &model.prices else { return "none: no --max-cost can be kept".to_owned() };
    let amount = Amount::from_micros;
    format!(
        "{} for a million tokens: {} read, {} read from a cache, {} written",
        prices.currency,
        amount(prices.input),
        amount(prices.cached),
        amount(prices.output)
    )
}

fn print_outcome(out: &mut impl Write, outcome: &Outcome) -> std::io::Result<()> {
    let answered = match outcome {
        Outcome::Failed(message) => {
            return writeln!(out, "  {RED}✗ failed{RESET}: {}", harmless(message, 600));
        }
        Outcome::Unreachable(message) => {
            return writeln!(out, "  {YELLOW}! unreachable{RESET}: {}", harmless(message, 600));
        }
        Outcome::Answered(answered) => answered,
    };
    let (colour, mark) = if answered.breaks_pin { (RED, "✗ drift") } else { (GREEN, "✓ answers") };
    writeln!(
        out,
        "  {colour}{mark}{RESET} in {} ms: {}",
        answered.latency.as_millis(),
        harmless(&answered.drift.to_string(), 400)
    )?;
    let served = &answered.served;
    let or_none =
        |text: &Option<String>| text.as_deref().map_or("not reported".to_owned(), |text| harmless(text, 200));
    writeln!(
        out,
        "  {:<10}{}, fingerprint {}",
        "served",
        or_none(&served.model),
        or_none(&served.fingerprint)
    )?;
    for (name, support) in supports(answered) {
        writeln!(out, "  {name:<12}{}", in_words(support))?;
    }
    Ok(())
}

fn supports(answered: &Answered) -> [(&'static str, &Support); 3] {
    [("temperature", &answered.temperature), ("seed", &answered.seed), ("tools", &answered.tools)]
}

fn in_words(support: &Support) -> String {
    match support {
        Support::Sent => "accepted, as the matrix sends it".to_owned(),
        Support::Accepted => "accepted".to_owned(),
        Support::Refused(message) => {
            format!("{YELLOW}refused{RESET}: {DIM}{}{RESET}", harmless(message, 200))
        }
        Support::Unknown(message) => {
            format!("{YELLOW}not known{RESET}: {DIM}{}{RESET}", harmless(message, 200))
        }
    }
}

fn as_json(model: &Model, outcome: Option<&Outcome>) -> Value {
    let key = key(model).map(|(variable, set)| json!({ "variable": variable, "set": set }));
    json!({
        "id": model.id,
        "role": model.role,
        "provider": provider(model),
        "model": model.provider.requested_model(),
        "pin": model.pin,
        "endpoint": endpoint(model),
        "key": key,
        "decoding": model.decoding,
        "stream": model.stream,
        "limits": model.limits,
        "prices": model.prices,
        "shutdown": model.shutdown.map(|date| date.to_string()),
        "notes": model.notes,
        "line": model.line,
        "probe": outcome.map(outcome_json),
    })
}

fn outcome_json(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Failed(message) => json!({ "outcome": "failed", "message": message }),
        Outcome::Unreachable(message) => json!({ "outcome": "unreachable", "message": message }),
        Outcome::Answered(answered) => {
            let mut value = json!({
                "outcome": if answered.breaks_pin { "drift" } else { "answered" },
                "latency_ms": u64::try_from(answered.latency.as_millis()).unwrap_or(u64::MAX),
                "served": answered.served,
                "pin": answered.drift.to_string(),
            });
            for (name, support) in supports(answered) {
                value[name] = match support {
                    Support::Sent => json!({ "accepted": true, "sent_by_matrix": true }),
                    Support::Accepted => json!({ "accepted": true }),
                    Support::Refused(message) => json!({ "accepted": false, "message": message }),
                    Support::Unknown(message) => json!({ "accepted": null, "message": message }),
                };
            }
            value
        }
    }
}
