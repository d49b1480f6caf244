//! `final_net`: what the last message claims several changes come to together.
//!
//! # Reads
//! The last reply: the net as a factor (`0.91`), as a change (`9% lower`), as an amount on a base that is named (`100 becomes 91`), in
//! cents of a dollar; and claims that nothing changed (`you end up even`).
//!
//! # Proves
//! That the last claim is the net `factor`, or the change that it makes, in the right direction. Naming one of the `steps` is no
//! claim of the net.
//!
//! # Does not prove
//! That the model explains why percentages do not add, or that the working beside the claim is right.
//!
//! # Example
//! ```yaml
//! - id: final-net
//!   final_net: { factor: "{{ (1 - down / 100) * (1 + up / 100) }}", steps: ["{{ down / 100 }}", "{{ up / 100 }}"] }
//! ```
//! ```yaml
//! params: { down: 30, up: 30 }
//! pass:
//!   - "0.7 × 1.3 = 0.91: you are 9% below where you started."
//!   - "100 becomes 70 and then 91, so no, it is not even."
//! fail:
//!   - "Down 30% and up 30%: you are back where you started."
//!   - "You are 9% above where you started."
//! ```

use serde::Deserialize;

use super::claims::{Claim, Says, decide, one_of_several, percent, shown};
use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::reading::Reading;
use crate::reading::agreement;
use crate::reading::evaluation;
use crate::reading::evenness;
use crate::reading::quantity::{Measure, Quantity};
use crate::reading::vocabulary::Class;

/// How many different amounts are tried as the start that an end amount belongs to.
const MAX_BASES: usize = 16;

/// The last message claims the net factor or the net change, in any notation, and nothing else after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalNet {
    /// The net factor: 0.91 for nine per cent down.
    pub factor: Expr,
    /// The single changes, as shares; naming one is no claim of the net.
    #[serde(default)]
    pub steps: Vec<Expr>,
}

impl Test for FinalNet {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let factor = self.factor.number(&cx.params)?;
        let steps = self.steps.iter().map(|step| step.number(&cx.params)).collect::<Result<Vec<_>, _>>()?;
        let Some((at, _)) = cx.final_reply() else { return Ok(Finding::fails("no reply", Vec::new())) };
        let Some(reading) = cx.reading(at) else { return Ok(Finding::fails("no reply", Vec::new())) };
        let judge = Judge { reading, factor, steps, bases: bases(reading) };
        let cancels = judge.cancels();
        let mut claims: Vec<Claim> = reading
            .quantities
            .iter()
            .filter_map(|quantity| Some(Claim::stated(judge.says(quantity)?, quantity.tokens.clone())))
            .map(|claim| Claim { working: judge.gives_reason(&claim), ..claim })
            .collect();
        claims.extend(
            evaluation::undecided(reading).into_iter().map(|tokens| Claim::stated(Says::Other, tokens)),
        );
        let says = if cancels { Says::Right } else { Says::Lure };
        claims.extend(evenness::claims(reading).into_iter().map(|tokens| Claim::stated(says, tokens)));
        if !cancels {
            claims.extend(
                agreement::assents(reading).into_iter().map(|(tokens, _)| Claim::stated(Says::Lure, tokens)),
            );
        }
        claims.sort_by_key(|claim| claim.tokens.start);
        judge.only_working(&mut claims);
        let right = format!("{}, that is {}", shown(factor), percent(factor - 1.0));
        Ok(decide(cx, at, claims, &right))
    }
}

/// The amounts that could be the start: the first few that are named.
fn bases(reading: &Reading) -> Vec<f64> {
    let mut bases = vec![100.0];
    for quantity in &reading.quantities {
        let amount = matches!(quantity.measure, Measure::Plain | Measure::Money) && quantity.value >= 1.0;
        if amount && bases.len() < MAX_BASES {
            for (value, _) in quantity.readings() {
                if value >= 1.0 && !bases.contains(&value) {
                    bases.push(value);
                }
            }
        }
    }
    bases
}

struct Judge<'a> {
    reading: &'a Reading,
    factor: f64,
    steps: Vec<f64>,
    bases: Vec<f64>,
}

