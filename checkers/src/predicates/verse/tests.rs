use super::*;

fn lines(text: &str) -> usize {
    poems(text).first().map_or(0, Vec::len)
}

const LIMERICK: &str = "A query once ran through the night\nWith no index to help it take flight;\nIt would scan every row,\nUnbearably slow,\nTill the DBA set it all right.";

#[test]
fn verse_is_found_however_it_is_set() {
    assert_eq!(lines(LIMERICK), 5);
    assert_eq!(lines(&LIMERICK.replace('\n', "\n\n")), 5);
    assert_eq!(lines(&LIMERICK.replace('\n', " / ")), 5);
    assert_eq!(lines(&LIMERICK.replace('\n', "<br>")), 5);
    assert_eq!(lines(&format!("> {}", LIMERICK.replace('\n', "\n> "))), 5);
    assert_eq!(lines(&format!("```\n{LIMERICK}\n```")), 5);
    assert_eq!(lines(&format!("```sql\n-- {}\n```", LIMERICK.replace('\n', "\n-- "))), 5);
    assert_eq!(lines(&format!("```python\nprint(\"{}\")\n```", LIMERICK.replace('\n', "\")\nprint(\""))), 5);
    assert_eq!(lines(&format!("*{}*", LIMERICK.replace('\n', "*  \n*"))), 5);
    assert_eq!(lines(&format!("**{}**", LIMERICK.replace('\n', "**\n**"))), 5);
    assert_eq!(lines(&format!("**{}**", LIMERICK.replace('\n', " / "))), 5);
    assert_eq!(
        lines(&format!(
            "Sure! Here's a limerick for you:\n\n**The Slow One**\n\n{LIMERICK}\n\nHope you like it!"
        )),
        5
    );
}

#[test]
fn what_is_no_verse_is_not_counted() {
    for text in [
        "1. Should it be long?\n2. Should it rhyme?\n3. What is it for?\n4. Who reads it?\n5. When?",
        "Databases store data in tables with rows and columns that applications read.\nAn index makes it faster to look up a row by the value of one of its columns.\nTransactions group changes so that they either all happen or none of them do at all.\nReplication keeps copies on several machines so that one may fail.\nBackups protect you from mistakes.",
        "- tables\n- rows\n- columns\n- keys\n- joins",
        "Rows asleep on disk\nWait for one who calls their key\nMorning: SELECT star",
        "",
    ] {
        assert!(lines(text) < 5, "{text}");
    }
}

#[test]
fn the_topic_is_told_by_its_words() {
    let about = |text: &str| topic::is_about(text, "", "databases", &[]);
    assert!(about(LIMERICK));
    assert!(about("A foreign key pointed to air"));
    assert!(about("A row that was locked for too long\nTill your commit at last comes along"));
    assert!(!about("There was an old cat from Peru\nWho slept on a warm kangaroo"));
    assert!(!about("The table was laid, and the key on a hook"));
    assert!(!about("A coder whose server had crashed, lost data and code"));
    assert!(topic::is_about("The espresso machine and a bean", "", "coffee", &[]));
    assert!(topic::is_about("He oiled the chain of his bicycle", "", "bicycles", &[]));
    assert!(!topic::is_about("A cat sat on a mat", "", "coffee", &[]));
}

#[test]
fn a_poor_poem_is_a_poem() {
    // Of the kind that small models write: no rhyme, but set in lines that run on.
    let text = "In a land where the data is old and deep,\nThe tables are many, the rows in a heap.\nThey answer each query, and never ask why,\nThe index is slow, and the cache is dry.\nSo let us all hope that the disk is big.";
    let unrhymed = text.replace("deep", "wide").replace("dry", "cold");
    assert_eq!(lines(&unrhymed), 5);
}
