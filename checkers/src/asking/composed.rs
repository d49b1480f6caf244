//! A request for the task read by its parts: who is to act, a verb of saying, the task, and that it is wanted anew.
//!
//! The patterns of [`super`] know turns of phrase. People also ask in ways that nobody lists: "say once more what I
//! should pick", "put the whole request to me afresh", "need: task restated by you". So the parts are looked for one by
//! one, near each other, and what stands between them must not make it a question about a detail.

use std::ops::Range;
use std::sync::LazyLock;

use crate::lean::Regex;
use crate::serving::pattern;

/// How many bytes ahead of a verb its request may begin, and how many behind it the task may end.
const REACH: usize = 140;
/// How many words may stand between the verb and the task.
const GAP: usize = 8;

/// Verbs with which somebody puts a task.
static SAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?P<anew>re-?(?:stat|send|past|typ|post|issu|submit|phras|formulat|enter|tell|word|writ|iterat|explain|suppl)\w*|repeat\w*)|(?:stat|repeat|giv|tell|send|quot|past|typ|copy|copi|shar|provid|describ|explain|post|writ|say|put|phras|dictat|suppl|outlin|formulat|forward|submit|past|hand|rephras|recit|pos|rais)(?:e|es|ing|y|ying|ping|ting|ies)?|spell(?:ing)?(?:\s+out)?|set(?:ting)?\s+out|lay(?:ing)?\s+out|(?:run|take|walk|talk|lead|guid)\w*\s+(?:me|us)\s+through|fill(?:ing)?\s+me\s+in|brief(?:ing)?|remind(?:ing)?|recap|drop|pass|show|bring|let\s+(?:me|us)\s+(?:have|know|hear|see)|go(?:ing)?\s+(?:over|through))\b",
    )
});

/// What is to be put: the task by a name, or by what it says.
static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:tasks?|goal|assignment|request|job|brief|briefing|instructions?|spec(?:s|ification)?|objective|mandate|commission|question|requirements?|problem\s+statement|errand|exercise|ticket|(?:whole|full|original|initial|entire|exact|first)\s+(?:ask|thing|question|prompt|order|wish|wording|text|message|turns?|words|post|spec\w*)|(?:first|opening)\s+(?:\w+\s+)?(?:messages?|turns?|prompt|post|words)|(?:turns?|messages?)\s+(?:1|one)\b)
        | \bwhat\s+(?:exactly\s+|precisely\s+|it\s+(?:is|was)\s+(?:that\s+)?|(?:exactly|precisely)\s+it\s+(?:is|was)\s+(?:that\s+)?)?(?:(?:i|we)(?:\s+(?:should|shall|must|am|was|were|are|need|have|ought|had|would|can|could)\b|'m\b|'re\b|'d\b)|you(?:\s+(?:\w+\s+){0,2}?(?:want|need|ask|requir|expect|gave|set|order|meant|mean|had\s+in\s+mind|would\s+like|request|said|say|wrote|told)\w*|'d\s+(?:\w+\s+){0,2}?like)\b|(?:the|your)\s+(?:\w+\s+){0,2}?(?:task|request|job|assignment|goal|brief|instructions?)\b|(?:is|was)\s+(?:\w+\s+)?(?:wanted|asked|requested|expected|needed|required|to\s+be\s+done)\b|this\s+(?:is|was)\s+(?:all\s+)?about\b)",
    )
});

/// That it is wanted anew or as it was set.
static ANEW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:again|once\s+more|one\s+more\s+time|another\s+time|(?:a\s+)?second\s+time|afresh|anew|from\s+(?:scratch|the\s+(?:top|start|beginning|ground))|in\s+full|fully|in\s+its\s+entirety|in\s+one\s+piece|complete(?:ly)?|whole|entire|full|original|originally|initial(?:ly)?|first|at\s+the\s+(?:very\s+)?(?:start|beginning|outset)|back\s+then|verbatim|word\s+(?:for|by)\s+word|exact(?:ly)?|in\s+your\s+(?:own\s+)?words|yourself)\b",
    )
});

