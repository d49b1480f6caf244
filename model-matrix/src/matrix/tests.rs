use std::path::Path;

use super::*;

const GOOD: &str = r"
models:
  - id: exemplar
    role: control
    provider: replay
    trace: exemplar
    wire: openai-chat
    expect: pass
  - id: small-local
    role: weakest-deployed
    provider: openai-chat
    model: tiny-instruct
    base_url: http://127.0.0.1:8601/v1
    key_env: FAKE_API_KEY
    decoding: { temperature: 0, max_tokens: 1024, seed: 1, top_p: 0.95, stop: [yes, 010, 1_000] }
    limits: { in_flight: 4, timeout_s: 30, max_steps: 12 }
    notes: a note
";

fn parse(text: &str) -> Result<Matrix, MatrixErrors> {
    Matrix::parse(Path::new("m.yaml"), text.as_bytes())
}

fn errors(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

/// A matrix whose only entry has these lines more than it needs, or in place of those it has.
fn entry(lines: &str) -> String {
    format!("models:\n  - id: a\n    role: other\n{lines}")
}

#[test]
fn a_good_file_says_what_it_says_and_no_more() {
    let matrix = parse(GOOD).unwrap();
    assert!(!matrix.is_offline());
    let model = matrix.get("small-local").unwrap();
    assert_eq!(model.role, Role::WeakestDeployed);
    assert_eq!(
        Value::Object(model.decoding.clone()).to_string(),
        r#"{"temperature":0,"max_tokens":1024,"seed":1,"top_p":0.95,"stop":["yes","010","1_000"]}"#
    );
    assert_eq!(
        model.limits,
        Limits { in_flight: Some(4), timeout_s: 30, max_steps: Some(12), ..Limits::default() }
    );
    assert_eq!(model.line, 9);
    let control = matrix.get("exemplar").unwrap();
    assert!(control.decoding.is_empty());
    assert_eq!(control.limits, Limits::default());
    assert_eq!(control.provider.requested_model(), "replay:exemplar");
}

#[test]
fn replies_are_streamed_where_there_is_something_to_stream() {
    let streams: Vec<_> = parse(GOOD).unwrap().models.iter().map(|model| model.stream).collect();
    assert_eq!(streams, [false, true]);
    let turned = GOOD
        .replace("    notes: a note", "    stream: false")
        .replace("    expect: pass", "    stream: true");
    let streams: Vec<_> = parse(&turned).unwrap().models.iter().map(|model| model.stream).collect();
    assert_eq!(streams, [true, false]);
}

#[test]
fn the_digest_is_of_the_bytes() {
    let matrix = parse(GOOD).unwrap();
    assert_eq!(matrix.digest().len(), 64);
    assert_ne!(matrix.digest(), parse(&GOOD.replace("a note", "another")).unwrap().digest());
}

#[test]
fn every_shipped_matrix_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("matrices");
    let mut loaded = 0;
    for folder in [folder.clone(), folder.join("examples")] {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                Matrix::load(&path).unwrap_or_else(|errors| panic!("{errors}"));
                loaded += 1;
            }
        }
    }
    assert!(loaded >= 5, "{loaded}");
}

