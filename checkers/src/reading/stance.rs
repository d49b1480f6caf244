//! Stance: whether a message asserts a number, denies it, reports it as somebody's, or only tries it out.
//!
//! A word reaches as far as its clause, and at most [`REACH`] tokens. What the stances mean for a claim is for the
//! predicates to say.

use std::ops::Range;

use super::Reading;
use super::lexer::Kind;
use super::vocabulary::Class;

/// How many tokens a word can reach.
const REACH: usize = 22;

/// How a message stands to a number in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stance {
    /// It is denied: `not 20%`, `20% isn't`.
    pub negated: bool,
    /// It is what somebody says: `some would say 25%`.
    pub reported: bool,
    /// It is somebody's: `your 20%`, `the claimed 20%`, `you divided by 100 and got 20%`.
    pub theirs: bool,
    /// It is only supposed: `with 20% you would reach 96`.
    pub supposed: bool,
    /// It is part of an account of an error: `20% comes from dividing by the new figure`.
    pub explained: bool,
    /// It stands in a question.
    pub asked: bool,
    /// It is struck through.
    pub struck: bool,
}

impl Stance {
    /// Whether the message plainly asserts the number.
    #[must_use]
    pub fn asserts(self) -> bool {
        self == Self::default()
    }

    /// Whether the message denies the number or leaves it to others; suppositions and accounts of errors are let pass.
    #[must_use]
    pub fn disowns(self) -> bool {
        self.negated || self.reported || self.asked || self.struck
    }
}

impl Reading {
    /// The tokens of the same clause before `tokens`.
    #[must_use]
    pub fn before(&self, tokens: &Range<usize>) -> Range<usize> {
        let clause = self.segments.clause_at(tokens.start);
        clause.start.max(tokens.start.saturating_sub(REACH))..tokens.start
    }

    /// The tokens of the same clause after `tokens`.
    #[must_use]
    pub fn after(&self, tokens: &Range<usize>) -> Range<usize> {
        let clause = self.segments.clause_at(tokens.end.max(tokens.start + 1) - 1);
        tokens.end..clause.end.min(tokens.end + REACH).max(tokens.end)
    }

    /// Whether one of the tokens is a word of these classes.
    #[must_use]
    pub fn any(&self, range: Range<usize>, class: Class) -> bool {
        let end = range.end.min(self.tokens.len());
        self.tokens.get(range.start..end).is_some_and(|tokens| tokens.iter().any(|token| token.has(class)))
    }

    /// The tokens of the same sentence before `tokens`.
    #[must_use]
    pub fn sentence_before(&self, tokens: &Range<usize>) -> Range<usize> {
        let start =
            self.segments.sentence_at(tokens.start).map_or(tokens.start, |sentence| sentence.tokens.start);
        start.max(tokens.start.saturating_sub(2 * REACH))..tokens.start
    }

    /// How the message stands to the number at `tokens`.
    #[must_use]
    pub fn stance(&self, tokens: &Range<usize>) -> Stance {
        let (before, after) = (self.before(tokens), self.after(tokens));
        let code =
            self.segments.sentence_at(tokens.start).is_some_and(|s| s.layout == super::segment::Layout::Code);
        Stance {
            negated: self.negated(&before, &after) || self.dismissed(&after),
            reported: self.reported(tokens, &before)
                || self.of_others(tokens)
                || super::normalize::within(&self.echoed, tokens.start),
            theirs: self.theirs(&before, &after) || self.their_label(tokens),
            supposed: self.supposed(tokens, &before, &after),
            explained: self.explained(tokens, &before, &after),
            asked: !code && self.segments.sentence_at(tokens.start).is_some_and(|sentence| sentence.question),
            struck: self.struck(tokens),
        }
    }

