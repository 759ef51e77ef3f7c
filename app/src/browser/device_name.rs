//! What this device may be called until its user calls it something better: the browser and the system, as the browser names them.

use super::page;

/// The browsers, by the word that tells them, the more telling ones first: most name others beside themselves.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
];

/// The systems, likewise.
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
];

/// Its name, such as `Firefox on Linux`.
pub(crate) fn of_this() -> String {
    of_agent(&page::window().navigator().user_agent().unwrap_or_default())
}

fn of_agent(agent: &str) -> String {
    let named = |names: &[(&str, &'static str)], other| {
        names.iter().find(|(word, _)| agent.contains(word)).map_or(other, |(_, name)| *name)
    };
    format!("{} on {}", named(&BROWSERS, "A browser"), named(&SYSTEMS, "another system"))
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn browsers_and_systems_are_told_apart() {
        let check = |agent, name| assert_eq!(of_agent(agent), name);
        check("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux");
        check(
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        );
        check(
            "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36",
            "Chrome on Android",
        );
        check("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1", "Safari on iPhone");
        check("something else", "A browser on another system");
    }
}
