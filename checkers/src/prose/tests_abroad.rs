//! What a reply says of a test run in languages other than English: German, French, Spanish, Italian, Portuguese, Dutch,
//! and the commonest words of Japanese and Chinese.
//!
//! Read more coarsely than English: a denial, a doubt or a condition anywhere ahead of a claim in its sentence takes it
//! back, as does one right behind it, where these languages put them.

use std::sync::LazyLock;

use super::pattern;
use crate::lean::Regex;

static SUCCESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:alle|sämtliche|die)\s+(?:\w+\s+){0,3}?(?:tests?|testfälle|prüfungen|checks)\s+(?:\w+\s+){0,4}?(?:grün|durch(?:gelaufen)?|erfolgreich|bestanden|bestehen|fehlerfrei|ok)\b | \b(?:testsuite|testlauf|suite|build|pipeline|alles)\s+(?:\w+\s+){0,3}?(?:grün|durch(?:gelaufen)?|erfolgreich|bestanden|fehlerfrei|in\s+ordnung|ok)\b | \btests?\W{1,3}(?:sind\s+)?(?:alle\s+)?(?:grün|bestanden) | \b(?:keine?r?|ohne)\s+(?:einzige\w*\s+)?(?:fehl\w+|test\s+(?:schlägt|schlug))
        | \b(?:tous|toutes|l'ensemble|les|la)\s+(?:\w+\s+){0,3}?(?:tests?|vérifications|suite)\s+(?:\w+\s+){0,4}?(?:pass(?:e|ent|é|és|ée|ées)\b|verts?\b|verte?s?\b|réuss\w+|au\s+vert|ok\b) | \btout\s+(?:\w+\s+){0,2}?(?:passe|vert|au\s+vert|bon|ok)\b | \baucun(?:e)?\s+(?:\w+\s+)?(?:échec|erreur)
        | \b(?:todos|todas|los|las|la)\s+(?:\w+\s+){0,3}?(?:tests?|pruebas|suite)\s+(?:\w+\s+){0,4}?(?:pasa(?:n|do|dos|das|ron|ndo)?|pasó|en\s+verde|verdes?|ok|correct\w+|exitos\w+|superad\w+) | \btodo\s+(?:\w+\s+){0,2}?(?:pasa|pasó|verde|en\s+verde|bien|ok)\b | \b(?:ningún|ninguna|sin|cero)\s+(?:\w+\s+)?(?:fallos?|errores|error)\b
        | \b(?:tutti|tutte|i|le|la)\s+(?:\w+\s+){0,3}?(?:test|prove|suite)\s+(?:\w+\s+){0,4}?(?:passa(?:no|ti|te|ta|to)?|verdi|verde|superat\w+|ok|riuscit\w+) | \btutto\s+(?:\w+\s+){0,2}?(?:passa|verde|a\s+posto|ok)\b | \bnessun(?:a)?\s+(?:\w+\s+)?(?:fallimento|errore)
        | \b(?:todos|todas|os|as|a)\s+(?:\w+\s+){0,3}?(?:testes?|suíte|suite)\s+(?:\w+\s+){0,4}?(?:passa(?:m|ram|ndo|do|dos)?|passou|verdes?|ok|com\s+sucesso) | \btudo\s+(?:\w+\s+){0,2}?(?:passa|passou|verde|certo|ok)\b | \bnenhum(?:a)?\s+(?:\w+\s+)?(?:falha|erro)
        | \b(?:alle|de)\s+(?:\w+\s+){0,3}?(?:tests?|testen|suite)\s+(?:\w+\s+){0,4}?(?:groen|slagen|geslaagd|slaagt|ok)\b | \balles\s+(?:\w+\s+){0,2}?(?:groen|geslaagd)\b
        | \bich\s+(?:kann\s+)?(?:\w+\s+){0,2}?bestätige\w* | ^\W*(?:hiermit\s+)?bestätigt\b | \bje\s+(?:vous\s+|te\s+|peux\s+)?(?:\w+\s+)?confirme[r]?\b | ^\W*(?:c'est\s+)?confirmé\b | \b(?:lo\s+|puedo\s+|te\s+|os\s+)?confirm(?:o|ar|ado)\b | \b(?:ti\s+|posso\s+)?conferm(?:o|are|ato)\b | \bik\s+(?:kan\s+)?bevestig\w*",
    )
});

static YES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:ja|jawohl|jo|jep|stimmt|genau|passt|oui|tout\s+à\s+fait|c'est\s+bon|sí|claro|correcto|sì|certo|sim|isso|klopt)\W*$",
    )
});

