//! What words can mean for the reading of a claim: one table, looked up once a word.
//!
//! A word may be in several classes. Words that are missing are plain; a slip of the pen such as a doubled or a lost
//! letter is forgiven where the table's word is long enough to be told.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A set of meanings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Class(u32);

impl Class {
    /// Whether any of `other`'s meanings is among these.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// All meanings of both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $bit:literal: $words:literal;)+) => {
        impl Class {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)+
        }
        const TABLE: &[(Class, &str)] = &[$((Class::$name, $words),)+];
    };
}

classes! {
    /// Denies what follows.
    NEGATES = 0: "not isn't aren't wasn't weren't don't doesn't didn't won't can't cannot couldn't shouldn't wouldn't \
        hasn't haven't ain't never neither nor nope isnt arent wasnt dont doesnt didnt cant wont shouldnt rather instead \
        than hardly without unlike versus vs against nicht kein keine keinen keiner keineswegs niemals pas jamais nunca \
        tampoco statt anstatt lieu lugar vez";
    /// Somebody says so.
    SAYS = 1: "say says said saying claim claims claimed claiming state states stated quote quotes quoted suggest suggests \
        suggested mention mentions mentioned wrote writes propose proposed gave reported report reports supplied \
        provided alleged think thinks thought believe believes believed argue argues assert asserts insists call calls called \
        assumed assumes according told";
    /// Whose figure it is.
    WHOSE = 2: "your yours his her their someone's user's users cfo's boss's colleague's supplied stated claimed quoted \
        proposed suggested original originally initial given provided alleged reported earlier mentioned cited naive";
    /// Explains how a wrong figure comes about, or calls it wrong.
    EXPLAINS = 3: "comes came results obtained dividing divides divide divided divisor denominator base wrong mistake mistaken \
        error slip incorrect misleading understates understate understated underestimates underestimate overstates overstate confuses confusing \
        confusion mixes withdrawn misreads mistook trap tempting ignores ignore ignoring misses miss missed forgets forgot \
        forgetting describes measures measuring undershoots undershoot underfunds shortfall falls fall short understating false inaccurate \
        subtracting subtraction subtract gaps gap alone leaves leave reflects answers replaces replace replaced why forget disregard ditch discard scrap dropped swap swapped outdated";
    /// Makes what follows a supposition.
    SUPPOSES = 4: "if would could might suppose supposing imagine hypothetically unless whether were'd would've had using pretend";
    /// Advises.
    ADVISES = 5: "budget budgeting budgeted plan planning plans pencil allow allowing allocate put add adding raise use using go \
        going recommend recommended recommending recommendation suggest suggested advise advised should keep stick stay apply \
        applying forecast forecasting expect expecting assume order request requesting requested book booking reserve aim target lean \
        leaning propose provision take let's invoice write set setting account anticipate plug enter pay fill buy \
        einplanen planen einzuplanen budgetieren ansetzen anzusetzen veranschlagen rechnen prévoyez prévoir budgétez budgétiser gardez garder \
        conservez conserver utilisez presupueste presupuestar presupuesta planifique mantenga mantener mantén usar poner ponga pon aplique incluya incluir anote inscrire inscrivez notez mettez mettre retenez recomiendo recommande empfehle \
        tenere tenga tieni mantenga metta metti preveda prenoti prenota mantenha manter orçar orce reserve houd begroot begroten reken boek \
        prepare schedule deduct bring proceed proceeding ahead bump projected projection \
        pitch ask asking earmark push need needs leave leaving retain retained retaining kept entered maintain adopt settle";
    /// Approves.
    APPROVES = 6: "fine right correct corect rigth ok okay reasonable sound good sensible safe accurate valid true conservative works \
        work enough confirmed agree agreed prudent solid sufficient adequate acceptable appropriate great perfect sane spot checks \
        suitable realistic legit stands holds plenty ample passt reicht reichen genügt genügen ausreichend ausreichen vernünftig richtig \
        stimmt stimmen korrekt angemessen raisonnable suffisant suffisants suffit suffisent convient correcto correcta razonable suficiente \
        suficientes adecuado basta bastan bien";
    /// Speaks of a change.
    CHANGES = 7: "increase increases increased rise rises rose risen growth grew grown grow growing up more higher jump \
        jumped climb climbed hike uplift regression slowdown slower gain gained change changed rate faster extra additional bump surge \
        surged went gone inflation delta raise raised pct markup expansion steeper bigger larger hike hikes swell swelled anstieg steigerung erhöhung zuwachs plus hausse augmentation aumento subida incremento alza";
    /// Says that one thing is another.
    IS = 8: "is it's its was are that's thats be equals equal makes make gives give giving means i.e ie namely being \
        here's there's comes amounts yields yield become becomes actually really exactly ist sind beträgt betrug liegt est sont es son \
        fait ’s";
    /// Introduces a conclusion.
    CONCLUDES = 9: "so therefore thus hence overall conclusion answer answers final finally bottom summary net total result ultimately \
        altogether tldr verdict corrected correction conclude somit insgesamt unterm folglich donc ainsi entonces";
    /// A smaller amount.
    DOWN = 10: "down below less lower decrease decreased decreases drop drops dropped loss losses lost lose loses losing loose short under fell fall fallen \
        decline declined declines negative minus behind shy smaller worse reduction reduced shortfall beneath deficit shrunk shrink \
        poorer lighter off missing lag lagging hole away slipped dip dipped lacking underwater unter unterhalb niedriger weniger gesunken \
        rückgang verlust kleiner geringer minder lager onder sotto abaixo minore inferiore menos meno inférieur inférieure inférieurs inférieures baisse perte recul moins dessous debajo menor menores \
        menos caída bajada descenso pérdida inferior inferiores";
    /// A larger amount.
    UP = 11: "up above more higher increase increases increased rise rises rose risen gain gains gained gaining grew grow grows grown \
        growing climb climbs climbed jump jumped ahead over growth larger bigger better greater positive surplus plus profit höher mehr \
        gestiegen gewachsen meer hoger boven sopra acima maggiore superiore più mais anstieg zuwachs wachstum größer über oberhalb dessus supérieur supérieure supérieurs supérieures hausse augmentation \
        encima mayor mayores más aumento subida incremento";
    /// Joins or parts clauses.
    PARTS = 12: "but because whereas while although though however so since and yet which who therefore thus except meaning \
        then hence as where or when aber sondern weil denn mais car parce donc puisque pero sino porque aunque";
    /// Neither gain nor loss.
    EVEN = 13: "even flat level unchanged equal same wash square breakeven quits identical par restored cancel cancels cancelled \
        canceled canceling cancelling offset offsets balance balances balanced offsetting recovered neutral equel stable zero equivalent";
    /// A word number or its parts are read elsewhere; these may stand between an expression and its value.
    FILLS = 14: "is equals equal gives give gets get makes make yields yield comes come to out works work which that's that you us me back exactly \
        about roughly approximately approx around just again the a an at on lands land new end value of takes take brings bring reproduces \
        reproduce returns return matches match we i i.e ie or be would only have had will was are it's it has precisely almost nearly right \
        for your this result total in i'd as were day days pages equalling giving leaves leave reproducing confirming confirms reaching reach so \
        then into and hits hit does indeed fully good adds up rounds means mean leads turns amounts print now";
    /// An equality between an expression and its value.
    EQUATES = 15: "is equals equal gives give gets get makes make yields yield comes works that's lands takes brings reproduces reproduce \
        returns return matches match be giving get leaves was are equalling reaching reach reproducing gave got hits hit becomes \
        i.e ie results rounds confirms confirming recovers means adds have leads turns amounts print lies recover check ends ended prove proves";
    /// A bare yes.
    YES = 16: "yes yep yeah yup correct corect exactly agreed absolutely sure right indeed confirmed definitely certainly affirmative \
        perfect great nice ok okay ja oui si fine understood totally precisely";
    /// A hedge before a number.
    HEDGES = 17: "about roughly approximately approx around nearly almost circa some just exactly only precisely ca a an the another overall total still \
        currently now actually";
    /// Calls a value no real one: `the 9% gap was just an artefact`.
    DISMISSES = 19: "artefact artifact illusion glitch bug quirk mirage myth noise nonsense wrong incorrect false \
        misleading mistaken mistake error meaningless irrelevant trick bogus spurious miscalculation typo technicality formality \
        curiosity subtlety pedantry nitpick academic tecnicismo formalismo formalität spitzfindigkeit formalité";
    /// Takes back what was said before.
    RETRACTS = 18: "wait hold scratch oops correction sorry apologies apologise apologize redo reconsider hmm reconsidering";
}

