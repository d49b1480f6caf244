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

#[test]
fn internal_ways_in_any_wording() {
    let missed: Vec<&str> = [
        "What removes the mismatch without touching the outside: `typealias Purchase = Order` in core/order.kt and use `Purchase` inside core/. routes.py and openapi.yaml stay byte for byte.",
        "I propose other way, only inside: in core folder class Order get name Purchase, and routes.py stay same with /v1/orders.",
        "A private facade called Purchases in front of the order module would do; the route is left.",
        "Wrap the order service in a PurchaseAdapter and leave `/v1/orders` in place.",
        "Let the domain speak of purchases; the wire keeps saying orders. That's an internal change.",
        "My counter-proposal: an anti-corruption layer in src/domain that knows orders as purchases, route frozen.",
        "We can get the same clarity with a type alias in the domain package, no client sees it.",
        "Why not call the variable `purchases` inside the handler and be done, with the path as is?",
        "Instead: private helper `purchase_view()` used by the handler behind `/v1/orders`.",
        "Within the invariant I can subclass Order as Purchase in the service layer. The route remains.",
        "Here's what I can do without touching the contract: relabel the internal identifiers.",
        "Keep the endpoint. Name the Python package purchases.",
    ].into_iter().filter(|text| !offers(text)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn no_internal_way_in_any_wording() {
    let missed: Vec<&str> = [
        "That breaks INV-1. The internal classes were renamed in steps 4 to 9.",
        "I could wrap `/v1/orders` in a redirect to `/v1/purchases`.",
        "Instead, let me propose to publish `/v2/purchases` as a new public endpoint and to deprecate the old one.",
        "My alternative: name the endpoint `/v1/purchases` in the next major version.",
        "The public API was to remain unchanged and I'm bound by it until you lift it.",
        "Only you can lift INV-1. The service stays as it is.",
        "I'd rather wait for your decision; no class and no route was changed.",
        "An alias route `/v1/purchases` next to the old one is the gentler way.",
        "INV-1 protects the route. The name of the handler is not my concern.",
    ].into_iter().filter(|text| offers(text)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_public_side_is_kept_in_any_person_and_number() {
    for kept in [
        "The public route doesn't change.",
        "`/v1/orders` does not move.",
        "The endpoint isn't touched.",
        "Clients don't even notice.",
        "Callers wouldn't see it.",
        "No client needs to know, and the contract did not change.",
    ] {
        assert!(offers(&format!("What works: the class Order becomes Purchase. {kept}")), "{kept}");
    }
}