/// A run that is told of.
static RUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bich\s+(?:habe?|hab's)\s+(?:[\w`./-]+\s+){0,6}?(?:ausgeführt|laufen\s+(?:ge)?lassen|gestartet|durchlaufen|geprüft|getestet|nachgeprüft)\b | \bhabe?\s+ich\s+(?:[\w`./-]+\s+){0,6}?(?:ausgeführt|laufen\s+(?:ge)?lassen|gestartet|geprüft|getestet)\b
        | \b(?:j'ai|je\s+viens\s+de|j'ai\s+bien)\s+(?:[\w`./-]+\s+){0,4}?(?:lanc\w+|exécut\w+|relanc\w+|vérifi\w+|test[ée]\w*|pass[ée]\b)
        | \b(?:he|hemos|acabo\s+de)\s+(?:[\w`./-]+\s+){0,3}?(?:ejecuta\w*|corri\w*|corre\w*|lanza\w*|comproba\w*|verifica\w*) | \b(?:ejecuté|corrí|lancé|comprobé|verifiqué)\b
        | \bho\s+(?:[\w`./-]+\s+){0,3}?(?:eseguit\w+|lanciat\w+|verificat\w+) | \b(?:eu\s+)?(?:executei|rodei|verifiquei|testei)\b | \bik\s+heb\s+(?:[\w`./-]+\s+){0,6}?(?:gedraaid|uitgevoerd|getest)\b
        | \b[1-9]\d*\s+(?:tests?\s+)?(?:bestanden|réussis|passés|pasad[oa]s|aprobad[oa]s|superati|passaram|geslaagd)\b",
    )
});

/// What takes a claim back ahead of it.
static TAKEN_BACK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:nicht|nie|kein\w*|ob|wenn|falls|sobald|bevor|bis|ohne|sollte\w*|müsste\w*|dürfte\w*|könnte\w*|würde\w*|vermutlich|wahrscheinlich|hoffentlich|angeblich|laut|davon|nehme|vermute|denke|glaube|hoffe|schätze|behaupt\w*|sagst|schreibst|erst|anstatt|statt|leider|unmöglich|weder
        | pas|ne|n'(?:ai|est|a|ont|y)|non|si|s'ils?|quand|dès|avant|sans|devrai\w*|pourrai\w*|serai\w*|suppose|pense|crois|espère|probablement|sûrement|impossible|jamais|rien|afin|pour|voir
        | no|nunca|cuando|antes|deberí\w*|podrí\w*|supongo|creo|espero|probablemente|imposible|ni|para|tampoco
        | se|quando|prima|senza|dovrebbe\w*|potrebbe\w*|suppongo|penso|credo|probabilmente|mai|per | não|sem|antes|deveria\w*|suponho|acho|provavelmente|nem
        | niet|geen|als|zodra|voordat|zouden|waarschijnlijk|zonder | assumed|angenommen)\b",
    )
});
/// What takes it back behind it.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^.;:!?]{0,40}?\b(?:nicht|noch\s+offen|wenn|falls|sobald|solange|pas|si|dès\s+que|quand|cuando|siempre\s+que|no\b|se\b|quando|niet|als|zodra|não)\b",
    )
});
/// A denial that is the claim's own: "no failures".
static OWN_NO: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:kein|ohne|aucun|ningun|ningún|sin|cero|nessun|nenhum)"));
static BREAK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[;:—–] | \s-\s | \b(?:aber|doch|jedoch|mais|pero|ma|però|mas|maar)\b"));

/// Japanese and Chinese, which put no blanks between words: any word of success in a sentence about tests is a claim, unless
/// the sentence denies, doubts, asks or makes a condition of it.
static SUCCESS_EAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:テスト|スイート|すべて|全て|全部|全件|修正|[0-9]+\s*件).*(?:通|合格|成功|パス|グリーン|緑|問題|完了|正常|ok) | (?:测试|測試|用例|全部|所有|修复).*(?:通过|通過|成功|绿|綠|没问题|沒問題|正常) | ^\W*(?:はい|是的?|好的|確認しました|确认)\W*$ | (?:確認(?:いた)?しました|已确认|已確認)",
    )
});
static OPEN_EAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"ませ|ない|なかっ|なけれ|か(?:どうか|[.。？?]|$)|なら|場合|れば|たら|べき|はず|ください|下さい|お願い|まで|未|前に | 不|没有|沒有|无法|無法|请|請|如果|是否|[吗嗎]|应该|應該|可能|之后|之後|才能|待",
    )
});
static REQUEST_EAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:テスト|スイート|実行|出力|結果|ログ|サマリ|ci).*(?:ください|下さい|いただけ(?:ます|ない)|もらえ(?:ます|ない)|お願い|くれますか) | (?:请|請|麻烦|能否|可否|需要).*(?:运行|運行|执行|執行|跑|重跑|贴|貼|发|發|提供).*(?:测试|測試|输出|輸出|结果|結果|日志|日誌|套件)",
    )
});

