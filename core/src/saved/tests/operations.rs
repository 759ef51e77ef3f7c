//! Building, equipping and the rest, on a shelf.

use serde_json::{Value, json};

use super::super::{
    Discovery, Management, Mode, NewToolset, Resolution, SavedError, Shelf, ToolsetManager, budget_warning, manage,
};
use super::{NOW, both, by_name, changed, found, git_and_docker, object};
use crate::record::ToolReference;

fn new(name: &str, tools: &[&str]) -> NewToolset {
    let tools = tools.iter().map(|name| by_name(name)).collect();
    NewToolset { name: name.into(), tools, ..NewToolset::default() }
}

fn shelf() -> (Shelf, Discovery) {
    let (mut shelf, discovery) = (Shelf::default(), git_and_docker());
    shelf.build(new("dev-essentials", &["git.status", "docker.ps"]), &discovery, NOW).expect("is built");
    (shelf, discovery)
}

fn names(resolution: &Resolution) -> Vec<&str> {
    resolution.tools.iter().map(|tool| tool.namespaced_name.as_str()).collect()
}

/// R132, R133
#[test]
fn single_tools_are_kept_under_both_names() {
    let (shelf, discovery) = shelf();
    let saved = shelf.get("dev-essentials").expect("is there");
    assert_eq!(saved.tools, [both(&discovery, "git.status"), both(&discovery, "docker.ps")]);
    assert!(!saved.allow_stale_refs, "C12, R151");
}

/// R135, R156, C11
#[test]
fn what_makes_no_sense_is_not_built() {
    let (mut shelf, discovery) = shelf();
    let mut check = |new: NewToolset, expected: &str| {
        let refused = shelf.build(new, &discovery, NOW).expect_err("is refused");
        assert_eq!(refused.to_string(), expected);
    };
    let name = |name: &str| {
        format!("a saved toolset's name has 2 to 50 lower-case letters, digits and \"-\"; {name:?} does not fit")
    };
    for wrong in ["", "a", "Dev", "dev tools", &"a".repeat(51)] {
        check(new(wrong, &["git.status"]), &name(wrong));
    }
    check(
        new("dev-essentials", &["git.status"]),
        "there is already a saved toolset \"dev-essentials\"; choose another name, or delete that one first",
    );
    check(new("none", &[]), "a saved toolset needs at least one tool");
    check(new("many", &["git.status"; 101]), "a saved toolset has at most 100 tools, and these are 101");
    check(new("bare", &["status"]), "\"status\" is not written as \"server.tool\"");
    check(
        new("unknown", &["git.status", "git.push", "npm.install"]),
        "nothing was saved: Tool not found: git.push; Tool not found: npm.install",
    );
    // Nothing but a whole name is a name.
    check(new("pattern", &["git.*"]), "nothing was saved: Tool not found: git.*");
}

/// R137, R138, R139
#[test]
fn one_is_equipped_at_a_time() {
    let (mut shelf, discovery) = shelf();
    shelf.mode = Mode::Configuring;
    let resolution = shelf.equip("dev-essentials", &discovery).expect("is there");
    assert_eq!((names(&resolution), resolution.warnings.len()), (vec!["git.status", "docker.ps"], 0));
    assert_eq!((shelf.equipped.as_deref(), shelf.mode), (Some("dev-essentials"), Mode::Working));
    assert_eq!(shelf.equip("gone", &discovery), Err(SavedError::NotFound("gone".into())));
    assert_eq!(shelf.unequip().as_deref(), Some("dev-essentials"));
    shelf.equip("dev-essentials", &discovery).expect("is there");
    shelf.delete("dev-essentials").expect("is there");
    assert_eq!((shelf.equipped, shelf.toolsets.len()), (None, 0));
}

/// R146, R148, R151, R155: what is rejected, missing or away is told at equip time, and the rest still works.
#[test]
fn warnings_come_with_equipping() {
    let (mut shelf, _) = shelf();
    let mut away = found("git", "commit", object());
    away.unavailable = Some("Not connected: it has ended".into());
    shelf.build(new("more", &["git.commit", "git.status"]), &git_and_docker(), NOW).expect("is built");
    let now = Discovery::of(vec![found("git", "status", changed()), away]);
    let resolution = shelf.equip("dev-essentials", &now).expect("is there");
    assert_eq!(names(&resolution), [""; 0]);
    let said = "git.status has another schema than when it was saved: its refId has changed";
    assert_eq!(resolution.warnings, [format!("SECURITY: {said}"), "Tool not found: docker.ps".into()]);
    shelf.allow_stale_refs("dev-essentials", true).expect("is there");
    let resolution = shelf.equip("dev-essentials", &now).expect("is there");
    assert_eq!(names(&resolution), ["git.status"]);
    assert_eq!(resolution.warnings[0], format!("INSECURE, allowed by allowStaleRefs: {said}"));
    let resolution = shelf.equip("more", &now).expect("is there");
    assert_eq!(names(&resolution), ["git.commit"]);
    assert_eq!(resolution.warnings[1], "git.commit cannot be used now: Not connected: it has ended");

    // Whoever has looked at the change may take it over, and is strict again.
    shelf.allow_stale_refs("dev-essentials", false).expect("is there");
    shelf.renew("dev-essentials", &now, NOW).expect("is there");
    assert_eq!(names(&shelf.equip("dev-essentials", &now).expect("is there")), ["git.status"]);
}

