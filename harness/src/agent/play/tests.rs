use super::*;

#[test]
fn who_served_is_whom_the_replies_name_with_what_the_program_knows_of_them() {
    let reply = |id: &str, model: &str| Served {
        response_id: Some(id.to_owned()),
        model: Some(model.to_owned()),
        ..Served::default()
    };
    let bare = |model: &str| Served { model: Some(model.to_owned()), ..Served::default() };
    let said = [reply("r1", "large"), reply("r2", "helper"), reply("r3", "large")];
    let seen = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    // A helper's model is not the one on trial, and one that the program keeps quiet about is.
    assert_eq!(served(&said, &seen(&["large"])), [reply("r1", "large"), reply("r3", "large")]);
    assert_eq!(
        served(&said, &seen(&["large", "other"])),
        [reply("r1", "large"), reply("r3", "large"), bare("other")]
    );
    // Where no reply named anything, the program's word is all there is.
    assert_eq!(served(&said, &[]), said);
    assert_eq!(served(&[], &seen(&["large"])), [bare("large")]);
}