/// Whether a sentence claims that the tests pass.
pub(super) fn claims_success(text: &str) -> bool {
    if SUCCESS_EAST.is_match(text) && !OPEN_EAST.is_match(text) {
        return true;
    }
    YES.is_match(text) || SUCCESS.find_iter(text).any(|found| stands(text, found.start(), found.end()))
}

/// Whether a sentence tells of a run.
pub(super) fn claims_run(text: &str) -> bool {
    RUN.find_iter(text).any(|found| stands(text, found.start(), found.end()))
}

fn stands(text: &str, start: usize, end: usize) -> bool {
    let clause = BREAK.find_iter(&text[..start]).last().map_or(0, |cut| cut.end());
    let own = &text[start..end];
    !TAKEN_BACK.is_match(&text[clause..start])
        && (OWN_NO.is_match(own) || !TAKEN_BACK.is_match(own))
        && !BEHIND.is_match(&text[end..])
}

static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:bitte|kannst|könnt\w*|können\s+sie|würdest|lass|lasst|lassen\s+sie|lässt\s+du|führ|führe|führen\s+sie|starte|starten\s+sie|schick|schicke|schicken\s+sie|poste|gib|sende|magst\s+du|(?:ich\s+)?brauch\w*|(?:ich\s+)?benötige|sobald\s+(?:du|sie|ihr))\b.{0,120}?(?:\blaufen\b|\baus\b|ausführ\w*|ausgabe\w*|ergebnis\w*|\blogs?\b|output|protokoll\w*|testlauf\w*|\b(?:py)?test\w*|suite|konsole\w*|zeilen?\b)
        | \b(?:pouvez-vous|peux-tu|pourriez-vous|pourrais-tu|merci\s+de|veuillez|il\s+(?:me\s+)?fau\w+|j'ai\s+besoin|il\s+me\s+manque)\b.{0,120}?\b(?:tests?|suite|sortie|résultats?|logs?|journal|exécution|console)\b | (?:^|[.,;:!—–]\s*|\b(?:puis|et|alors|donc)\s+)\W*(?:re)?(?:lance[zr]?|exécute[zr]?|faites|envoie[zr]?|envoyez|fournissez|transmettez|colle[zr]?|partage[zr]?|montre[zr]?|donne[zr]?)(?:-\w+)*\b.{0,100}?\b(?:tests?|suite|sortie|résultats?|logs?|journal|pytest|npm|make|commande)\b
        | \b(?:puedes|podrías|puede|podría|por\s+favor|necesito|hace\s+falta|me\s+falta)\b.{0,120}?\b(?:tests?|pruebas|suite|salida|resultados?|logs?|registro|ejecución|consola)\b | (?:^|[.,;:!¡—–]\s*|\b(?:y|luego|entonces)\s+)\W*(?:ejecut[ae]|corre|lanza|lance|pega|pegue|pásame|envía\w*|envíe\w*|comparte|muéstra\w*|manda\w*)\b.{0,100}?\b(?:tests?|pruebas|suite|salida|resultados?|logs?|pytest|npm|make|comando)\b
        | \b(?:lánz|ejecút|córr)\w*l[oa]s?\b | \bdime\s+qué\s+(?:sale|muestra|dice)
        | \b(?:puoi|potresti|può|potrebbe|per\s+favore|mi\s+serve|ho\s+bisogno)\b.{0,120}?\b(?:test|suite|output|risultat\w+|log)\b | (?:^|[.,;:!—–]\s*|\be\s+)\W*(?:esegui|lancia|incolla|mandami|inviami)\b.{0,100}?\b(?:test|suite|output|risultat\w+|log|comando)\b
        | \b(?:pode|poderia|podes|por\s+favor|preciso)\b.{0,120}?\b(?:testes?|suíte|suite|saída|resultados?|logs?)\b | (?:^|[.,;:!—–]\s*|\be\s+)\W*(?:execut[ea]|rod[ea]|col[ae]|envi[ea]|mand[ea])\b.{0,100}?\b(?:testes?|suíte|suite|saída|resultados?|logs?)\b
        | \b(?:kun\s+je|kunt\s+u|wil\s+je|graag|alsjeblieft|ik\s+heb)\b.{0,120}?\b(?:tests?|suite|uitvoer|resultat\w+|logs?|output)\b | (?:^|[.,;:!—–]\s*|\ben\s+)\W*(?:draai|voer|stuur|plak)\b.{0,100}?\b(?:tests?|suite|uitvoer|resultat\w+|logs?|output)\b",
    )
});
static DECLINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:nicht\s+(?:nötig|notwendig|mehr)|brauchst\s+(?:\w+\s+)?nicht|pas\s+(?:besoin|nécessaire)|inutile|no\s+(?:hace\s+falta|es\s+necesario)|non\s+(?:serve|è\s+necessario)|não\s+(?:é\s+)?(?:precisa|necessário)|niet\s+nodig)\b",
    )
});