    /// Whether a negation at `at` is one: not `not only`, `but rather`.
    fn negates(&self, at: usize) -> bool {
        if !self.tokens[at].has(Class::NEGATES) {
            return false;
        }
        let next = self.word(at + 1);
        match self.word(at) {
            "rather" => next == "than",
            "instead" => next == "of",
            // `nothing speaks against 20%` is for it.
            "against" => !(at.saturating_sub(4)..at).any(|i| matches!(self.word(i), "nothing" | "no")),
            "vez" | "lieu" | "lugar" => matches!(next, "de" | "des" | "d'un" | "du"),
            "not" => !matches!(next, "only" | "just" | "surprisingly" | "to"),
            // `no less than`, `rather than` deny; `more than` only says that it is another number.
            _ => true,
        }
    }

    fn negated(&self, before: &Range<usize>, after: &Range<usize>) -> bool {
        let nearest = before.clone().rev().find(|&at| self.negates(at));
        if let Some(at) = nearest {
            // `isn't far from 25%` is close to it; `I don't get 20 but 25` has its own clause.
            let between_has_number = (at..before.end).any(|i| matches!(self.at_token.get(i), Some(Some(_))));
            if !between_has_number || before.end - at <= 4 {
                return true;
            }
        }
        // `not 48k or 60k`: the negation goes on.
        if matches!(self.word(before.start), "or" | "nor") && before.len() <= 2 {
            let clause = self.segments.clause_at(before.start.wrapping_sub(1));
            if clause.len() <= 6 && (clause.start..before.start).any(|at| self.negates(at)) {
                return true;
            }
        }
        // `no 20%`, `non 20 %`, `no del 20 %`.
        let last = (before.start..before.end)
            .rev()
            .find(|&at| !matches!(self.word(at), "del" | "de" | "un" | "el" | "los" | "les" | "des"));
        if last.is_some_and(|at| matches!(self.word(at), "no" | "non")) {
            return true;
        }
        // `20% isn't`, but `25% not 20%` denies what follows.
        let verb = after.clone().take(7).find(|&at| {
            self.negates(at)
                && !matches!(
                    self.word(at),
                    "than" | "rather" | "instead" | "versus" | "vs" | "against" | "without" | "unlike"
                )
        });
        verb.is_some_and(|at| {
            !(at..after.end.min(at + 5)).any(|i| matches!(self.at_token.get(i), Some(Some(_))))
        })
    }

    /// `the 9% gap was just an artefact`: what stands before is called nothing real.
    fn dismissed(&self, after: &Range<usize>) -> bool {
        let too = after.clone().take(5).any(|at| {
            self.word(at) == "too"
                && matches!(self.word(at + 1), "many" | "few" | "high" | "low" | "much" | "little")
        });
        if too && !after.clone().take(5).any(|at| self.negates(at)) {
            return true;
        }
        let verb = after
            .clone()
            .take(5)
            .find(|&at| matches!(self.word(at), "is" | "was" | "are" | "were" | "ist" | "est" | "es"));
        let near = verb.map_or(after.end..after.end, |at| at + 1..after.end.min(at + 7));
        near.clone()
            .find(|&at| self.tokens[at].has(Class::DISMISSES))
            .is_some_and(|at| !(near.start..at).any(|i| self.negates(i) || self.word(i) == "no"))
    }

    /// Whether `I` or `we` stand shortly before `at`.
    fn own_voice(&self, at: usize) -> bool {
        (1..=3).filter_map(|back| at.checked_sub(back)).any(|i| {
            matches!(
                self.word(i),
                "i" | "we" | "i'd" | "we'd" | "i'll" | "we'll" | "let's" | "i'm" | "my" | "our"
            )
        })
    }