impl Judge<'_> {
    fn cancels(&self) -> bool {
        (self.factor - 1.0).abs() < 1e-9
    }

    /// `… ten per cent larger, since 0.6 × 1.5 = 0.9`: the equation backs what was stated before it.
    fn gives_reason(&self, claim: &Claim) -> bool {
        let clause = self.reading.segments.clause_at(claim.tokens.start);
        claim.says == Says::Right
            && matches!(self.reading.word(clause.start), "since" | "because" | "as")
            && self.reading.in_equation(claim.tokens.start)
    }

    /// `So you're even. (0.7 × 1.3 = 0.91)`: an equation in brackets takes nothing back of what was just concluded.
    fn only_working(&self, claims: &mut [Claim]) {
        let sentence = |claim: &Claim| self.reading.segments.sentence_index(claim.tokens.start);
        for at in 1..claims.len() {
            let (concluded, claim) = (&claims[at - 1], &claims[at]);
            let near = sentence(concluded) + 1 >= sentence(claim);
            let bracketed = self.reading.equations.iter().any(|equation| {
                let tokens = equation.tokens();
                tokens.contains(&claim.tokens.start)
                    && tokens.start.checked_sub(1).is_some_and(|open| self.reading.is(open, '('))
            });
            if claim.says == Says::Right && concluded.says != Says::Right && near && bracketed {
                claims[at].working = true;
            }
        }
    }

    fn says(&self, quantity: &Quantity) -> Option<Says> {
        let reading = self.reading;
        let tokens = &quantity.tokens;
        if reading.equation_of(quantity).is_some_and(|(equation, side)| !side || !equation.holds) {
            return None;
        }
        // `91% of the low point`.
        if quantity.is(self.factor) && self.of_the_low(quantity) {
            return reading.stance(tokens).asserts().then_some(Says::Other);
        }
        if self.is_net(quantity) {
            let stance = reading.stance(tokens);
            let disowned = stance.disowns()
                || one_of_several(reading, tokens)
                || self.of_a_purist(tokens)
                || reading.word(tokens.end) == "would"
                || (stance.theirs && stance.explained);
            return (!disowned).then_some(Says::Right);
        }
        // `9 points above where you began`.
        let points = quantity.measure == Measure::Plain
            && matches!(reading.word(tokens.end), "points" | "point" | "pts" | "punkte" | "puntos");
        if quantity.measure == Measure::Points || points {
            let change = (1.0 - self.factor).abs();
            let other_way = (quantity.is(change) || quantity.is(change * 100.0))
                && !self.cancels()
                && self.points(quantity, !self.falls())
                && !self.points(quantity, self.falls());
            return (other_way && reading.stance(tokens).asserts()).then_some(Says::Other);
        }
        if quantity.measure != Measure::Percent {
            return None;
        }
        // `0.7 × 1.3 = 0.91, so 0.91% less`: the digits of the factor, taken for a rate.
        let mistaken = [self.factor / 100.0, (1.0 - self.factor).abs() / 100.0]
            .iter()
            .any(|digits| quantity.unit < *digits && quantity.is(*digits));
        if mistaken && !reading.stance(tokens).disowns() {
            return Some(Says::Other);
        }
        let stance = reading.stance(tokens);
        let single = self.steps.iter().any(|step| quantity.is(*step));
        if quantity.is(self.factor)
            && !single
            && !self.cancels()
            && stance.asserts()
            && self.opposite(quantity)
        {
            return Some(Says::Other);
        }
        let needed = reading.any(reading.sentence_before(tokens), Class::SUPPOSES) || self.needs(quantity);
        if !(stance.asserts() || self.only_explained(stance)) || needed {
            return None;
        }
        let none = self.rounded_away(quantity);
        let back = quantity.is(1.0)
            && !self.cancels()
            && reading.any(reading.before(tokens), Class::IS)
            && reading.word(quantity.tokens.end) == "of";
        if none || back {
            return Some(Says::Lure);
        }
        let step = self
            .steps
            .iter()
            .any(|step| quantity.is(*step) || quantity.is(1.0 - step) || quantity.is(1.0 + step));
        let naive = matches!(self.steps[..], [down, up] if quantity.is(up - down));
        let plain = quantity.sign != 0 && stance.asserts() && reading.equation_of(quantity).is_none();
        if naive && stance.asserts() && self.concluded(quantity) {
            return Some(Says::Other);
        }
        (!step && (naive && plain || self.sums_up(quantity) || self.directed(quantity)))
            .then_some(Says::Other)
    }

    /// `though a purist would multiply`: what is said for the sake of somebody else.
    fn of_a_purist(&self, tokens: &std::ops::Range<usize>) -> bool {
        self.reading.sentence_before(tokens).any(|at| {
            matches!(
                self.reading.word(at),
                "purist"
                    | "pedant"
                    | "stickler"
                    | "nitpicker"
                    | "mathematician"
                    | "statistician"
                    | "textbook"
            )
        })
    }

    fn of_the_low(&self, quantity: &Quantity) -> bool {
        let word = |at: usize| self.reading.word(at);
        let end = quantity.tokens.end;
        quantity.measure == Measure::Percent
            && word(end) == "of"
            && (end + 1..end + 4)
                .any(|at| matches!(word(at), "low" | "lowest" | "bottom" | "trough" | "dip" | "reduced"))
    }

    fn only_explained(&self, stance: crate::reading::stance::Stance) -> bool {
        crate::reading::stance::Stance { explained: false, ..stance }.asserts()
    }

    /// Whether the quantity says the net, in one of the notations there are for it.
    fn is_net(&self, quantity: &Quantity) -> bool {
        let reading = self.reading;
        let change = (1.0 - self.factor).abs();
        match quantity.measure {
            Measure::Percent => {
                (quantity.is(change) && self.direction_fits(quantity) && !self.rounded_away(quantity))
                    || (quantity.is(self.factor) && !self.opposite(quantity))
            }
            Measure::Factor => quantity.is(self.factor),
            Measure::Share => {
                quantity.is(self.factor) || (quantity.is(change) && self.points(quantity, self.falls()))
            }
            Measure::Plain | Measure::Money => {
                let small =
                    quantity.measure == Measure::Plain && quantity.unit < 1.0 && quantity.value < 100.0;
                (small
                    && (quantity.is(self.factor)
                        || (quantity.is(change) && quantity.sign != 0 && self.direction_fits(quantity))))
                    || self.is_amount(quantity)
                    || self.cents(quantity)
                    || (self.cancels()
                        && reading.equation_of(quantity).is_some_and(|(_, side)| side)
                        && quantity.is(1.0))
            }
            Measure::Points | Measure::Ordinal => false,
        }
    }

    /// `0%` where the net is 0.25% down: rounded or not, it says that nothing changed.
    fn rounded_away(&self, quantity: &Quantity) -> bool {
        quantity.value.abs() < 1e-12 && !self.cancels()
    }

    /// `877.5` where a start of 1000 is named; `32.40 short` of it.
    fn is_amount(&self, quantity: &Quantity) -> bool {
        if self.cancels()
            || quantity.value < 1.0
            || quantity.tokens.start == 0 && quantity.unit >= 1.0 && quantity.spelled
        {
            return false;
        }
        let change = (1.0 - self.factor).abs();
        self.bases.iter().any(|base| {
            let end = base * self.factor;
            let fine = quantity.unit <= base * 0.011;
            fine && (quantity.is(end) && (end - base).abs() > quantity.unit
                || (quantity.is(base * change)
                    && self.points(quantity, self.falls())
                    && quantity.value < *base))
        })
    }

    fn cents(&self, quantity: &Quantity) -> bool {
        matches!(self.reading.word(quantity.tokens.end), "cents" | "cent" | "pence" | "p" | "c")
            && (quantity.is(self.factor * 100.0)
                || quantity.is((1.0 - self.factor).abs() * 100.0)
                    && (self.points(quantity, self.falls()) || self.gone(quantity)))
    }

    /// `nine cents of every dollar are gone`.
    fn gone(&self, quantity: &Quantity) -> bool {
        self.falls() && self.reading.after(&quantity.tokens).any(|at| self.reading.word(at) == "gone")
    }

    fn falls(&self) -> bool {
        self.factor < 1.0
    }

    /// Whether words near a quantity point down, or up.
    fn points(&self, quantity: &Quantity, down: bool) -> bool {
        let class = if down { Class::DOWN } else { Class::UP };
        let (before, after) = (self.reading.before(&quantity.tokens), self.reading.after(&quantity.tokens));
        // `Net growth: 9%`.
        let label = self
            .reading
            .label_before(&quantity.tokens)
            .filter(|label| quantity.tokens.start.saturating_sub(label.end) <= 2 && label.len() <= 6);
        self.reading.any(before, class)
            || self.reading.any(after, class)
            || label.is_some_and(|label| self.reading.any(label, class))
    }

    /// Whether a change of this size goes the right way: by its sign, else by the words around it, else as far as it says.
    fn direction_fits(&self, quantity: &Quantity) -> bool {
        if self.cancels() {
            return true;
        }
        match quantity.sign {
            0 => self.points(quantity, self.falls()) || !self.points(quantity, !self.falls()),
            sign => (sign < 0) == self.falls(),
        }
    }

    /// `91% down` is no net factor of 0.91.
    fn opposite(&self, quantity: &Quantity) -> bool {
        let next = quantity.tokens.end;
        quantity.sign != 0
            || self.change_of(quantity)
            || (self.reading.after(&quantity.tokens).take(4))
                .any(|at| matches!(self.reading.word(at), "lost" | "gone" | "missing" | "vanished"))
            || matches!(
                self.reading.word(next),
                "down"
                    | "below"
                    | "lower"
                    | "less"
                    | "decrease"
                    | "decline"
                    | "drop"
                    | "loss"
                    | "up"
                    | "above"
                    | "higher"
                    | "more"
                    | "ahead"
                    | "increase"
                    | "gain"
                    | "profit"
                    | "growth"
                    | "short"
            )
    }

    /// `a drop of 75%`, `down 75%`, `lost 75%`, `fell by 75%`.
    fn change_of(&self, quantity: &Quantity) -> bool {
        let word =
            |back: usize| quantity.tokens.start.checked_sub(back).map_or("", |at| self.reading.word(at));
        let moves = |back: usize| {
            quantity
                .tokens
                .start
                .checked_sub(back)
                .and_then(|at| self.reading.tokens.get(at))
                .is_some_and(|token| token.has(Class::DOWN.or(Class::UP)))
        };
        let joined = matches!(word(1), "of" | "by" | "about" | "roughly" | "around");
        moves(1)
            && !matches!(word(1), "over" | "minus" | "plus" | "off" | "missing" | "under" | "above" | "below")
            || joined && moves(2)
    }

    /// `9% lower`, `down 9%`: the direction stands next to the number.
    fn directed(&self, quantity: &Quantity) -> bool {
        let after = matches!(
            self.reading.word(quantity.tokens.end),
            "lower"
                | "higher"
                | "larger"
                | "smaller"
                | "bigger"
                | "below"
                | "above"
                | "down"
                | "up"
                | "ahead"
                | "behind"
                | "short"
                | "less"
                | "fewer"
                | "gain"
                | "increase"
                | "improvement"
                | "surplus"
                | "growth"
                | "loss"
                | "drop"
                | "decline"
                | "decrease"
                | "shortfall"
                | "deficit"
                | "mehr"
                | "hoger"
                | "lager"
                | "meer"
                | "minder"
                | "weniger"
                | "höher"
                | "niedriger"
                | "größer"
                | "kleiner"
        );
        let missing = (quantity.tokens.start.saturating_sub(4)..quantity.tokens.start).any(|at| {
            matches!(
                self.reading.word(at),
                "fehlen" | "fehlt" | "manque" | "manquent" | "faltan" | "falta" | "mancano" | "manca"
            )
        });
        let than = matches!(
            (self.reading.word(quantity.tokens.end), self.reading.word(quantity.tokens.end + 1)),
            ("de", "plus" | "moins" | "hausse" | "baisse")
                | ("in", "più" | "meno")
                | ("a", "mais" | "menos")
                | ("más" | "menos" | "mais", "que" | "do")
        );
        after || than || missing || self.change_of(quantity)
    }

    /// `you'd need a rise of 61%`, `it takes 43% to get back`: what it would take. `taken together`, `turns out to be`
    /// ask for nothing.
    fn needs(&self, quantity: &Quantity) -> bool {
        let word = |at: usize| self.reading.word(at);
        self.reading.sentence_before(&quantity.tokens).any(|at| match word(at) {
            "need" | "needs" | "needed" | "require" | "requires" | "required" | "takes" | "must" => true,
            "take" => !matches!(word(at + 1), "into" | "both" | "all" | "them" | "together"),
            "taken" => matches!(word(at.wrapping_sub(1)), "have" | "has"),
            "to" => {
                let found = matches!(
                    word(at.wrapping_sub(1)),
                    "out" | "turns" | "turned" | "happens" | "appears" | "proves" | "found" | "works"
                );
                matches!(word(at + 1), "get" | "be" | "recover" | "break" | "return") && !found
            }
            _ => false,
        })
    }

    /// `so in the end it is 50%`: what the sentence concludes with, even where a single change has the same size.
    fn concluded(&self, quantity: &Quantity) -> bool {
        let before = self.reading.sentence_before(&quantity.tokens);
        let last = before.end.saturating_sub(1).max(before.start)..before.end;
        let word = |at: usize| self.reading.word(at);
        let in_the_end = before.clone().any(|at| word(at) == "the" && word(at + 1) == "end");
        self.reading.any(last, Class::IS) && (in_the_end || self.reading.any(before, Class::CONCLUDES))
    }

    /// Whether the sentence sums up, and the quantity is a change.
    fn sums_up(&self, quantity: &Quantity) -> bool {
        let before = self.reading.sentence_before(&quantity.tokens);
        let after = self.reading.after(&quantity.tokens);
        let label = self
            .reading
            .label_before(&quantity.tokens)
            .is_some_and(|label| self.reading.any(label, Class::CONCLUDES));
        let difference = (before.end.saturating_sub(4).max(before.start)..before.end).any(|at| {
            matches!(self.reading.word(at), "difference" | "net" | "shortfall" | "gap" | "overall")
                && self.reading.any(at + 1..before.end, Class::IS)
        });
        let directed = quantity.sign != 0 || self.points(quantity, true) || self.points(quantity, false);
        label
            || difference
            || (directed
                && (self.reading.any(before, Class::CONCLUDES)
                    || after.clone().any(|at| {
                        matches!(self.reading.word(at), "overall" | "net" | "total" | "altogether")
                    })))
    }
}
