//! The same claims in German, French, Spanish and Italian: `das hebt sich auf`, `cela s'annule`, `están igual`.

use crate::reading::Reading;

/// How far apart the parts of one phrase may stand.
const REACH: usize = 8;

/// Where a phrase for evenness that starts at `at` ends, if one does and its clause denies nothing.
pub(super) fn phrase(reading: &Reading, at: usize) -> Option<usize> {
    let word = |i: usize| reading.word(i);
    let clause = reading.segments.clause_at(at);
    let ahead =
        |words: &[&str]| (clause.start.max(at.saturating_sub(REACH))..at).any(|i| words.contains(&word(i)));
    let behind = |words: &[&str]| (at + 1..at + REACH).find(|&i| words.contains(&word(i)));
    let next = |words: &[&str]| words.contains(&word(at + 1)).then_some(at + 2);
    let last = |words: &[&str]| words.contains(&word(at.wrapping_sub(1)));
    let end = match word(at) {
        "heben" | "hebt" | "hoben" | "gleichen" | "gleicht" | "glichen" => {
            let reflexive = ahead(&["sich"]) || behind(&["sich"]).is_some();
            behind(&["auf", "aus"]).filter(|_| reflexive).map(|i| i + 1)
        }
        "aufgehoben" | "aufheben" | "ausgeglichen" | "ausgleichen" | "unverändert" | "quitt"
        | "nullsumme" | "nullsummenspiel" | "s'annulent" | "s'annule" | "s'équilibrent" | "s'équilibre"
        | "inchangé" | "inchangée" | "inchangés" | "inchangées" | "empatados" | "empatado" | "empate"
        | "pareggio" => Some(at + 1),
        "compensent" | "compense" | "compensan" | "compensa" | "annulent" | "annule" | "anulan" | "anula"
        | "cancelan" | "cancela" | "neutralisent" | "neutralizan" | "équilibrent" | "equilibran"
        | "annullano" | "compensano" | "anulam" | "compensam" => last(&["se", "si"]).then_some(at + 1),
        "ausgangspunkt" | "ausgangsniveau" | "ausgangswert" | "ausgangslage" | "stand" | "niveau" => {
            let back = ahead(&["wieder", "zurück"]) && ahead(&["am", "auf", "beim", "zum", "im"]);
            (back && !ahead(&["unter", "über", "unterhalb", "oberhalb", "als"])).then_some(at + 1)
        }
        "wo" | "où" | "donde" => {
            behind(&["angefangen", "gestartet", "begonnen", "standen", "waren", "war", "départ"])
                .or_else(|| behind(&["étiez", "étions", "étaient", "commencé", "empezaron", "empezamos"]))
                .or_else(|| behind(&["estaban", "estaba", "empezó", "empezaste", "comenzaron", "commenciez"]))
                .map(|i| i + 1)
        }
        "null" => last(&["bei", "auf", "netto", "minus", "gleich"]).then_some(at + 1),
        "l'équilibre" | "équilibre" => ahead(&["à", "en"]).then_some(at + 1),
        "départ" | "partida" => {
            let back = ["revenu", "revenue", "revenus", "revenues", "retour", "revient", "reviennent"];
            let vuelta = ["vuelto", "vuelve", "vuelven", "regresado", "regresan", "nuevo", "mismo"];
            (ahead(&back) || ahead(&vuelta)).then_some(at + 1)
        }
        "même" => {
            next(&["niveau", "point", "endroit", "place", "montant"]).filter(|_| last(&["au", "à", "le"]))
        }
        "mismo" => next(&["nivel", "punto", "lugar", "sitio"]).filter(|_| last(&["el", "al"])),
        "igual" | "iguales" => ahead(&[
            "están", "está", "estás", "estamos", "quedan", "queda", "quedamos", "sigue", "siguen", "son",
        ])
        .then_some(at + 1),
        "sin" => next(&["cambio", "cambios", "variación"]),
        "pari" => (last(&["in"]) || last(&["alla"])).then_some(at + 1),
        "zero" => (word(at + 1) == "a" && word(at + 2) == "zero").then_some(at + 3),
        "gelijk" => ahead(&["staan", "staat", "weer", "quitte"]).then_some(at + 1),
        "op" => (ahead(&["heft", "heffen"]) && ahead(&["elkaar"])).then_some(at + 1),
        "quitte" => ahead(&["staan", "staat", "speelt"]).then_some(at + 1),
        "par" => (last(&["la"]) && word(at.wrapping_sub(2)) == "a").then_some(at + 1),
        _ => None,
    }?;
    let denied = clause.start..clause.end.max(end).min(reading.tokens.len());
    // `si faible que l'on peut dire…` says how small something is.
    let so_much = |i: usize| word(i) == "si" && (i + 2..i + 4).any(|i| word(i).starts_with("qu"));
    // `está no zero a zero`.
    let in_the = |i: usize| word(i) == "no" && i + 1 == at && word(at) == "zero";
    (!denied.into_iter().any(|i| denies(word(i)) && !so_much(i) && !in_the(i))).then_some(end)
}

fn denies(word: &str) -> bool {
    let short = matches!(
        word,
        "nicht"
            | "nie"
            | "niemals"
            | "pas"
            | "ne"
            | "jamais"
            | "no"
            | "non"
            | "nunca"
            | "tampoco"
            | "ni"
            | "würde"
            | "würden"
            | "wäre"
            | "wären"
            | "wenn"
            | "serait"
            | "seraient"
            | "si"
            | "sería"
            | "serían"
            | "fast"
            | "presque"
            | "casi"
            | "unter"
            | "debajo"
            | "scheint"
            | "semble"
            | "parece"
    );
    let more = matches!(
        word,
        "não"
            | "nem"
            | "niet"
            | "geen"
            | "nooit"
            | "zou"
            | "als"
            | "sarebbe"
            | "seria"
            | "bijna"
            | "quasi"
            | "quase"
    );
    short || more || word.starts_with("kein") || word.starts_with("aucun") || word.starts_with("n'")
}

#[cfg(test)]
mod tests {
    use super::super::claims;
    use super::*;

    fn even(text: &str) -> bool {
        !claims(&Reading::of(text)).is_empty()
    }

    #[test]
    fn evenness_in_other_languages() {
        for text in [
            "Minus 30 % und plus 30 % heben sich auf.",
            "Das gleicht sich also aus.",
            "Der Umsatz ist unverändert.",
            "Sie stehen wieder da, wo Sie angefangen haben.",
            "Damit sind Sie wieder auf dem Ausgangsniveau.",
            "Cela s'annule.",
            "Les deux variations se compensent.",
            "Vous êtes à l'équilibre.",
            "L'écart est si faible que vous êtes à l'équilibre.",
            "Vous êtes revenus au point de départ.",
            "In pratica siete in pari.",
            "Dá para dizer que está no zero a zero.",
            "Dat heft elkaar op.",
            "Se compensan y las ventas están igual que antes.",
            "Han vuelto al punto de partida.",
        ] {
            assert!(even(text), "{text}");
        }
        for text in [
            "Das hebt sich nicht auf.",
            "Der Umsatz liegt wieder unter dem Ausgangswert.",
            "Minus und Plus gleichen sich keineswegs aus.",
            "Cela ne s'annule pas.",
            "Vous n'êtes pas à l'équilibre.",
            "Vos ventes restent inférieures de 9 % à leur niveau de départ.",
            "No se compensan.",
            "Non siete in pari.",
            "Não está no zero a zero.",
            "Dat heft elkaar niet op.",
            "Están un 9 % por debajo del punto de partida.",
        ] {
            assert!(!even(text), "{text}");
        }
    }
}