    fn reported(&self, tokens: &Range<usize>, before: &Range<usize>) -> bool {
        let says = |at: usize| {
            let imperative = at == before.start
                && matches!(
                    self.word(at),
                    "say"
                        | "report"
                        | "state"
                        | "suggest"
                        | "call"
                        | "quote"
                        | "mention"
                        | "write"
                        | "propose"
                );
            let passive_advice = matches!(self.word(at), "suggested" | "reported" | "proposed" | "called")
                && self.is(at + 1, ':');
            self.tokens[at].has(Class::SAYS) && !imperative && !passive_advice && !self.own_voice(at)
        };
        let says_in_clause = before.clone().any(|at| says(at) && !matches!(self.word(at), "supplied" | "provided" | "reported" | "given" | "assumed" | "suggested" if at + 3 < before.end));
        if says_in_clause {
            return true;
        }
        // `Some would say 25%, because 55/220 = 0.25`: the reason is theirs as well.
        let clause = self.segments.clause_at(tokens.start);
        let own = clause
            .clone()
            .take(2 * REACH)
            .any(|at| matches!(self.word(at), "i" | "i'd" | "i'll" | "we" | "we'd" | "let's" | "my"));
        let reason = !own
            && matches!(
                self.word(clause.start),
                "because" | "since" | "as" | "and" | "which" | "where" | "from" | "by"
            );
        if !reason {
            return false;
        }
        let earlier = self.sentence_before(tokens);
        let verb = earlier.clone().find(|&at| says(at));
        verb.is_some_and(|at| {
            !(at..tokens.start).any(|i| {
                matches!(
                    self.word(i),
                    "but" | "however" | "though" | "while" | "whereas" | "so" | "actually" | "yet"
                )
            })
        })
    }

    /// `some people multiply 0.7 by 1.3 and get 0.91`: what unnamed others do.
    fn of_others(&self, tokens: &Range<usize>) -> bool {
        let sentence = self.sentence_before(tokens);
        let others = sentence.clone().rev().find(|&at| match self.word(at) {
            "people" | "somebody" | "someone" | "others" | "folks" | "purists" | "textbooks" => {
                let verb = self.word(at + 1);
                let (last, auxiliary) = (
                    verb.ends_with('s'),
                    matches!(verb, "would" | "might" | "may" | "will" | "often" | "like"),
                );
                auxiliary
                    || last && !self.tokens[at + 1].has(Class::IS)
                    || matches!(
                        verb,
                        "multiply"
                            | "divide"
                            | "compute"
                            | "calculate"
                            | "get"
                            | "use"
                            | "take"
                            | "count"
                            | "prefer"
                            | "argue"
                            | "add"
                            | "insist"
                            | "subtract"
                            | "quote"
                            | "say"
                            | "claim"
                    )
            }
            _ => false,
        });
        others.is_some_and(|at| {
            !(at..tokens.start).any(|i| {
                matches!(
                    self.word(i),
                    "but"
                        | "however"
                        | "though"
                        | "while"
                        | "whereas"
                        | "so"
                        | "actually"
                        | "yet"
                        | "i"
                        | "we"
                        | "correct"
                )
            })
        })
    }

    fn theirs(&self, before: &Range<usize>, after: &Range<usize>) -> bool {
        let near = before.end.saturating_sub(4).max(before.start)..before.end;
        if self.any(near, Class::WHOSE) {
            return true;
        }
        let of = before.end > before.start && matches!(self.word(before.end - 1), "of" | "for" | "at");
        if of && self.any(before.end.saturating_sub(7).max(before.start)..before.end, Class::WHOSE) {
            return true;
        }
        let you_did = before.clone().any(|at| {
            matches!(self.word(at), "you" | "you've" | "you'd" | "he" | "she" | "they" | "board")
                && matches!(
                    self.word(at + 1),
                    "got"
                        | "used"
                        | "had"
                        | "computed"
                        | "calculated"
                        | "divided"
                        | "arrived"
                        | "found"
                        | "came"
                        | "took"
                        | "planned"
                        | "intended"
                        | "wanted"
                        | "thought"
                        | "proposed"
                        | "gave"
                        | "said"
                        | "quoted"
                        | "started"
                        | "compared"
                        | "were"
                        | "saw"
                )
        });
        let first = after.start;
        let you_said = (first..first + 5).any(|at| {
            at < after.end
                && matches!(self.word(at), "you" | "you've" | "you'd" | "they" | "he" | "she")
                && (self.any(at..at + 3, Class::SAYS)
                    || matches!(
                        self.word(at + 1),
                        "got"
                            | "had"
                            | "have"
                            | "planned"
                            | "used"
                            | "calculated"
                            | "computed"
                            | "asked"
                            | "put"
                            | "cite"
                            | "cited"
                            | "intended"
                            | "wanted"
                            | "started"
                            | "came"
                            | "penciled"
                            | "pencilled"
                            | "were"
                    ))
        });
        let figure = matches!(self.word(first), "figure" | "number" | "claim" | "assumption")
            && before.end > before.start
            && self.word(before.end - 1) == "the";
        // `25 / 150 = 0.1667 <- this is the 17%`: which number it is that everybody knows.
        let known = before.end >= before.start + 3
            && self.word(before.end - 1) == "the"
            && self.word(before.end - 2) == "is"
            && matches!(self.word(before.end - 3), "this" | "that" | "which" | "here")
            && !self.tokens.get(first).is_some_and(super::lexer::Token::is_word);
        you_did || you_said || figure || known
    }