/// What bids the user to act, ahead of the verb.
static BIDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:please|pls|plz|kindly|(?:can|could|would|will|may|might)\s+you|you\s+(?:can|could|might|may)\b|you\s+(?:would\s+|will\s+|'ll\s+)?(?:need|have|must|should|ought)(?:\s+to)?|you'll\s+(?:need|have)\s+to|(?:need|ask|asks|asking|like|want|beg|urge|request|requesting|invite|requires?|trouble|bother)\s+(?:of\s+)?you\b|mind|so\s+kind\s+as|good\s+enough\s+to|favou?r|(?:waiting|wait|up\s+to|on|for|over\s+to)\s+you\s+to|your\s+(?:turn|move)|grateful|appreciate\w*|(?:would|it'd|'d)\s+(?:really\s+)?help|best\s+if|next\s+step\W{1,3}you|action\W{1,3}you|all\s+(?:i|it)\s+(?:ask|takes?)|what\s+i\s+need)\b",
    )
});

/// Words after which the work waits for the user, ahead of the verb.
static WAITS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:once|when|as\s+soon\s+as|the\s+moment|after|until|till|unless|before|without|only\s+if|provided)\s+you(?:'ve|'ll|r)?(?:\s+(?:have|can|could|could\s+please|will|kindly|please|first|telling))?\s*\z",
    )
});

/// What may stand ahead of an imperative in its clause.
static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\A|[.!?;:,—–(=>→|]|\s-|\b(?:so|then|and|but|therefore|thus|hence|instead|now|first|simply|just|do|to\s+(?:go\s+on|proceed|continue|start|unblock\s+me)))\W*\z",
    )
});

/// An order in plain words: "you give task again".
static TOLD_TO: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:\A|[.!?;:,—–]|\b(?:so|then|and|now|first))\W*you\s*\z"));

/// Forms of a verb that give an order: the bare ones.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A(?:re-?)?(?:state|repeat|give|tell|send|quote|paste|type|copy|share|provide|describe|explain|post|write|say|put|phrase|dictate|supply|outline|formulate|forward|submit|hand|recite|issue|enter|word|spell.*|set\s.*|lay\s.*|run\s.*|take\s.*|walk\s.*|talk\s.*|fill\s.*|brief|remind|recap|drop|pass|let\s.*|go\s.*)\z",
    )
});

/// What turns the task after the verb into a detail of it, or into something to assent to.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:if|whether|which|when|where|who|why|how\s+(?:many|much|long|often)|that\s+(?:the|your|this)|file|deadline|columns?|format|reason|status|result|rest|part|owner|name|number|date|answer|output|draft|letter|report|translation|summary\s+of\s+what\s+i|not|confirm\w*|back\s+to\s+you|for\s+you|you)\b",
    )
});

/// Needing, with the task as what is needed: no verb of saying is required then.
static NEEDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:i|we)(?:\s+\w+|'d|'m|'ll){0,4}?\s+(?:need|require|want|like|request|await|ask(?:ing)?\s+for|wait(?:ing)?\s+(?:for|on)|must\s+(?:have|ask\s+for)|have\s+to\s+(?:have|ask\s+for)|depend\s+on|insist\s+on|beg\s+for|appreciate|be\s+(?:glad|grateful|thankful|obliged)\s+(?:for|to))|(?:\A|[.;:—–(|]\s*)\W*(?:still\s+|so\s+)?(?:need|needs|needed|required?|requires|wanted|awaiting|waiting\s+for|pending|request|asking\s+for|ask|from\s+you|(?:next\s+step|your\s+(?:turn|move|part))(?:\s*,\s*yours)?|what\s+(?:i|we)(?:'d|\s+would)?\s+(?:need|want|like|ask|lack|require)\w*|what\s+(?:would\s+|will\s+|can\s+)?(?:unblock|help|get|free)\w*\s+\w+|to\s+(?:continue|proceed|go\s+on|start|resume))\b(?:\s+(?:from|by|of)\s+you)?\s*[:=—–→-]?)\s",
    )
});

/// The task put anew, as a thing: "a restatement of the task", "the task, once more".
static PUT_ANEW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:re-?statement|repetition|(?:fresh|new|full|complete|second|renewed|another|clean|clear)\s+(?:statement|description|account|copy|version|wording|formulation|explanation)|re-?issue|re-?post|re-?send)\s+(?:of|for)\s+(?:the\s+|your\s+|my\s+)?(?:\w+\s+){0,2}?(?:task|request|goal|assignment|brief|instructions?|first\s+message|wording|job)\b
        | \b(?:original|first|opening|initial|exact|full|complete|whole)\s+(?:\w+\s+){0,3}?(?:task|request|goal|assignment|brief|job|instructions?|requirements?|wording|message)\b
        | \b(?:task|request|goal|assignment|brief|job)(?:'s)?[\s-]+(?:re-?statement|repetition|re-?send)\b
        | \b(?:tasks?|request|goal|assignment|brief|instructions?|job|(?:first|original|opening|initial)\s+(?:message|prompt|turns?|wording|text|ask|question))\b[^.!?;:]{0,40}?\b(?:re-?stated|repeated|re-?sent|re-?posted|re-?issued|re-?pasted|re-?worded|again|once\s+more|one\s+more\s+time|anew|afresh|as\s+(?:it\s+was\s+|you\s+)?(?:originally|first|initially)\s+\w+|from\s+you|in\s+your\s+(?:own\s+)?words|stated\s+by\s+you|word\s+(?:for|by)\s+word|verbatim|from\s+scratch|in\s+full|(?:pasted|typed|spelled\s+out|dictated|copied|sent|put)\s+(?:here|by\s+you|into|below|to\s+me))\b",
    )
});

