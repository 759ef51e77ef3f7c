//! Recognising the two troubles a set-up meets most, no network and no space, in the output of any program.

/// What to do about a failure with this output; `otherwise` when it is neither of the two.
pub(crate) fn advice(output: &str, otherwise: &str) -> String {
    match recognise(output) {
        Some(Trouble::DiskFull) => {
            "the disk is full: free a few gigabytes, then run the same command again; what is already set up stays".into()
        }
        Some(Trouble::NoNetwork) => {
            "a package registry could not be reached: check the network or proxy, then run the same command again; what is \
             already set up stays"
                .into()
        }
        None => otherwise.into(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Trouble {
    DiskFull,
    NoNetwork,
}

/// How cargo, rustup, apt, npm and the C library say it, in lower case.
const DISK_FULL: [&str; 4] = ["no space left on device", "enospc", "disk quota exceeded", "not enough free space"];
const NO_NETWORK: [&str; 14] = [
    "could not resolve host",
    "couldn't resolve host",
    "temporary failure resolving",
    "temporary failure in name resolution",
    "dns error",
    "enotfound",
    "eai_again",
    "etimedout",
    "econnrefused",
    "could not connect",
    "failed to connect",
    "network is unreachable",
    "spurious network error",
    "could not download file",
];

fn recognise(output: &str) -> Option<Trouble> {
    let output = output.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| output.contains(phrase));
    // A full disk also makes downloads fail, so it is looked for first.
    if says(&DISK_FULL) {
        Some(Trouble::DiskFull)
    } else if says(&NO_NETWORK) {
        Some(Trouble::NoNetwork)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: Option<Trouble>) {
        assert_eq!(recognise(output), expected, "{output}");
    }

    #[test]
    fn the_words_of_each_tool_are_known() {
        let no_network = Some(Trouble::NoNetwork);
        check("warning: spurious network error (3 tries remaining): [6] Could not resolve hostname", no_network);
        check("E: Failed to fetch http://x Temporary failure resolving 'x'", no_network);
        check("npm error code ENOTFOUND", no_network);
        check("error: could not download file from 'https://x' to '/y'", no_network);
        check("error: No space left on device (os error 28)", Some(Trouble::DiskFull));
        check("npm error ENOSPC: no space left, write; ETIMEDOUT", Some(Trouble::DiskFull));
        check("error[E0308]: mismatched types", None);
    }
}
