//! Whether a text is about a topic: by the words that people use when they write about it.
//!
//! A word that hardly occurs elsewhere is enough by itself; of words that other topics share it takes several, and
//! words of the wider field count once however many there are.

use std::collections::BTreeSet;

/// The points at which a text is about its topic.
const ENOUGH: usize = 3;

/// Words about databases that are enough by themselves. Stems: a word that starts with one counts.
const DATABASE: &str = "\
database dba dbas dbms rdbms sql nosql mysql postgres postgresql sqlite mariadb mongo mongodb redis \
cassandra dynamodb couchdb couchbase neo4j influxdb duckdb clickhouse cockroachdb bigquery \
elasticsearch db2 psql datastore denormali unnormali normali sharding shard deadlock rollback \
tablespace tuple varchar schema schemata mvcc olap oltp orm plpgsql wal btree upsert datenbank \
datenbanken abfrage tabelle données datos requête consulta tabla subquery subqueries ddl \
crud referential transaction transaktion transacción";

/// Words that point to databases and are rare elsewhere.
const NEAR: &str = "\
query queries queried querying replica replicat index indexes indices indexed dataset primary-key \
table-scan migration vacuum backup backups json uncommitted autocommit isolation snapshot failover \
partition trigger foreign cursor constraint commits primary unindexed";

/// Words that databases share with the rest of the world.
const SHARED: &str = "\
oracle acid table tables row rows column columns key keys join joins joined joining commit committed \
lock locks locked null nulls insert inserts inserted delete deletes deleted update updates updated \
select selects selected drop dropped record records field fields store stores stored view views cluster \
node nodes document documents scan scans scanned entries entry blob relation relations relational \
aggregate union restore restored recover cache cached parse execute executed statement transactions \
duplicate duplicates orphan orphaned consistent consistency persist persisted isolated atomic truncate \
truncated cascade alter optimizer planner stale invalidate reads write writes lookup hash log logs dump dumps \
orders customers users sorted restoring tapes election leader quorum vector embedding embeddings normal \
partitioned indexing timeout isolate heap page pages seek lookups unsorted catalog";

/// Pairs of words that belong to databases.
const PHRASES: &[&str] = &[
    "foreign key",
    "primary key",
    "rolled back",
    "roll back",
    "rolls back",
    "roll it back",
    "table scan",
    "full scan",
    "left join",
    "inner join",
    "outer join",
    "select star",
    "group by",
    "order by",
    "read replica",
    "dirty read",
    "write ahead",
    "write-ahead",
    "b-tree",
    "b tree",
    "key-value",
    "key value",
    "third normal",
    "third form",
    "vector store",
    "data store",
    "key store",
    "normal form",
    "stored procedure",
    "connection pool",
    "row lock",
    "big data",
    "two-phase",
    "query plan",
];

/// Words of computing at large.
const COMPUTING: &str = "\
session server servers data disk disks memory byte bytes terabyte terabytes gigabytes petabytes crash crashed \
cloud admin bits storage backend latency code coder program stack bug bugs protocol software engineer \
host app";

/// SQL written out, which nobody does by chance.
const CAPITALS: &str = "\
SELECT INSERT UPDATE DELETE JOIN NULL WHERE DROP COMMIT GROUP INDEX UNION TABLE ORDER HAVING TRUNCATE \
ROLLBACK VACUUM CASCADE ALTER EXPLAIN WAL INNER OUTER LEFT";

/// Other topics, each with words that show it.
const TOPICS: &[(&str, &str)] = &[
    (
        "compiler",
        "compile parser parse syntax token type linker link lexer semicolon error code optimi \
         register loop binary source warning macro assembl gcc rust pointer build",
    ),
    (
        "coffee",
        "espresso brew bean cup mug roast latte barista caffein cappuccino grind ground mocha \
         crema filter decaf sip steam milk foam",
    ),
    (
        "bicycle",
        "bike cycl pedal wheel spoke saddle chain brake gear ride rode rider tyre tire \
         handlebar helmet puncture bell hill",
    ),
    (
        "lighthouse",
        "beacon lamp light keeper sea ship rock fog beam shore coast wave storm sail tower \
         harbo cliff night lens",
    ),
    (
        "bread",
        "loaf loaves dough flour yeast knead bake oven crust crumb toast sourdough rise rose \
         butter slice rye wheat proof",
    ),
    (
        "rain",
        "wet cloud drizzle pour umbrella puddle drop storm drip soak gutter boot sky thunder \
         damp shower roof weather",
    ),
    (
        "cat",
        "feline kitten purr paw whisker meow mew tail claw mouse mice fur nap tabby lap pounce \
         sofa yarn",
    ),
    (
        "train",
        "rail track station engine platform locomotive carriage ticket conductor whistle steam \
         timetable tunnel coach express late signal wagon",
    ),
    (
        "library",
        "book shelf shelves librarian read page borrow lend loan catalog stack novel overdue \
         quiet hush volume tome fine card due",
    ),
    (
        "garden",
        "flower weed soil seed rose spade slug bloom plant hedge bed tulip compost mow lawn \
         grow grew snail rake water bean shed",
    ),
    (
        "moon",
        "lunar crescent tide night sky orbit crater silver star glow wane wax full astronaut \
         howl eclipse beam dark rocket",
    ),
    (
        "network",
        "router packet cable switch ping latency wifi port dns lan firewall socket tcp udp \
         signal hub traffic link bandwidth modem node",
    ),
    (
        "octopus",
        "tentacle arm arms eight ink sea sucker reef ocean squid deep shell crab rock tank \
         swim swam",
    ),
];