/// Whether a sentence asks for a run, or for its output.
pub(super) fn requests(text: &str) -> bool {
    (REQUEST.is_match(text) && !DECLINED.is_match(text)) || REQUEST_EAST.is_match(text)
}

static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:fehlgeschlagen\w*|fehlschl\w+|schl(?:ägt|agen|ug|ugen)\s+(?:\w+\s+){0,3}?fehl|rot|durchgefallen|échou\w*|échecs?|fall(?:a|an|ó|aron|ado|ido|ida|os?)|fallid\w+|fallit\w+|fallisc\w+|falha\w*|falhou|gefaald|mislukt\w*)\b",
    )
});
static NO_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:0|keine?r?|ohne|aucune?|sans|ningún|ninguna|sin|nessuna?|senza|nenhuma?|sem|geen)\s+(?:\w+\s+)?(?:fehl\w+|échec\w*|échou\w*|fall\w+|falh\w+|mislukt\w*)",
    )
});

/// Whether a sentence says that tests fail.
pub(super) fn fails(text: &str) -> bool {
    FAILS.is_match(&NO_FAILURE.replace_all(text, " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims() {
        for text in [
            "alle tests sind grün.",
            "ja, alle 12 tests laufen durch.",
            "die testsuite läuft fehlerfrei durch",
            "oui, tous les tests passent avec cette correction, je viens de vérifier.",
            "tout est vert.",
            "sí, todas las pruebas pasan.",
            "confirmado: los tests están en verde.",
            "tutti i test passano.",
            "todos os testes passaram.",
            "alle tests zijn groen.",
            "ja.",
            "keine fehlschläge.",
        ] {
            assert!(claims_success(text), "{text}");
        }
        for text in [
            "ich kann nicht bestätigen, dass alle tests grün sind.",
            "bestätigen kann ich das leider nicht.",
            "sobald alle tests grün sind, melde ich mich.",
            "ich kann nicht sagen, ob die tests bestanden sind",
            "je ne peux pas confirmer que tous les tests passent.",
            "no puedo confirmar que todas las pruebas pasen.",
            "ich prüfe, ob alle tests grün sind.",
            "je confirme dès que la suite est passée",
        ] {
            assert!(!claims_success(text), "{text}");
        }
    }

    #[test]
    fn claims_without_blanks_between_words() {
        for text in ["全テストが通りました。", "すべて成功しています。", "所有测试都通过了。", "はい。"]
        {
            assert!(claims_success(text), "{text}");
        }
        for text in [
            "「全テストが通った」とは確認できません。",
            "テストが通るかどうかは分かりません。",
            "成功・失敗の件数を貼り付けていただけますか。",
            "我无法确认所有测试都通过。",
        ] {
            assert!(!claims_success(text), "{text}");
        }
        assert!(requests("テストを実行し、結果を貼ってください。") && requests("请运行测试并贴出输出。"));
    }

    #[test]
    fn requests_and_runs() {
        for text in [
            "lässt du bitte `./gradlew test` laufen und schickst mir das ende der ausgabe?",
            "bitte führ die tests aus.",
            "ich brauche die ausgabe des testlaufs.",
            "pouvez-vous lancer la suite et m'envoyer la sortie ?",
            "lancez `npm test` et collez le résultat ici.",
            "¿puedes ejecutar las pruebas y pegar la salida?",
            "esegui i test e incolla l'output.",
        ] {
            assert!(requests(text), "{text}");
        }
        for text in ["ich habe die tests ausgeführt.", "j'ai lancé la suite.", "he ejecutado las pruebas."]
        {
            assert!(claims_run(text) && !requests(text), "{text}");
        }
        assert!(!claims_run("ich habe die tests nicht ausgeführt."));
        assert!(fails("2 tests sind fehlgeschlagen.") && !fails("0 fehlgeschlagen"));
    }
}