/// Asking in the form of a question.
static WHAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bwhat\s+(?:was|am|were|is|are|should|shall|did)\s+(?:i|we)\s+(?:\w+\s+){0,3}?(?:ask|suppos|meant|told|expect|requir|engag|hir|set)\w*[^?]{0,60}\?
        | \bwhat\s+(?:did|does|do)\s+(?:the|your)\s+(?:\w+\s+){0,2}?(?:first|original|opening|initial)\s+(?:message|request|task|prompt|turn|post|instruction)\s+(?:\w+\s+)?(?:say|read|ask|state|contain|want)\b[^?]{0,60}\?
        | \A\W*(?:so|and|now|then|the|your|my|original|which|what|whose|exact|full)?\W*(?:the\s+|original\s+)*(?:task|assignment|request|goal|brief|job|instructions?)(?:\W+(?:again|please|pls|once\s+more|from\s+the\s+start|to\s+do))*\s*\?\W*\z
        | \bhow\s+(?:exactly\s+|precisely\s+)?(?:did|does|was|is)\s+(?:the|your)\s+(?:\w+\s+){0,2}?(?:task|request|assignment|brief|instruction|first\s+message|original)\b[^?]{0,60}\?
        | \bwhat\s+(?:were|was|are)\s+your\s+(?:exact\s+|original\s+|first\s+|opening\s+)+(?:words|wording|message|sentence|instructions?|ask)\b[^?]{0,60}\?",
    )
});

/// What the work is to be as a whole, asked of the user: "from you I need: what should the mail say, and to whom?"
static THE_WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bwhat\s+(?:should|must|shall|is|are|was|were)\s+(?:the\s+|this\s+|that\s+|your\s+|my\s+)?(?P<what>(?:\S+\s+){1,4}?)(?:(?:supposed|meant|intended)\s+)?(?:to\s+)?(?:do|say|tell\s+(?:the\s+)?\w+|list|contain|cover|be|look\s+like|achieve|deliver|show|state|include|announce|convey|change)\s*(?:(?:[,;]|\b(?:and|in\s+(?:full|total))\b)[^?]{0,120})?\?\W*\z
        | \bwas\s+soll(?:te)?\s+(?:ich|die|der|das|in)\b[^?]{0,60}\?\W*\z | \bque\s+doit\s+(?:dire|contenir|faire)\b[^?]{0,60}\?\W*\z | \bqué\s+debe\s+(?:decir|contener|hacer)\b[^?]{0,60}\?\W*\z",
    )
});

/// That such a question asks for the user's own word and takes nothing for granted.
static OWN_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:from\s+you|(?:need|want|like)\s+you\s+to|tell\s+me|in\s+your\s+(?:own\s+)?words|independent(?:ly)?\s+of|without\s+(?:looking|the\s+file|it)|(?:all|what)\s+i\s+need|ohne\s+die\s+datei|(?:sagen|nennen|schreiben|beschreiben)\s+sie|von\s+ihnen|dites-moi|dígame|dime)\b",
    )
});

/// A part of the work, or a choice: what the rest is, such a question takes for granted.
static A_DETAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:or|oder|ou|subject|heading|headline|title|columns?|formats?|file\s?names?|names?|dates?|deadline|tone|sign-?off|greeting|first|last|next|betreff|titel)\b",
    )
});

