//! What a reference stands for now (R144): the five ways in which its two halves can agree or not (R145–R150).

use super::{DiscoveredTool, Discovery};
use crate::mcp::same_reference;
use crate::record::ToolReference;

/// What is done with a reference of which only one half fits, or whose halves name two tools (C12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Staleness {
    /// It is rejected.
    #[default]
    Strict,
    /// INSECURE: it is taken, with a warning.
    Allowed,
}

impl Staleness {
    /// As a saved toolset says it.
    #[must_use]
    pub fn of(allow_stale_refs: bool) -> Self {
        if allow_stale_refs { Self::Allowed } else { Self::Strict }
    }
}

/// What became of a reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResolution {
    /// Whether there is a tool that may be used for it.
    pub exists: bool,
    /// The tool.
    pub tool: Option<DiscoveredTool>,
    /// Who gives it, by what was discovered (R153).
    pub server_name: Option<String>,
    /// Whether a tool goes by the name.
    pub namespaced_name_match: bool,
    /// Whether a tool has the reference, and it is the one of the name where both were given.
    pub ref_id_match: bool,
    /// What has to be said although it is taken.
    pub warnings: Vec<String>,
    /// Why it was rejected; nothing where the tool is just not there.
    pub errors: Vec<String>,
}

impl Discovery {
    /// Finds the tool of a reference.
    #[must_use]
    pub fn resolve_tool_reference(&self, reference: &ToolReference, staleness: Staleness) -> ToolResolution {
        let by_ref = reference.ref_id().map(|id| self.referred(id)).unwrap_or_default();
        let by_name = match reference.namespaced_name() {
            Some(name) => match self.named(name).as_slice() {
                [] => None,
                [tool] => Some(*tool),
                // Of several that share a name the reference may tell which is meant, where only one of them has it.
                several => match several.iter().filter(|tool| has(tool, reference)).collect::<Vec<_>>().as_slice() {
                    [only] => Some(**only),
                    _ => return ambiguous(name, several),
                },
            },
            None => None,
        };
        match (reference.namespaced_name(), reference.ref_id(), by_name) {
            // 1. Both halves name one tool, or there is only one half.
            (Some(_), None, Some(tool)) => taken(tool, Halves { name: true, reference: false }),
            (Some(_), Some(id), Some(tool)) if same_reference(id, &tool.ref_id) => {
                taken(tool, Halves { name: true, reference: true })
            }
            (None, Some(id), _) => match by_ref.as_slice() {
                [] => ToolResolution::default(),
                [tool] => taken(tool, Halves { name: false, reference: true }),
                several => ambiguous(id, several),
            },
            // The halves name two tools (R150).
            (Some(name), Some(_), Some(tool)) if !by_ref.is_empty() => {
                let other = &by_ref[0].namespaced_name;
                let said = format!("{name} and its refId point to different tools: the refId is that of {other}");
                doubted(tool, Halves { name: true, reference: true }, said, staleness)
            }
            // 2. The tool of that name has another definition.
            (Some(name), Some(_), Some(tool)) => {
                let said = format!("{name} has another schema than when it was saved: its refId has changed");
                doubted(tool, Halves { name: true, reference: false }, said, staleness)
            }
            // 3. The tool of that definition has another name.
            (Some(name), Some(_), None) if !by_ref.is_empty() => {
                let [tool] = by_ref.as_slice() else { return ambiguous(name, &by_ref) };
                let said = format!("{name} is called {} now: its refId is the same", tool.namespaced_name);
                doubted(tool, Halves { name: false, reference: true }, said, staleness)
            }
            // 4 and 5. Neither half names anything.
            (Some(_), _, None) | (None, None, _) => ToolResolution::default(),
        }
    }
}

/// Which halves of a reference fit.
#[derive(Clone, Copy)]
struct Halves {
    name: bool,
    reference: bool,
}

fn has(tool: &DiscoveredTool, reference: &ToolReference) -> bool {
    reference.ref_id().is_some_and(|id| same_reference(id, &tool.ref_id))
}

fn taken(tool: &DiscoveredTool, halves: Halves) -> ToolResolution {
    ToolResolution {
        exists: true,
        server_name: Some(tool.server_name.clone()),
        tool: Some(tool.clone()),
        namespaced_name_match: halves.name,
        ref_id_match: halves.reference,
        warnings: Vec::new(),
        errors: Vec::new(),
    }
}

fn doubted(tool: &DiscoveredTool, halves: Halves, said: String, staleness: Staleness) -> ToolResolution {
    match staleness {
        Staleness::Strict => ToolResolution {
            namespaced_name_match: halves.name,
            ref_id_match: halves.reference,
            errors: vec![said],
            ..ToolResolution::default()
        },
        Staleness::Allowed => {
            let warning = format!("INSECURE, allowed by allowStaleRefs: {said}");
            ToolResolution { warnings: vec![warning], ..taken(tool, halves) }
        }
    }
}

/// Nobody can say which is meant, and so none is taken, however lenient the toolset is.
fn ambiguous(said: &str, several: &[&DiscoveredTool]) -> ToolResolution {
    let names: Vec<&str> = several.iter().map(|tool| tool.namespaced_name.as_str()).collect();
    let shown: String = said.chars().take(200).collect();
    ToolResolution {
        errors: vec![format!("{shown} could be {}; choose it again", names.join(" or "))],
        ..ToolResolution::default()
    }
}