/// Whether `text` is about the topic. `words` are more words that show it.
///
/// `beside` is what stands around the text: a title or a gloss that names the topic tips the scales for words that
/// could be meant either way, and makes up for nothing else.
pub(super) fn is_about(text: &str, beside: &str, topic: &str, words: &[String]) -> bool {
    let found = tokens(text);
    let own = stem(&topic.to_lowercase());
    let mut points = 0;
    if own == "database" || own == "db" || own == "sql" {
        points += database_points(text, &found);
    } else {
        let named: BTreeSet<String> = topic
            .to_lowercase()
            .split_whitespace()
            .filter(|word| !matches!(*word, "the" | "and" | "of" | "a" | "an" | "my"))
            .map(stem)
            .collect();
        points +=
            3 * found.iter().filter(|word| named.iter().any(|stem| word.starts_with(stem.as_str()))).count();
        let is_named = |name: &str| {
            let name = stem(name);
            topic
                .to_lowercase()
                .split_whitespace()
                .any(|word| word.starts_with(&name) && word.len() < name.len() + 4)
        };
        let known = TOPICS.iter().find(|(name, _)| is_named(name));
        let shared = known.map_or("", |(_, words)| words);
        let hits: BTreeSet<&str> = shared
            .split_whitespace()
            .filter(|stem| found.iter().any(|word| word.starts_with(stem)))
            .collect();
        points += hits.len() + usize::from(hits.len() >= 2);
    }
    let extra: BTreeSet<String> =
        words.iter().map(|word| stem(&word.to_lowercase())).filter(|word| !word.is_empty()).collect();
    points +=
        2 * extra.iter().filter(|stem| found.iter().any(|word| word.starts_with(stem.as_str()))).count();
    let hinted = || own.len() > 1 && tokens(beside).iter().any(|word| word.starts_with(own.as_str()));
    points >= ENOUGH || (points + 1 == ENOUGH && hinted())
}

fn database_points(text: &str, found: &BTreeSet<String>) -> usize {
    let starts =
        |stem: &str, word: &String| if stem.len() < 5 { word == stem } else { word.starts_with(stem) };
    let count =
        |list: &str| list.split(' ').filter(|stem| found.iter().any(|word| starts(stem, word))).count();
    let exact = |list: &str| list.split(' ').filter(|word| found.contains(*word)).count();
    let spelt: BTreeSet<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
    let shouted = text.chars().filter(|c| c.is_lowercase()).count() > text.len() / 3;
    let capitals = if shouted { CAPITALS.split(' ').filter(|word| spelt.contains(word)).count() } else { 0 };
    let japanese =
        ["データベース", "数据库", "資料庫", "데이터베이스", "база данных", "базы данных", "базе данных"];
    let foreign = japanese.iter().filter(|word| text.to_lowercase().contains(**word)).count();
    let lower = text.to_lowercase();
    let phrases = PHRASES.iter().filter(|phrase| lower.contains(**phrase)).count();
    2 * phrases
        + 3 * count(DATABASE)
        + 3 * foreign
        + 2 * exact(NEAR)
        + 2 * capitals
        + exact(SHARED)
        + exact(COMPUTING).min(1)
}

/// The words of a text in lower case; those that are written together as identifiers also in their parts.
fn tokens(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for word in text.to_lowercase().split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        words.extend(word.split('_').filter(|part| !part.is_empty()).map(str::to_owned));
    }
    words
}

/// A word without its plural or `-ing`.
fn stem(word: &str) -> String {
    let word = word.trim().trim_start_matches("the ").trim_start_matches("a ");
    for ending in ["ies", "ing", "es", "s", "y"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 3) {
            let keeps_e = ending == "es";
            return if keeps_e { format!("{stem}e") } else { stem.to_owned() };
        }
    }
    word.to_owned()
}