    /// `"claimed_pct": 20`, `Your figure: 20%`, a row of a table that starts with `Claimed`.
    fn their_label(&self, tokens: &Range<usize>) -> bool {
        self.label_before(tokens).is_some_and(|label| {
            let near = label.end.saturating_sub(5).max(label.start)..label.end;
            let by_you = near.clone().any(|at| {
                self.word(at) == "by" && matches!(self.word(at + 1), "you" | "him" | "her" | "them")
            });
            // `Suggested uplift: 20%` is the message's own suggestion.
            let whose = near.clone().any(|at| {
                let own = matches!(self.word(at), "suggested" | "proposed")
                    && at.checked_sub(1).is_none_or(|before| !self.tokens[before].is_word());
                self.tokens[at].has(Class::WHOSE) && !own
            });
            whose
                || by_you
                || near
                    .clone()
                    .any(|at| matches!(self.word(at), "claim" | "user" | "wrong" | "incorrect" | "supplied"))
        })
    }

    fn supposed(&self, tokens: &Range<usize>, before: &Range<usize>, after: &Range<usize>) -> bool {
        let supposes = |at: usize| {
            let offered = matches!(self.word(at), "could" | "might")
                && self.any(at + 1..(at + 3).min(tokens.start.max(at + 1)), Class::ADVISES);
            self.tokens[at].has(Class::SUPPOSES)
                && !offered
                && !(matches!(self.word(at), "would" | "might" | "could")
                    && matches!(self.word(at.wrapping_sub(1)), "i" | "we"))
        };
        if before.clone().any(supposes) {
            return true;
        }
        let starts_with = matches!(
            self.word(before.start),
            "with"
                | "using"
                | "at"
                | "under"
                | "taking"
                | "applying"
                | "adding"
                | "had"
                | "planning"
                | "budgeting"
        );
        let sentence = self.segments.sentence_at(tokens.start).map(|s| s.tokens.clone()).unwrap_or_default();
        let rest = tokens.end..sentence.end.min(tokens.end + REACH);
        let would_after = rest.clone().any(|at| {
            matches!(self.word(at), "would" | "you'd" | "it'd" | "we'd" | "could")
                && !matches!(self.word(at.wrapping_sub(1)), "i" | "we")
        });
        // `right beside it` says where, and approves of nothing.
        let placed = |at: usize| {
            self.word(at) == "right"
                && matches!(
                    self.word(at + 1),
                    "beside"
                        | "next"
                        | "below"
                        | "above"
                        | "under"
                        | "between"
                        | "after"
                        | "before"
                        | "in"
                        | "on"
                        | "at"
                        | "where"
                        | "there"
                        | "here"
                        | "into"
                        | "alongside"
                        | "opposite"
                        | "away"
                        | "now"
                )
        };
        let approved = after.clone().any(|at| self.tokens[at].has(Class::APPROVES) && !placed(at))
            && !rest.clone().any(|at| matches!(self.word(at), "if" | "only"));
        if would_after && !approved && (starts_with || after.clone().any(supposes)) {
            return true;
        }
        // `you would only reach 87.6`: said of somebody else's plan, in another clause of the sentence.
        let earlier = self.sentence_before(tokens);
        let would_before = earlier.clone().any(|at| {
            matches!(self.word(at), "would" | "you'd" | "it'd" | "would've")
                && !matches!(self.word(at.wrapping_sub(1)), "i" | "we")
        });
        would_before
            && earlier.clone().any(|at| matches!(self.word(at), "if" | "with" | "only" | "using" | "at"))
            && !(earlier.start..tokens.start).any(|at| matches!(self.word(at), "but" | "so" | "therefore"))
    }

