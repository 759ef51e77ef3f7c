//! Recognising the two troubles a set-up meets most, no network and no space, in the output of any program.

/// The last line that names one of the two, if there is one.
pub(crate) fn line(output: &str) -> Option<&str> {
    output.lines().rev().map(str::trim).find(|line| recognise(line).is_some())
}

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
const NO_NETWORK: [&str; 21] = [
    "could not resolve host",
    "couldn't resolve host",
    "temporary failure resolving",
    "temporary failure in name resolution",
    "dns error",
    "enotfound",
    "eai_again",
    "etimedout",
    "econnrefused",
    "econnreset",
    "ehostunreach",
    "connection refused",
    "connection timed out",
    "timeout was reached",
    "name or service not known",
    "failed to establish a new connection",
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
        check("npm error code ECONNRESET", no_network);
        check("npm error connect EHOSTUNREACH 104.16.0.1:443", no_network);
        check("tcp connect error: Connection refused (os error 111)", no_network);
        check("error: Connection timed out (os error 110)", no_network);
        check("[28] Timeout was reached (Operation timed out after 30000 ms)", no_network);
        check("wget: getaddrinfo: Name or service not known", no_network);
        check("pip: Failed to establish a new connection: [Errno 111]", no_network);
        check("error: could not download file from 'https://x' to '/y'", no_network);
        check("error: No space left on device (os error 28)", Some(Trouble::DiskFull));
        check("npm error ENOSPC: no space left, write; ETIMEDOUT", Some(Trouble::DiskFull));
        check("error[E0308]: mismatched types", None);
    }

    #[test]
    fn the_line_that_says_it_is_found() {
        let output = "   Compiling a\n  error: No space left on device (os error 28)\nerror: could not compile `a`\n";
        assert_eq!(line(output), Some("error: No space left on device (os error 28)"));
        assert_eq!(line("error[E0308]: mismatched types"), None);
    }
}