/// R143, C15
#[test]
fn a_manager_reads_checks_and_applies() {
    let (shelf, discovery) = shelf();
    let mut manager = ToolsetManager::default();
    assert_eq!(manager.apply_config(&discovery).tools.len(), 3);
    assert_eq!(manager.save_config(), None);
    let checked = manager.set_config(shelf.get("dev-essentials").expect("is there").clone());
    assert!(checked.valid && checked.warnings.is_empty());
    let applied = manager.apply_config(&discovery);
    assert_eq!(
        (names(&applied), applied.warnings.len(), applied.errors.len()),
        (vec!["git.status", "docker.ps"], 0, 0)
    );
    let text = manager.save_config().expect("has one");
    let mut other = ToolsetManager::default();
    assert!(other.load_config(&text, None, NOW).valid);
    assert_eq!(other.apply_config(&discovery), applied);
    let wrong = other.load_config("{\"x\": 1}", None, NOW);
    assert!(!wrong.valid && wrong.errors[0].starts_with("\"x\" was not imported"), "{wrong:?}");
    assert_eq!(other.apply_config(&discovery), applied, "what is wrong changes nothing");
    let broken =
        crate::record::SavedToolset { tools: vec![], ..shelf.get("dev-essentials").expect("is there").clone() };
    assert_eq!(Resolution::of(&broken, &discovery).errors, ["a saved toolset needs at least one tool"]);
}

/// R157
#[test]
fn a_default_is_generated_and_edited() {
    let mut shelf = Shelf::default();
    let mut away = found("far", "away", object());
    away.unavailable = Some("Needs a Satchel server".into());
    let discovery = Discovery::of(vec![found("git", "status", object()), found("docker", "ps", object()), away]);
    let made = shelf.generate("default", &discovery, NOW).expect("is made").tools.clone();
    assert_eq!(made, [both(&discovery, "git.status"), both(&discovery, "docker.ps")]);
    let edit = NewToolset {
        name: "default".into(),
        tools: vec![made[1].clone(), by_name("far.away")],
        ..NewToolset::default()
    };
    let edited = shelf.edit(edit, &discovery, NOW).expect("is there").tools.clone();
    assert_eq!(edited, [both(&discovery, "docker.ps"), both(&discovery, "far.away")]);
    // What is not there just now may stay, and nothing else may come.
    let keep = NewToolset { name: "default".into(), tools: edited, ..NewToolset::default() };
    assert!(shelf.edit(keep, &Discovery::default(), NOW).is_ok());
    let wrong = NewToolset { name: "default".into(), tools: vec![by_name("git.push")], ..NewToolset::default() };
    assert!(shelf.edit(wrong, &discovery, NOW).is_err());
}