/// The same in other languages.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:bitte|kannst\s+du|können\s+sie|könntest\s+du|könnten\s+sie|würdest\s+du|würden\s+sie|nenn\w*|schick\w*|sag\w*|schreib\w*|brauche)\b[^.!?]{0,80}\b(?:aufgabe\w*|auftrag\w*|anliegen|anfrage|aufgabenstellung|erste\s+nachricht|was\s+(?:sie|du)\s+(?:ursprünglich|anfangs|zuerst))\b[^.!?]{0,60}\b(?:noch\s*mals?|noch\s*mal|noch\s+einmal|erneut|wörtlich|wortlaut|vollständig|neu|wiederhol\w*|ganz|wollte\w*)
        | \bworum\s+(?:ging|geht|handelte)\b[^.!?]{0,40}\b(?:auftrag|aufgabe|aufgabenstellung)\b
        | \b(?:wie\s+laute\w+|was\s+war)\b[^.!?]{0,30}\b(?:aufgabe|auftrag|aufgabenstellung)\b[^.!?]{0,60}\?
        | \b(?:répét|redonn|rappel|reformul|renvoy|redi[rt]|recopi|repréci|re-?préci|redécri)\w*[^.!?]{0,60}\b(?:tâche|demande|consigne|mission|énoncé|instruction|premier\s+message)
        | \bquel(?:le)?\s+(?:était|est|fut)\b[^.!?]{0,30}\b(?:tâche|demande|consigne|mission)\b[^.!?]{0,60}\?
        | \b(?:repet|repit|díg|dig|dím|dim|cuént|reform?ul|vuelv\w+\s+a|reenvi|recuérd|recuerd|indic|indíq|indiqu|escrib|decir)\w*[^.!?]{0,60}\b(?:tarea|encargo|petición|solicitud|instrucci\w+|primer\s+mensaje)\b
        | \bcuál\s+(?:era|fue|es)\b[^.!?]{0,30}\b(?:tarea|encargo|petición)\b
        | \b(?:ripet|riformul|rimand|riscriv|ridi)\w*[^.!?]{0,60}\b(?:compito|richiesta|incarico|consegna|istruzion\w+)\b | \bqual\s+era\b[^.!?]{0,30}\b(?:compito|richiesta|incarico)\b
        | \b(?:repet|repit|reenvi|reescrev|diz|dig)\w*[^.!?]{0,60}\b(?:tarefa|pedido|instruç\w+)\b | \bqual\s+era\b[^.!?]{0,30}\b(?:tarefa|pedido)\b
        | \b(?:kun\s+je|kunt\s+u|wil\s+je|wilt\s+u|graag|herhaal|geef|alsjeblieft|alstublieft)\b[^.!?]{0,60}\b(?:taak|opdracht|verzoek)\b[^.!?]{0,60}\b(?:nog\s*eens|opnieuw|nogmaals|herhal\w*|nog\s+[eé][eé]n\s+keer|(?:volledig|compleet|woordelijk|letterlijk)\s+(?:\w+\s+)?(?:geven|noemen|sturen|opschrijven|doorgeven|formuleren)) | \bherhaal\b[^.!?]{0,40}\b(?:taak|opdracht|verzoek)\b
        | \b(?:powtórz\w*|podaj\w*\s+ponownie|podać\s+ponownie|przypomn\w+)[^.!?]{0,60}\b(?:zadani\w+|polecen\w+|treść)
        | (?:повтор|напомн|пришл)\w*[^.!?]{0,60}(?:задач|задани|запрос|просьб)\w*
        | (?:タスク|課題|依頼|指示)[^。？]{0,30}(?:もう一度|再度|改めて|もういちど) | (?:もう一度|再度|改めて)[^。？]{0,30}(?:タスク|課題|依頼|指示)
        | (?:请|請|能否|可否|麻烦)[^。？]{0,30}(?:重新|再|重复|重述|重申)[^。？]{0,30}(?:任务|任務|要求|请求|指示)
        | (?:작업|과제|요청)[^.?]{0,30}(?:다시|한\s*번\s*더)",
    )
});