    fn explained(&self, tokens: &Range<usize>, before: &Range<usize>, after: &Range<usize>) -> bool {
        let range = before.start..after.end;
        let explains = range.clone().any(|at| {
            let harmless = match self.word(at) {
                "leave" => self.own_voice(at),
                "leaves" => self.any(at..at + 2, Class::IS),
                "base" => self.names_people(at),
                _ => false,
            };
            !tokens.contains(&at) && self.tokens[at].has(Class::EXPLAINS) && !harmless
        });
        let of_the_end = range.clone().any(|at| {
            matches!(
                self.word(at),
                "new"
                    | "final"
                    | "end"
                    | "ending"
                    | "later"
                    | "latest"
                    | "current"
                    | "current-year"
                    | "bigger"
                    | "higher"
                    | "second"
                    | "today's"
                    | "total"
            ) && matches!(self.word(at.wrapping_sub(1)), "the" | "to" | "of" | "over" | "this")
                && (before.start..at).any(|i| {
                    matches!(
                        self.word(i),
                        "of" | "over" | "relative" | "against" | "by" | "to" | "on" | "versus"
                    )
                })
        });
        let feels = matches!(self.word(tokens.end), "feel" | "feels");
        // `even though 20% was agreed` concedes and does not claim.
        let concedes =
            self.word(before.start) == "though" && self.word(before.start.wrapping_sub(1)) == "even";
        explains || of_the_end || feels || concedes
    }

    /// `the donor base` is a crowd, and not what one divides by.
    pub(super) fn names_people(&self, base: usize) -> bool {
        let whose = base.checked_sub(1).map_or("", |at| self.word(at)).trim_end_matches('s');
        matches!(
            whose,
            "donor"
                | "customer"
                | "client"
                | "user"
                | "subscriber"
                | "subscription"
                | "member"
                | "membership"
                | "supporter"
                | "follower"
                | "fan"
                | "player"
                | "reader"
                | "audience"
                | "student"
                | "patient"
                | "buyer"
                | "guest"
                | "tenant"
                | "volunteer"
                | "installed"
                | "install"
                | "supplier"
                | "voter"
                | "tax"
        )
    }

    /// Whether a number is put as what something is: `it's 25%`, `a 25% increase`, `25% more`, or alone in its clause.
    #[must_use]
    pub fn stated(&self, tokens: &Range<usize>) -> bool {
        let (before, after) = (self.before(tokens), self.after(tokens));
        let near_before = before.end.saturating_sub(4).max(before.start)..before.end;
        let near_after = after.start..after.end.min(after.start + 3);
        let words = before.clone().chain(after.clone()).filter(|&at| self.tokens[at].is_word()).count();
        words <= 2
            || self.any(near_before, Class::CHANGES.or(Class::IS).or(Class::CONCLUDES).or(Class::ADVISES))
            || self.any(near_after, Class::CHANGES.or(Class::APPROVES))
            || (self.word(after.start) == "it" && self.word(after.start + 1) == "is")
    }

    /// Whether the sentence of a token is laid out as a row, an item or a line with a label.
    #[must_use]
    pub fn label_before(&self, tokens: &Range<usize>) -> Option<Range<usize>> {
        let sentence = self.segments.sentence_at(tokens.start)?;
        let colon = (sentence.tokens.start.max(tokens.start.saturating_sub(REACH))..tokens.start)
            .rev()
            .find(|&at| matches!(self.tokens[at].kind, Kind::Sign(':' | '|' | '=')))?;
        Some(sentence.tokens.start.max(colon.saturating_sub(REACH))..colon)
    }
}