/// R134, R136, R139, R140, R141, R142: the answers are hypertool's.
#[test]
fn tools_answer_as_hypertool_does() {
    let (mut shelf, discovery) = shelf();
    let mut call = |tool: &str, arguments: Value| {
        let tool = Management::of_name(tool).expect("is one");
        manage(&mut shelf, &discovery, tool, &arguments, NOW)
    };
    let available = call("list-available-tools", json!({}));
    assert_eq!(available["summary"], json!({"totalTools": 3, "totalServers": 2}));
    assert_eq!(available["toolsByServer"][0]["tools"][1]["namespacedName"], "git.commit");
    let built =
        call("build-toolset", json!({"name": "web", "tools": [{"namespacedName": "git.commit"}], "autoEquip": true}));
    assert_eq!(built["meta"], json!({"success": true, "toolsetName": "web", "autoEquipped": true}));
    assert_eq!(built["toolset"]["active"], true);
    let refused = call("build-toolset", json!({"name": "web", "tools": []}));
    assert_eq!(refused["meta"]["success"], false);
    assert!(refused["meta"]["error"].as_str().is_some_and(|error| error.contains("already")));
    let list = call("list-saved-toolsets", json!({}));
    let listed: Vec<&str> =
        list["toolsets"].as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(listed, ["dev-essentials", "web"]);
    let active = call("get-active-toolset", json!({}));
    assert_eq!(active["toolSummary"], json!({"currentlyExposed": 1, "totalDiscovered": 3, "filteredOut": 2}));
    assert_eq!(active["exposedTools"]["git"][0]["namespacedName"], "git.commit");
    let note =
        json!({"toolRef": {"namespacedName": "git.commit"}, "notes": [{"name": "style", "note": "short lines"}]});
    assert_eq!(call("add-tool-annotation", note)["notes"][0]["note"], "short lines");
    let unconfirmed = call("delete-toolset", json!({"name": "web"}));
    assert_eq!(unconfirmed["error"], "\"web\" would be gone for good; send \"confirm\": true to delete it");
    assert_eq!(call("delete-toolset", json!({"name": "web", "confirm": true}))["deleted"], "web");
    assert_eq!(call("get-active-toolset", json!({}))["equipped"], false);
    assert_eq!(call("unequip-toolset", json!({}))["success"], false);
    assert_eq!(call("equip-toolset", json!({"name": "dev-essentials"}))["equipped"], "dev-essentials");
    let neither = call("build-toolset", json!({"name": "none", "tools": [{}]}));
    assert!(neither["meta"]["error"].as_str().is_some_and(|error| error.contains("neither")), "R028: {neither}");
}

/// R142: which tools are offered when.
#[test]
fn configuration_mode_has_tools_of_its_own() {
    let names = |mode, may_enter| -> Vec<&str> {
        Management::offered(mode, may_enter).into_iter().map(Management::name).collect()
    };
    assert_eq!(names(Mode::Working, true), ["enter-configuration-mode"]);
    assert_eq!(names(Mode::Working, false), [""; 0]);
    assert_eq!(names(Mode::Configuring, true).len(), 9);
    assert!(!names(Mode::Configuring, true).contains(&"enter-configuration-mode"));
    let (mut shelf, discovery) = shelf();
    for (tool, mode) in [
        (Management::Enter, Mode::Configuring),
        (Management::Exit, Mode::Working),
        (Management::Enter, Mode::Configuring),
    ] {
        manage(&mut shelf, &discovery, tool, &json!({}), NOW);
        assert_eq!(shelf.mode, mode);
    }
    let build = json!({"name": "web", "tools": [{"namespacedName": "git.commit"}], "autoEquip": true});
    manage(&mut shelf, &discovery, Management::Build, &build, NOW);
    assert_eq!(shelf.mode, Mode::Working, "building with autoEquip leaves it");
}

#[test]
fn much_context_is_warned_of() {
    assert_eq!(budget_warning(10_000, None), None);
    assert!(budget_warning(10_001, None).is_some_and(|said| said.contains("more than 10000")));
    assert!(budget_warning(2_001, Some(8_000)).is_some_and(|said| said.contains("a quarter of the model's 8000")));
    let mut large = found("big", "one", object());
    large.description = "word ".repeat(10_100);
    let discovery = Discovery::of(vec![large]);
    let mut shelf = Shelf::default();
    shelf.build(new("large", &["big.one"]), &discovery, NOW).expect("is built");
    let warnings = shelf.equip("large", &discovery).expect("is there").warnings;
    assert!(warnings[0].starts_with("Context budget: "), "{warnings:?}");
}

#[test]
fn a_note_of_one_name_replaces_the_other() {
    let (mut shelf, discovery) = shelf();
    let note = |text: &str| vec![crate::record::Note { name: "use".into(), note: text.into() }];
    assert_eq!(shelf.annotate(&by_name("git.status"), note("x"), NOW), Err(SavedError::NothingEquipped));
    shelf.equip("dev-essentials", &discovery).expect("is there");
    shelf.annotate(&by_name("git.status"), note("first"), NOW).expect("is noted");
    shelf.annotate(&by_name("git.status"), note("second"), NOW).expect("is noted");
    assert_eq!(shelf.annotate(&by_name("git.commit"), note("x"), NOW), Err(SavedError::NotInIt("git.commit".into())));
    let notes = &shelf.get("dev-essentials").expect("is there").notes;
    assert_eq!((notes.len(), notes[0].notes[0].note.as_str()), (1, "second"));
    let by_hash =
        ToolReference::new(None, both(&discovery, "git.status").ref_id().map(str::to_owned)).expect("names a tool");
    shelf.annotate(&by_hash, note(""), NOW).expect("is noted");
    assert_eq!(shelf.get("dev-essentials").expect("is there").notes, []);
}