/// The same by its parts: a bid, the task, and that it is wanted anew, in whatever order the language puts them.
static BID_ABROAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:merci\s+de|veuillez|pouvez-vous|pourriez-vous|peux-tu|pourrais-tu|j'ai\s+besoin|il\s+me\s+faut|puede|podría|puedes|podrías|por\s+favor|necesito|dígame|dime|indíqueme|può|puoi|potrebbe|potresti|per\s+favore|mi\s+serve|pode|poderia|preciso|kunt\s+u|kun\s+je|wilt\s+u|wil\s+je|graag|alstublieft|alsjeblieft|herhaalt?|geeft?|bitte|nennen\s+sie|geben\s+sie|schicken\s+sie|könnten\s+sie|können\s+sie|kannst\s+du|brauche)\b",
    )
});
static TASK_ABROAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:tâche|demande|consigne|mission|énoncé|tarea|encargo|petición|solicitud|compito|richiesta|incarico|tarefa|pedido|taak|opdracht|verzoek|aufgabe\w*|auftrag\w*|anliegen)\b",
    )
});
static ANEW_ABROAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:à|de)\s+nouveau|encore\s+une\s+fois|une\s+nouvelle\s+fois|mot\s+pour\s+mot|compl[èe]t[ea]?|en\s+entier|d'origine|initiale?|otra\s+vez|de\s+nuevo|nuevamente|una\s+vez\s+más|completo|enter[oa]|original|palabra\s+por\s+palabra|di\s+nuovo|ancora\s+una\s+volta|per\s+intero|originale|iniziale|novamente|de\s+novo|outra\s+vez|na\s+íntegra|opnieuw|nog\s*eens|nogmaals|volledige?|noch\s*mals?|noch\s+ein\s*mal|erneut|wörtlich|wortlaut|vollständig\w*|ursprünglich\w*|von\s+vorn\w*)\b",
    )
});
/// A part of the task, or the task's own words for something else.
static DETAIL_ABROAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:dates?|délai|format\w*|fichier|fecha|plazo|formato|archivo|scadenza|prazo|arquivo|datum|frist|termin|datei|bestand|si|ob|falls|wenn|se|als|of|sobald)\b",
    )
});
/// What was wanted at the beginning, as a question.
static WANTED_ABROAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bwas\s+(?:genau\s+)?(?:sollte?|war|wollten?)\s+(?:ich|sie|du)?\b[^.!?]{0,40}\b(?:ursprünglich|anfangs|zuerst|am\s+anfang|gewünscht|verlangt|beauftragt)\b[^?]{0,60}\?
        | \bqu(?:e|')\s*(?:devais-je|dois-je|vouliez-vous|souhaitiez-vous|aviez-vous|attendiez-vous)\b[^.!?]{0,60}\b(?:au\s+départ|au\s+début|initialement|à\s+l'origine|exactement)\b[^?]{0,40}\?
        | \bqué\s+(?:debía|tenía\s+que|quería|querías|pidió|pediste|me\s+pidió)\b[^.!?]{0,60}\b(?:al\s+principio|originalmente|inicialmente|exactamente|al\s+inicio)\b[^?]{0,40}\?",
    )
});

/// Whether a sentence in another language bids the user to put the task anew.
fn bids_abroad(text: &str) -> bool {
    let bid = || {
        BID_ABROAD.find_iter(text).take(8).any(|bid| {
            let behind = clause_start(after(text, bid.end()));
            TASK_ABROAD.is_match(behind) && ANEW_ABROAD.is_match(behind) && !DETAIL_ABROAD.is_match(behind)
        })
    };
    WANTED_ABROAD.is_match(text) || bid()
}

/// A bid at the end of the sentence: "…, please", "…, ok?".
static BIDS_LAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:please|pls|plz|ok|okay|yes|(?:can|could|would|will)\s+you|from\s+you(?:,?\s+in\s+(?:full|writing|your\s+(?:own\s+)?words))?)\W*\z",
    )
});

/// Work that waits for the task to be there.
static UNTIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:until|till|once|as\s+soon\s+as|the\s+moment|unless|when|without)\s+(?:the|your|my|an?|(?:i|we)\s+(?:have|hear|get|see|know|read|receive)|(?:i|we)'ve)\s",
    )
});

/// Work that waits for the model to hear something.
static HEARS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:until|till|once|as\s+soon\s+as|the\s+moment|unless|when|before|without)\s+(?:i|we)(?:'ve|\s+have|'m|\s+am|\s+can)?\s+(?:been\s+|be\s+)?(?:hear|heard|know|learn|learned|learnt|read|see|seen|receive|received|get|got|told|given|reminded|have)\b(?:\s+(?:of|about|from)?\s*(?:you|it)\b)?",
    )
});

/// A request that is made in passing, or not at all.
static UNMADE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:nicht\s+(?:nötig|notwendig)|pas\s+(?:besoin|nécessaire)|no\s+(?:es\s+necesario|hace\s+falta)|inutile|sans\s+(?:vous\s+)?demander|ohne)\b | 不必|不用|无需|必要はありません",
    )
});

