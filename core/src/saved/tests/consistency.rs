//! The five ways in which the halves of a reference agree or not (R144–R150, R153).

use super::super::{Discovery, Staleness, ToolResolution};
use super::{both, by_name, changed, found, git_and_docker, object};
use crate::record::ToolReference;

/// Tries a reference both ways: the tool it comes to, and what is said.
fn check(
    discovery: &Discovery,
    reference: &ToolReference,
    strict: (Option<&str>, &[&str]),
    stale: (Option<&str>, &[&str]),
) {
    for (staleness, (tool, said)) in [(Staleness::Strict, strict), (Staleness::Allowed, stale)] {
        let ToolResolution { exists, tool: found, server_name, warnings, errors, .. } =
            discovery.resolve_tool_reference(reference, staleness);
        assert_eq!(found.as_ref().map(|tool| tool.namespaced_name.as_str()), tool, "{staleness:?}");
        assert_eq!(exists, found.is_some());
        // R153
        assert_eq!(server_name, found.map(|tool| tool.server_name));
        let heard: Vec<String> = warnings.into_iter().chain(errors).collect();
        assert_eq!(heard, said, "{staleness:?}");
    }
}

/// R145
#[test]
fn both_halves_match() {
    let discovery = git_and_docker();
    let reference = both(&discovery, "git.status");
    check(&discovery, &reference, (Some("git.status"), &[]), (Some("git.status"), &[]));
    let found = discovery.resolve_tool_reference(&reference, Staleness::Strict);
    assert!(found.namespaced_name_match && found.ref_id_match);
    check(&discovery, &by_name("docker.ps"), (Some("docker.ps"), &[]), (Some("docker.ps"), &[]));
    let id = reference.ref_id().expect("has one").trim_start_matches("sha256:").to_uppercase();
    let bare = ToolReference::new(None, Some(id)).expect("names a tool");
    check(&discovery, &bare, (Some("git.status"), &[]), (Some("git.status"), &[]));
}

/// R146
#[test]
fn the_schema_has_changed() {
    let reference = both(&git_and_docker(), "git.status");
    let now = Discovery::of(vec![found("git", "status", changed())]);
    let said = "git.status has another schema than when it was saved: its refId has changed";
    let allowed = format!("INSECURE, allowed by allowStaleRefs: {said}");
    check(&now, &reference, (None, &[said]), (Some("git.status"), &[&allowed]));
}

/// R147: the same server under another toolset's key, so that the name differs and the definition does not.
#[test]
fn the_name_has_changed() {
    let before = git_and_docker();
    let id = both(&before, "git.status").ref_id().map(str::to_owned);
    let reference = ToolReference::new(Some("old.status".into()), id).expect("names a tool");
    let said = "old.status is called git.status now: its refId is the same";
    let allowed = format!("INSECURE, allowed by allowStaleRefs: {said}");
    check(&before, &reference, (None, &[said]), (Some("git.status"), &[&allowed]));
}

/// R148, R149: gone, or moved to another server, which is gone too.
#[test]
fn neither_half_is_there() {
    let reference = both(&git_and_docker(), "git.status");
    check(&Discovery::default(), &reference, (None, &[]), (None, &[]));
    let moved = Discovery::of(vec![found("forge", "status", object())]);
    check(&moved, &reference, (None, &[]), (None, &[]));
}

/// R150
#[test]
fn the_halves_name_two_tools() {
    let discovery = git_and_docker();
    let id = both(&discovery, "docker.ps").ref_id().map(str::to_owned);
    let reference = ToolReference::new(Some("git.status".into()), id).expect("names a tool");
    let said = "git.status and its refId point to different tools: the refId is that of docker.ps";
    let allowed = format!("INSECURE, allowed by allowStaleRefs: {said}");
    check(&discovery, &reference, (None, &[said]), (Some("git.status"), &[&allowed]));
}

/// C05, C09: two servers of one name have their keys before their tools, and the short name is neither's.
#[test]
fn a_name_that_two_have_is_nobodys() {
    let mut other = found("git", "status", object());
    other.id = crate::catalog::ToolId::parse("mcp:work~git:status").expect("is a tool id");
    other.namespace = super::super::Namespace::Server("work".into(), "git".into());
    let discovery = Discovery::of(vec![found("git", "status", object()), other]);
    let names: Vec<&str> = discovery.tools().iter().map(|tool| tool.namespaced_name.as_str()).collect();
    assert_eq!(names, ["git~git.status", "work~git.status"]);
    let said = "git.status could be git~git.status or work~git.status; choose it again";
    check(&discovery, &by_name("git.status"), (None, &[said]), (None, &[said]));
    check(&discovery, &by_name("work~git.status"), (Some("work~git.status"), &[]), (Some("work~git.status"), &[]));
}