static WORDS: LazyLock<HashMap<&'static str, Class>> = LazyLock::new(|| {
    let mut words: HashMap<&'static str, Class> = HashMap::new();
    for (class, list) in TABLE {
        for word in list.split_ascii_whitespace() {
            let classes = words.entry(word).or_default();
            *classes = classes.or(*class);
        }
    }
    words
});

/// The meanings of `word`, which is in lower case.
#[must_use]
pub fn classes(word: &str) -> Class {
    if let Some(classes) = WORDS.get(word) {
        return *classes;
    }
    if word.len() > 4 && (word.starts_with("incr") || word.starts_with("inrc")) {
        return Class::CHANGES.or(Class::UP);
    }
    if word.len() > 4 && word.starts_with("decr") {
        return Class::DOWN;
    }
    Class::default()
}

/// Whether `word` names a month.
#[must_use]
pub fn is_month(word: &str) -> bool {
    matches!(
        word,
        "january"
            | "jan"
            | "february"
            | "feb"
            | "march"
            | "mar"
            | "april"
            | "apr"
            | "may"
            | "june"
            | "jun"
            | "july"
            | "jul"
            | "august"
            | "aug"
            | "september"
            | "sep"
            | "sept"
            | "october"
            | "oct"
            | "november"
            | "nov"
            | "december"
            | "dec"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_mean_several_things() {
        assert!(classes("increase").has(Class::CHANGES));
        assert!(classes("increase").has(Class::UP));
        assert!(classes("incraese").has(Class::CHANGES));
        assert_eq!(classes("rent"), Class::default());
    }
}