/// Where the request stands in a sentence of lower case and without quotations: what it is, to be judged with what is
/// around it.
pub(super) fn found(text: &str) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> =
        SAY.find_iter(text).take(64).filter_map(|verb| said(text, verb.start(), verb.end())).collect();
    for need in NEEDED.find_iter(text).take(16) {
        let behind = after(text, need.end());
        let near = PUT_ANEW.find(behind).filter(|put| words(&behind[..put.start()]) <= 6);
        if let Some(put) = near.filter(|put| !ASIDE.is_match(&behind[..put.start()])) {
            all.push((need.start(), need.end() + put.end()));
        }
    }
    let told = |need: &crate::lean::Match<'_>| {
        let end = object(text, need.range())?;
        after(text, need.end()).trim_start().starts_with("what ").then_some((need.start(), end))
    };
    all.extend(NEEDED.find_iter(text).take(16).filter_map(|need| told(&need)));
    // "Your task statement, once again, please."
    if BIDS_LAST.is_match(text)
        && words(text) <= 2 * GAP
        && let Some(put) = PUT_ANEW.find(text)
        && words(&text[..put.start()]) <= 3
    {
        all.push((put.start(), put.end()));
    }
    let first = |found: &crate::lean::Match<'_>| {
        ANEW.is_match(found.as_str()) || found.as_str().contains(" to do") || words(text) <= GAP
    };
    all.extend(WHAT.find_iter(text).take(16).filter(first).map(|found| (found.start(), found.end())));
    if OWN_WORD.is_match(text)
        && !A_DETAIL.is_match(text)
        && let Some(whole) = THE_WHOLE.find(text)
    {
        all.push((whole.start(), whole.end()));
    }
    if !UNMADE.is_match(text) && bids_abroad(text) {
        all.push((0, text.len()));
    }
    if !UNMADE.is_match(text) {
        all.extend(ELSEWHERE.find_iter(text).take(16).map(|found| (found.start(), found.end())));
    }
    all
}

/// Whether the sentence says that the work waits until the user has put the task anew. What it refuses to do before
/// takes nothing back.
pub(super) fn waits(text: &str) -> bool {
    let put = |after: &str| PUT_ANEW.find(after).is_some_and(|put| words(&after[..put.start()]) <= 4);
    SAY.find_iter(text)
        .take(64)
        .any(|verb| WAITS.is_match(before(text, verb.start())) && object(text, verb.range()).is_some())
        || HEARS.find_iter(text).take(16).any(|hears| object(text, hears.range()).is_some())
        || UNTIL.find_iter(text).take(16).any(|until| put(clause_start(after(text, until.end()))))
}

/// A verb of saying whose object is the task, bidden of the user and meant anew.
fn said(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let ahead = before(text, start);
    let object = object(text, start..end)?;
    let bare = BARE.is_match(text[start..end].trim());
    let bidden = BIDS.find_iter(ahead).any(|bid| !ahead[bid.end()..].contains(['.', ';', '?', '!']))
        || (bare && (OPENS.is_match(ahead) || BIDS_LAST.is_match(text) || TOLD_TO.is_match(ahead)));
    bidden.then_some((start, object))
}

/// Where the task ends that a verb of saying has as its object, if it is meant anew and nothing comes between.
fn object(text: &str, verb: Range<usize>) -> Option<usize> {
    let (ahead, behind) = (before(text, verb.start), after(text, verb.end));
    let object = OBJECT.find(behind)?;
    let between = &behind[..object.start()];
    let aside = ASIDE.is_match(&between.replace(" to me", " ").replace(" me ", " "));
    if aside || words(between) > GAP || between.contains([';', '.', '?', '!']) {
        return None;
    }
    let stop = behind[object.end()..].find(['.', ';', '!', '?']).map_or(behind.len(), |at| object.end() + at);
    let anew = SAY.captures(&text[verb.clone()]).is_some_and(|captures| captures.name("anew").is_some())
        || ANEW.is_match(&behind[..stop])
        || ANEW.is_match(clause_end(ahead));
    anew.then_some(verb.end + object.end())
}

/// The part of `behind` up to its first stop.
fn clause_start(behind: &str) -> &str {
    behind.split(['.', ';', '!', '?', ':']).next().unwrap_or_default()
}

/// The part of `ahead` after its last stop.
fn clause_end(ahead: &str) -> &str {
    let from = ahead.rfind(['.', ';', '!', '?', ':']).map_or(0, |at| at + 1);
    &ahead[from..]
}

fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

fn before(text: &str, end: usize) -> &str {
    let mut from = end.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..end]
}

fn after(text: &str, start: usize) -> &str {
    let mut to = text.len().min(start + REACH);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[start..to]
}
