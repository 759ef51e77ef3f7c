//! What the cage's own check found.

use serde::{Deserialize, Serialize};

/// What the cage's own check found: one line for each way out that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CageReport {
    /// What `sys.version` says inside.
    pub python: String,
    /// How long loading took, in milliseconds.
    pub load_millis: u32,
    /// Every way out that was tried.
    pub probes: Vec<Probe>,
}

/// One way out of the cage that was tried from inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The way, for example `fetch`.
    pub way: String,
    /// Whether it was refused, as it must be.
    pub refused: bool,
    /// What the browser said.
    pub detail: String,
}

impl CageReport {
    /// Whether every way out was refused.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        !self.probes.is_empty() && self.probes.iter().all(|probe| probe.refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cage_with_one_open_way_is_not_closed() {
        let probe = |refused| Probe { way: "fetch".into(), refused, detail: String::new() };
        let report = |probes| CageReport { python: "3.14".into(), load_millis: 0, probes };
        assert!(report(vec![probe(true)]).is_closed());
        assert!(!report(vec![probe(true), probe(false)]).is_closed());
        assert!(!report(Vec::new()).is_closed(), "nothing tried shows nothing");
    }
}