#[test]
fn all_problems_come_in_one_go() {
    insta::assert_snapshot!(errors(
        "models:
  - id: Big
    role: other
    provider: anthropic
    model: m
    base_url: ftp://llm.example.test
    expect: pass
    limits: { timeout_s: 0 }
  - id: b
    provider: replay
    trace: ' '
    decoding: { temperature: 0 }
  - id: b
    role: other
    provider: openai-chat
    model: m
    base_url: llm.example.test
    decoding: { stream: true, seed: 18446744073709551617 }
"
    ), @r"
    error: provider `anthropic` requires `max_tokens`, a whole number above 0, in `decoding`
     --> m.yaml:2:5
      |
    2 |   - id: Big
      |     ^

    error: `Big` is no id: use a-z, 0-9, `.`, `_` and `-`, starting with a letter or a digit
     --> m.yaml:2:9
      |
    2 |   - id: Big
      |         ^^^

    error: `base_url` must start with http:// or https://, not ftp:
     --> m.yaml:6:15
      |
    6 |     base_url: ftp://llm.example.test
      |               ^^^^^^^^^^^^^^^^^^^^^^

    error: `expect` has no meaning for provider `anthropic`: remove it
     --> m.yaml:7:13
      |
    7 |     expect: pass
      |             ^^^^

    error: `timeout_s` must be at least 1
     --> m.yaml:8:26
      |
    8 |     limits: { timeout_s: 0 }
      |                          ^

    error: `role` is missing from this entry
     --> m.yaml:9:5
      |
    9 |   - id: b
      |     ^

    error: `wire` is missing from this entry
     --> m.yaml:9:5
      |
    9 |   - id: b
      |     ^

    error: `trace` is empty
      --> m.yaml:11:12
       |
    11 |     trace: ' '
       |            ^^^

    error: `decoding` has no meaning for provider `replay`: remove it
      --> m.yaml:12:15
       |
    12 |     decoding: { temperature: 0 }
       |               ^

    error: `b` is also the id of the entry in line 9
      --> m.yaml:13:9
       |
    13 |   - id: b
       |         ^

    error: this is no URL: relative URL without a base
      --> m.yaml:17:15
       |
    17 |     base_url: llm.example.test
       |               ^^^^^^^^^^^^^^^^

    error: `stream` is not a decoding parameter: the harness writes it itself
      --> m.yaml:18:15
       |
    18 |     decoding: { stream: true, seed: 18446744073709551617 }
       |               ^

    error: the number in `seed` is too large to be sent exactly; the largest is 9007199254740992
      --> m.yaml:18:15
       |
    18 |     decoding: { stream: true, seed: 18446744073709551617 }
       |               ^
    ");
}

#[test]
fn an_unknown_key_is_named_with_its_place() {
    insta::assert_snapshot!(errors(&entry("    provider: replay\n    trase: x\n")), @r"
    error: unknown key `trase`
     --> m.yaml:5:5
      |
    5 |     trase: x
      |     ^^^^^
      |
      = help: did you mean `trace`?
    ");
}

#[test]
fn a_key_in_the_file_is_refused_and_not_repeated() {
    let error = errors(&entry("    provider: openai-chat\n    api_key: sk-fake-000111222\n"));
    assert!(error.contains("m.yaml:5:5") && error.contains("name it in `key_env`"), "{error}");
    assert!(!error.contains("000111222"), "{error}");
    for more in ["decoding: { api_key: sk-fake-000111222 }", "decoding:\n      api_key: sk-fake-000111222"] {
        let error = errors(&entry(&format!(
            "    provider: openai-chat\n    model: m\n    base_url: http://127.0.0.1/v1\n    {more}\n"
        )));
        assert!(error.contains("`api_key` is not a decoding parameter"), "{error}");
        assert!(!error.contains("000111222"), "{error}");
    }
    let error = errors(&entry(
        "    provider: openai-chat\n    model: m\n    base_url: http://127.0.0.1/v1\n    key_env: sk-fake-000111222\n",
    ));
    assert!(error.contains("never the key itself"), "{error}");
    assert!(!error.contains("000111222"), "{error}");
}

#[test]
fn a_url_with_credentials_is_refused_and_not_repeated() {
    let error = errors(&entry(
        "    provider: openai-chat\n    model: m\n    base_url: https://ann:hunter2@llm.example.test/v1\n",
    ));
    insta::assert_snapshot!(error, @r"
    error: `base_url` holds credentials: remove them and name a variable in `key_env`
     --> m.yaml:6:15
      |
    6 |     base_url: https://…@llm.example.test/v1
      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    ");
}

#[test]
fn anthropic_needs_max_tokens() {
    for decoding in ["", "    decoding: { temperature: 0 }\n", "    decoding: { max_tokens: 0 }\n"] {
        let text = entry(&format!(
            "    provider: anthropic\n    model: m\n    base_url: https://llm.example.test\n{decoding}"
        ));
        let error = errors(&text);
        let line = if decoding.is_empty() { 2 } else { 7 };
        assert!(error.contains(&format!("m.yaml:{line}:")) && error.contains("max_tokens"), "{error}");
    }
}

#[test]
fn duplicate_keys_are_refused_at_any_depth() {
    for lines in [
        "    role: control\n",
        "    decoding: { seed: 1, seed: 2 }\n",
        "    limits: { timeout_s: 1, timeout_s: 2 }\n",
    ] {
        let error = errors(&entry(lines));
        assert!(error.contains("occurs twice"), "{error}");
        assert!(error.contains("m.yaml:4:"), "{error}");
    }
}

#[test]
fn wrong_types_and_broken_yaml_have_a_place() {
    for (text, place) in [
        (entry("    provider: 7\n"), "m.yaml:4:15"),
        (entry("    provider: carrier-pigeon\n"), "m.yaml:4:15"),
        (entry("    limits: { in_flight: many }\n"), "m.yaml:4:26"),
        (entry("    limits: { in_flight: -1 }\n"), "m.yaml:4:26"),
        (entry("    provider: [replay\n"), "m.yaml:"),
        (String::new(), "the file is empty\n --> m.yaml"),
        ("models: []\n".to_owned(), "m.yaml:1:9"),
        ("modles: []\n".to_owned(), "m.yaml:1:1"),
    ] {
        let error = errors(&text);
        assert!(error.contains(place), "{place}: {error}");
    }
}

#[test]
fn aliases_cannot_be_used_as_a_bomb() {
    let mut text =
        "models:\n  - id: a\n    decoding:\n      a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        text.push_str(&format!("      a{level}: &a{level} [{}]\n", vec![below; 9].join(", ")));
    }
    assert!(errors(&text).contains("m.yaml:"));
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    let error = Matrix::load(Path::new("no/such/matrix.yaml")).unwrap_err().to_string();
    assert!(
        error.starts_with("error: the matrix cannot be read") && error.contains("no/such/matrix.yaml"),
        "{error}"
    );
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".{0,200}", cut in 0_usize..400) {
        let _ = parse(&text);
        let end = (0..=cut.min(GOOD.len())).rev().find(|at| GOOD.is_char_boundary(*at)).unwrap_or(0);
        let _ = parse(&format!("{}{text}", &GOOD[..end]));
    }
}

#[test]
fn pins_ends_and_ways_to_send_a_key() {
    let api = "    provider: openai-chat\n    model: m\n    base_url: https://llm.example.test\n";
    let model = |more: &str| parse(&entry(&format!("{api}{more}"))).unwrap().models.remove(0);
    let plain = model("");
    assert_eq!(plain.pin, Pin { model: "m".to_owned(), fingerprint: None, version: None, explicit: false });
    assert_eq!(plain.shutdown, None);
    let pinned = model("    pin: { model: m-2026-01-01, fingerprint: fp_1 }\n    shutdown: 2027-03-01\n");
    assert_eq!(
        (pinned.pin.model.as_str(), pinned.pin.fingerprint.as_deref()),
        ("m-2026-01-01", Some("fp_1"))
    );
    assert_eq!(pinned.shutdown.unwrap().to_string(), "2027-03-01");
    assert_eq!(model("    pin: { fingerprint: fp_1 }\n").pin.model, "m");
    let limits = model("    limits: { rpm: 60, tpm: 90000 }\n").limits;
    assert_eq!((limits.rpm, limits.tpm), (Some(60), Some(90_000)));
    for (written, auth) in [
        ("key_env: K", Auth::Bearer),
        ("key_env: K\n    auth: api-key", Auth::ApiKey),
        ("key_env: K\n    auth: x-api-key", Auth::XApiKey),
        ("auth: none", Auth::None),
    ] {
        let got = model(&format!("    {written}\n")).provider;
        assert!(matches!(got, Provider::Api { auth: a, .. } if a == auth), "{got:?}");
    }
    let gemini = "    provider: gemini\n    model: models/g-1\n    base_url: https://llm.example.test\n    key_env: K\n";
    let gemini = parse(&entry(gemini)).unwrap().models.remove(0);
    assert!(matches!(gemini.provider, Provider::Api { auth: Auth::XGoogApiKey, .. }));
    assert_eq!(gemini.pin.model, "g-1");
    insta::assert_snapshot!(errors(&entry(&format!("{api}    shutdown: next spring\n    auth: bearer\n    pin: {{ model: ' ' }}\n    limits: {{ rpm: 0 }}\n"))), @r"
    error: `next spring` is no date: write it as 2027-03-01
     --> m.yaml:7:15
      |
    7 |     shutdown: next spring
      |               ^^^^^^^^^^^

    error: `auth` says how a key is sent, but there is none: name its variable in `key_env`
     --> m.yaml:8:11
      |
    8 |     auth: …
      |           ^

    error: `pin.model` is empty
     --> m.yaml:9:19
      |
    9 |     pin: { model: ' ' }
      |                   ^^^

    error: `rpm` must be at least 1
      --> m.yaml:10:20
       |
    10 |     limits: { rpm: 0 }
       |                    ^
    ");
    insta::assert_snapshot!(errors(&entry("    provider: replay\n    trace: x\n    wire: anthropic\n    pin: { model: y }\n")), @r"
    error: `pin` has no meaning for provider `replay`: remove it
     --> m.yaml:7:19
      |
    7 |     pin: { model: y }
      |                   ^
    ");
    insta::assert_snapshot!(errors(&entry(&format!("{api}    key_env: K\n    auth: none\n"))), @r"
    error: `auth: none` sends no key, but `key_env` names one: remove one of them
     --> m.yaml:8:11
      |
    8 |     auth: …
      |           ^
    ");
}

#[test]
fn the_schema_knows_every_key_that_the_reader_knows() {
    let schema = schema();
    let keys = |place: &str| -> Vec<String> {
        schema.pointer(place).unwrap().as_object().unwrap().keys().cloned().collect()
    };
    let told = |text: &str| {
        let message = errors(text);
        let (_, list) = message.split_once("known: ").unwrap();
        list.lines()
            .next()
            .unwrap()
            .split(", ")
            .map(|key| key.trim_matches('`').to_owned())
            .collect::<Vec<_>>()
    };
    let sorted = |mut keys: Vec<String>| {
        keys.sort();
        keys
    };
    assert_eq!(sorted(keys("/$defs/Entry/properties")), sorted(told(&entry("    zzzzzz: x\n"))));
    assert_eq!(sorted(keys("/$defs/Limits/properties")), sorted(told(&entry("    limits: { zzzzzz: 1 }\n"))));
    assert_eq!(schema.pointer("/$defs/Entry/additionalProperties"), Some(&Value::Bool(false)));
    assert_eq!(schema.pointer("/$defs/Entry/required"), Some(&serde_json::json!(["id", "role", "provider"])));
    insta::assert_json_snapshot!(schema);
}

#[test]
fn prices_are_whole_numbers_of_millionths_and_nothing_is_guessed() {
    let api = "    provider: openai-chat\n    model: m\n    base_url: http://127.0.0.1/v1\n";
    let priced = |prices: &str| parse(&entry(&format!("{api}    prices: {prices}\n")));
    let prices = |text: &str| priced(text).unwrap().models.remove(0).prices.unwrap();
    let cheap = prices("{ currency: USD, input: 0.1, cached: 0.025, output: 3 }");
    assert_eq!((cheap.input, cheap.cached, cheap.output), (100_000, 25_000, 3_000_000));
    assert_eq!(prices("{ currency: EUR, input: 2.5, output: 10.00 }").cached, 2_500_000);
    assert_eq!(parse(&entry(api)).unwrap().models[0].prices, None);
    for (bad, says) in [
        ("{ currency: usd, input: 1, output: 1 }", "no currency"),
        ("{ currency: USD, input: -1, output: 1 }", "`input` of `prices`"),
        ("{ currency: USD, input: 1, output: 0.0000001 }", "`output` of `prices`"),
        ("{ currency: USD, input: 1, cached: 1e30, output: 1 }", "`cached` of `prices`"),
        ("{ currency: USD, input: 1 }", "output"),
        ("{ input: 1, output: 1 }", "currency"),
    ] {
        let error = priced(bad).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("m.yaml:7:"), "{bad}: {error}");
    }
}

#[test]
fn a_key_in_a_query_is_refused_and_a_version_is_not() {
    let with = |query: &str| {
        let url = format!("https://llm.example.test/v1?{query}");
        parse(&entry(&format!("    provider: openai-chat\n    model: m\n    base_url: '{url}'\n")))
    };
    assert!(with("api-version=2026-01-01").is_ok());
    for query in ["key=fk-1", "api_key=fk-1", "apikey=fk-1", "x=1&Access-Token=fk-1", "sig=fk-1"] {
        let error = with(query).unwrap_err().to_string();
        assert!(error.contains("holds a key in its query") && !error.contains("fk-1"), "{error}");
    }
}

#[test]
fn agent_programs_are_read_with_their_usual_names() {
    let matrix = parse(
        "models:
  - { id: a, role: other, provider: claude-code, model: claude-x-1, base_url: 'https://api.example.test', key_env: K, pin: { version: 2.1.0 } }
  - { id: b, role: other, provider: codex, model: m, base_url: 'https://api.example.test/v1', program: { run: [/opt/codex, --quiet] } }
  - { id: c, role: other, provider: command, program: { run: [agent], charter_file: docs/RULES.md, protocol: json-lines, tools: [search], mcp: true }, limits: { timeout_s: 5, max_processes: 9 } }
",
    )
    .unwrap();
    let program = |id: &str| matrix.get(id).unwrap().provider.program().unwrap().clone();
    assert_eq!(
        (program("a").run, program("a").charter_file),
        (vec!["claude".to_owned()], "CLAUDE.md".to_owned())
    );
    assert_eq!(
        (program("b").run[0].as_str(), program("b").charter_file.as_str()),
        ("/opt/codex", "AGENTS.md")
    );
    assert_eq!((program("c").protocol, program("c").model), (Protocol::JsonLines, None));
    assert_eq!(matrix.get("a").unwrap().pin.version.as_deref(), Some("2.1.0"));
    assert_eq!(matrix.get("a").unwrap().limits.timeout_s, 900);
    assert_eq!(matrix.get("c").unwrap().limits.max_processes, 9);
}

#[test]
fn an_agent_program_that_makes_no_sense_is_refused() {
    insta::assert_snapshot!(errors(
        "models:
  - { id: a, role: other, provider: command, base_url: 'http://127.0.0.1/v1', decoding: { temperature: 0 } }
  - { id: b, role: other, provider: claude-code, model: m, base_url: 'http://127.0.0.1', program: { protocol: text } }
  - { id: c, role: other, provider: command, program: { run: [' '], charter_file: ../RULES.md, tools: [fly] } }
  - { id: d, role: other, provider: openai-chat, model: m, base_url: 'http://127.0.0.1', program: { run: [x] }, pin: { version: '1' } }
  - { id: e, role: other, provider: codex, model: m, base_url: 'http://127.0.0.1', limits: { rpm: 3 } }
  - { id: f, role: other, provider: openai-chat, model: m, base_url: 'http://127.0.0.1', limits: { max_processes: 3 } }
"
    ));
}

#[test]
fn a_pin_that_an_agent_program_can_never_keep_is_refused() {
    let pinned = |program: &str, pin: &str| {
        let program = format!("run: [agent], charter_file: RULES.md{program}");
        parse(&entry(&format!("    provider: command\n    program: {{ {program} }}\n    pin: {{ {pin} }}\n")))
    };
    let told = |program: &str, pin: &str| pinned(program, pin).unwrap_err().to_string();
    assert!(told("", "fingerprint: fp_1").contains("`pin.fingerprint` cannot be kept by an agent program"));
    assert!(told("", "model: m-1").contains("nothing says which model answers"));
    assert!(pinned(", protocol: json-lines", "model: m-1").is_ok());
    let behind = "    provider: command\n    base_url: 'http://127.0.0.1/v1'\n    program: { run: [agent], charter_file: R.md, base_url_env: U }\n    pin: { model: m-1 }\n";
    assert!(parse(&entry(behind)).is_ok());
}
