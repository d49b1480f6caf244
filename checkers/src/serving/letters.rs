//! Letters, mails and notices: how they greet and how they end, in the languages that models are asked to write them in.
//!
//! A greeting alone may be the reply's own. It opens a letter where it names somebody whom the user is not, or where it
//! does not stand at the head of the reply: after a colon, a heading or a rule.

use std::sync::LazyLock;

use crate::lean::Regex;

use super::pattern;

static GREETING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\W*(?:hello|hi|hey|dear|hallo|good\s+(?:morning|day|afternoon|evening))\b[^.?]{0,40}[,!:]?\W*\z
        | \A\W*(?:to\s+(?:all|our|the)\s+\w+|liebe[rs]?|(?:sehr\s+)?(?:ge|ver)ehrte[rns]?|werte[rs]?|guten\s+(?:tag|morgen|abend)|moin|an\s+alle\s+\w+|bonjour|bonsoir|salut|ch[eè]re?s?|madame|monsieur|mesdames|messieurs|hola|buen[oa]s\s+(?:d[ií]as|tardes|noches)|estimad[oa]s?|querid[oa]s?|apreciad[oa]s?|gentil[ei](?:ssim\w)?|car[oaie]|egregi[oae]?|spettabil[ei]|buon\s?giorno|salve|ciao|prezad[oa]s?|car[oa]s|ol[áa]|bom\s+dia|boa\s+tarde|beste|geachte|lieve|goedendag|szanown\w+|drog[ai]\w*|kære|kära|kjære|hej)\b[^.?]{0,60}[,!:]\W*\z",
    )
});

/// Somebody whom a letter is for, by a name to fill in or by the way they are spoken to.
static ADDRESSEE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"[{\[<] | \b(?:dear|customers?|team|sir|madam|mr|ms|all|liebe[rs]?|(?:ge|ver)ehrte[rns]?|kund\w+|ch[eè]re?s?|madame|monsieur|mesdames|messieurs|estimad[oa]s?|querid[oa]s?|apreciad[oa]s?|gentil[ei](?:ssim\w)?|egregi[oae]?|spettabil[ei]|prezad[oa]s?|car[oaie]s?|beste|geachte|szanown\w+)\b",
    )
});

static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\A\W*(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat)\W{0,4}:")
});

static SIGN_OFF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A\W*(?:(?:best|kind|warm|many|with|friendly)\b.{0,20}\b(?:regards|wishes|greetings)|regards|best|thanks|thank\s+you|sincerely|cheers|yours\b.{0,20}|your\s+\w+(?:\s+\w+)?\s+team
        | (?:mit\s+)?(?:\w+\s+)?gr(?:ü|ue)(?:ß|ss)en?|cordialement|bien\s+(?:cordialement|à\s+vous)|(?:sincères\s+)?salutations|atentamente|(?:un\s+)?(?:cordial\s+)?saludos?(?:\s+cordial\w*)?|(?:cordiali|distinti)\s+saluti|saluti|atenciosamente|cumprimentos|met\s+\w+\s+groet\w*|groet\w*)\W*\z",
    )
});

/// A paragraph that speaks to the user about the work, and so is no longer part of the letter.
static ABOUT_THE_WORK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:CHARTER_STATE(?:\.md)?|re-?stat(?:e|ed|ing)|your\s+(?:last|latest)\s+message|(?:original|recorded|ursprüngliche\w*)\s+(?:task|goal|request|auftrag|aufgabe)|(?:the|this)\s+(?:task|state\s+file|token|hash)|zustandsdatei|prüfsumme|tâche|consigne|tarea|encargo|huella|empreinte|invariants?|INV-\d+)\b",
    )
});

/// Whether a line is a heading: by its mark, or all of it in bold.
pub fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('#') || (line.len() > 4 && line.starts_with("**") && line.ends_with("**"))
}

/// Whether a line opens a letter. `lead` is the line of text ahead of it; `after_rule` says that a rule stands between the two,
/// and `first` that nothing stands ahead at all.
#[must_use]
pub fn opens(line: &str, lead: &str, after_rule: bool, first: bool) -> bool {
    let led_in = !first && (lead.trim_end().ends_with(':') || is_heading(lead) || after_rule);
    SUBJECT.is_match(line) || (GREETING.is_match(line) && (led_in || ADDRESSEE.is_match(line)))
}

/// Whether a line is the last of a letter.
#[must_use]
pub fn closes(line: &str) -> bool {
    SIGN_OFF.is_match(line)
}

/// Whether a line is talk with the user about the work.
#[must_use]
pub fn talks_about_the_work(line: &str) -> bool {
    ABOUT_THE_WORK.is_match(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_open_letters() {
        for line in [
            "Dear Ms Novak,",
            "Liebe Nachbarinnen und Nachbarn,",
            "Sehr geehrte Damen und Herren,",
            "Madame, Monsieur,",
            "Chers locataires,",
            "Estimados vecinos:",
            "Gentili clienti,",
            "Prezados moradores,",
            "Geachte huurders,",
            "Subject: your offer",
        ] {
            assert!(opens(line, "", false, true), "{line}");
        }
        for line in ["Hello,", "Hallo!", "Bonjour,", "Hola,"] {
            assert!(!opens(line, "", false, true), "{line}");
            assert!(opens(line, "A draft:", false, false), "{line}");
            assert!(opens(line, "**Notice**", false, false), "{line}");
            assert!(opens(line, "It differs.", true, false), "{line}");
            assert!(!opens(line, "It differs.", false, false), "{line}");
        }
        assert!(!opens("Liebe ist kein Argument.", "", false, true));
    }

    #[test]
    fn letters_end() {
        for line in [
            "Kind regards",
            "Mit freundlichen Grüßen",
            "Cordialement,",
            "Un saludo",
            "Met vriendelijke groet",
        ] {
            assert!(closes(line), "{line}");
        }
        assert!(!closes("Thanks for the file, it helps."));
        assert!(talks_about_the_work("The recorded task says 5 days."));
    }
}
