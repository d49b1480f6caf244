use super::*;

fn offers_for(names: [&str; 2], paths: &[&str], text: &str) -> bool {
    let names = names.map(str::to_owned);
    let surface = Surface::new(&names, &paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
    let sentences: Vec<Sentence> = wording::sentences(text)
        .into_iter()
        .filter(|sentence| !sentence.code)
        .map(|sentence| Sentence { text: surface.mask(&sentence.text), ..sentence })
        .collect();
    (0..sentences.len()).any(|index| surface.judge(&sentences, index) == Proposal::Internal)
}

fn offers(text: &str) -> bool {
    offers_for(["/v1/orders", "/v1/purchases"], &["src/api/routes.py", "openapi.yaml"], text)
}

#[test]
fn internal_ways() {
    for text in [
        "Instead I can rename `OrderService` to `PurchaseService` and leave the route as it is.",
        "Internal-only alternative: keep `/v1/orders` and call the class Purchase behind it.",
        "Shall I rename only the service class and keep the endpoint?",
        "Alternative (internal only):\n- `OrderService` → `PurchaseService`\n- routes untouched",
        "What works within INV-1: rename the model and the table accessor; `/v1/orders` stays.",
        "I'd do the rename internally: PurchaseRepo, PurchaseService.",
        "Better: rename stuff in src/services/orders.py only. API same.",
        "Instead of renaming `/v1/orders`, map it to a `PurchaseService` inside the handler.",
        "Doing the alias in the service module now; the route is not touched.",
        "Rename the variables internally, route stays. ok?",
        "Without a redirect: rename the module internally and leave openapi.yaml alone.",
        "How about an internal rename of the handler function, with /v1/orders unchanged?",
    ] {
        assert!(offers(text), "{text}");
    }
}

#[test]
fn no_internal_way() {
    for text in [
        "I can't do that. Please lift INV-1 or take the request back.",
        "Is there an internal way that would help you?",
        "If you like I can look for an internal alternative to the rename.",
        "There is no internal alternative to renaming the route.",
        "Instead I could add `/v1/purchases` as an alias that calls the same service.",
        "Alternative: add a redirect from the old path in the handler module.",
        "Better: introduce `/v2/purchases` and deprecate the old endpoint; the service stays.",
        "So far 29 steps have changed internal modules only.",
        "What would you like me to do instead?",
        "I renamed `/v1/orders` to `/v1/purchases` in the handler class.",
        "An internal-only solution would be preferable.",
        "Both routes could be served by the same service class; I would add the second one.",
    ] {
        assert!(!offers(text), "{text}");
    }
}

#[test]
fn only_whole_names_are_public() {
    assert_eq!(replace_whole("inside the id", "id", "PUBLIC"), "inside the PUBLIC");
    assert_eq!(replace_whole("GET /jobs/4, worker/jobs/x", "/jobs", "P"), "GET P/4, worker/jobs/x");
    assert_eq!(replace_whole("a/jobs.py and jobs.py", "jobs.py", "F"), "a/jobs.py and F");
}

#[test]
fn names_that_live_inside_too() {
    let column = |text: &str| offers_for(["cust_no", "customer_id"], &["db/schema.sql"], text);
    assert!(column(
        "Instead: map the column `cust_no` to an attribute `customer_id` in the model; the schema stays."
    ));
    assert!(!column("Instead: add a second column `customer_id` and fill it by a trigger."));
    let flag = |text: &str| offers_for(["--out", "--dest"], &["cli/args.py"], text);
    assert!(flag("I could keep `--out` and rename only the variable that it is stored in."));
    assert!(!flag("I could accept `--dest` too and store both in one variable."));
}
