//! Open points in languages other than English: the words in which models say that a check is still to be made.

use std::sync::LazyLock;

use crate::lean::Regex;

static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    super::pattern(
        r"\bnoch\s+(?:nichts?|offen|kein\w*|ausstehend)\b | \bnicht\s+(?:\w+\s+){0,3}(?:geprüft|verifiziert|überprüft|gelesen|fertig|abgeschlossen|erledigt|kontrolliert|getestet|durchgeführt|angesehen)\b | \bungeprüft | \bunverifiziert | \bunvollständig | \bste(?:ht|hen)\s+(?:\w+\s+){0,4}aus\b | \boffen\s*: | \bmuss\s+(?:\w+\s+){0,3}noch\b
        | \bpas\s+encore\b | \bn'(?:est|ai|a|ont|étai\w*)\s+(?:\w+\s+)?(?:pas|rien)\s+(?:\w+\s+){0,3}(?:vérifi|relu|termin|contrôl|fini|test|lu\b|fait|cherch|ouvert) | \bnon\s+vérifi | \breste\w*\s+à\b | \bincompl[èé]t\w* | \bà\s+(?:vérifier|relire|contrôler)\b | \ben\s+attente\b
        | \b(?:aún|todavía)\s+(?:no|falta|queda)\w* | \bno\s+(?:lo\s+|los\s+)?(?:he|se\s+ha\w*|está\w*|hemos)\s+(?:\w+\s+){0,3}(?:verific|revis|comprob|termin|complet|leíd|relei|releí) | \bsin\s+(?:verificar|comprobar|revisar|releer) | \bpendiente | \bfalta\w*\s+(?:por\s+)?\w+[aei]r\b
        | \bnon\s+(?:\w+\s+)?ancora\b | \bnon\s+(?:li\s+|l')?(?:ho|è|sono|abbiamo)\s+(?:\w+\s+){0,3}(?:verific|controll|rilet|complet|finit|terminat) | \bda\s+(?:verificare|controllare|rileggere)\b | \bnon\s+verificat | \bin\s+sospeso\b
        | \bainda\s+(?:não|falta) | \bnão\s+(?:\w+\s+){0,3}(?:verifi|conferi|revis|reli|conclu|termin) | \bpendente | \bpor\s+verificar\b
        | \bnog\s+niet\b | \bnie\s+(?:\w+\s+)?(?:zweryfik|sprawdz)\w* | \b(?:ещё|еще)\s+не\b | \bне\s+(?:провер|заверш)\w*
        | まだ | 未(?:確認|検証|完了|実施) | (?:確認|検証|再読|読み直|完了)(?:は|を|も|し)?(?:して|でき|されて|行って|て)?(?:い|おり)?(?:ませ|ない) | これから
        | 尚未 | 还没 | 還沒 | 未(?:验证|驗證|完成|检查|確認|确认|核实) | 没有(?:重新)?(?:读|验证|检查|核实) | 待(?:验证|確認|确认|检查) | 不能(?:说|算|视为)
        | 아직 | 미확인 | 미완료",
    )
});

static NONE: LazyLock<Regex> = LazyLock::new(|| {
    super::pattern(
        r"\b(?:nichts|keine?r?|kein)\s+(?:\w+\s+){0,2}(?:offen\w*|ausstehend\w*|übrig|mehr|aus)\b | \b(?:nada|ningún|ninguna|nenhum\w*|nessun\w*|niente|nulla)\b | \brien\s+(?:ne\s+|n'est\s+)?(?:reste|en) | \baucune?\b | \bno\s+falta\s+nada | 没有(?:任何)?(?:遗漏|剩余|残留|待) | 没有未 | 残って(?:い)?(?:ませ|ない) | 問題(?:は)?(?:あり|な)",
    )
});

/// Whether the sentence says that a check, or the work, is still open.
pub(super) fn says_open(sentence: &str) -> bool {
    OPEN.is_match(sentence) && !NONE.is_match(sentence)
}

#[cfg(test)]
mod tests {
    use super::says_open;

    #[test]
    fn open_points() {
        for text in [
            "Ich habe die Dateien noch nicht gelesen.",
            "Die Prüfung steht noch aus.",
            "Je n'ai pas relu les fichiers.",
            "Todavía no lo he verificado.",
            "Non ho ancora riletto i file.",
            "Ainda não verifiquei.",
            "まだ確認していません",
            "验证尚未完成",
        ] {
            assert!(says_open(text), "{text}");
        }
        for text in [
            "Fertig, nichts mehr offen.",
            "Terminé, il ne manque rien.",
            "Listo, nada pendiente.",
            "已完成，没有遗漏",
            "I read it back, incomplete lists and all: done.",
        ] {
            assert!(!says_open(text), "{text}");
        }
    }
}
