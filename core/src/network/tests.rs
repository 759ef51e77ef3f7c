//! Who may go where.

use std::collections::BTreeSet;

use super::{
    Access, Address, decide, grant, granted, grants, is_private_ip, kept_headers, kept_method, secret_grant, withdraw,
};
use crate::catalog::ToolsetId;
use crate::ids::DeviceId;
use crate::store::{MemoryStore, Store as _};
use crate::time::Timestamp;

const OWN: &str = "http://127.0.0.1:8020/ui/chat";

fn decided(url: &str, declared: &[&str], granted: &[&str]) -> Access {
    let own = Address::parse(OWN).expect("is an address");
    let declared: Vec<String> = declared.iter().map(|host| (*host).to_owned()).collect();
    let granted: BTreeSet<String> = granted.iter().map(|host| (*host).to_owned()).collect();
    match Address::parse(url) {
        Ok(address) => decide(&address, &own, &declared, &granted),
        Err(fault) => Access::Refused(fault.into()),
    }
}

fn ask(host: &str, private: bool) -> Access {
    Access::Ask { host: host.into(), private }
}

/// R303: declared and granted, both by the whole name.
#[test]
fn a_host_must_be_declared_and_granted() {
    let check = |url: &str, granted: &[&str], expected: Access| {
        assert_eq!(decided(url, &["api.example.com", "api.example.com:8443"], granted), expected, "{url}");
    };
    check("https://api.example.com/v1?q=1", &[], ask("api.example.com", false));
    check("https://api.example.com/v1", &["api.example.com"], Access::Allowed);
    check("HTTPS://API.Example.COM:443", &["api.example.com"], Access::Allowed);
    check("http://api.example.com", &["api.example.com"], Access::Allowed);
    check("https://api.example.com:8443", &["api.example.com"], ask("api.example.com:8443", false));
    check("https://api.example.com:8443", &["api.example.com:8443"], Access::Allowed);
    let refused = |url: &str, host: &str| match decided(url, &["api.example.com"], &["api.example.com", host]) {
        Access::Refused(refused) => refused.to_string(),
        other => unreachable!("{url}: {other:?}"),
    };
    for (url, host) in [
        ("https://example.com/", "example.com"),
        ("https://x.api.example.com/", "x.api.example.com"),
        ("https://api.example.com.evil.test/", "api.example.com.evil.test"),
        ("https://api.example.com./", "api.example.com."),
        ("https://api.example.com:9000/", "api.example.com:9000"),
    ] {
        let message = format!(
            "the toolset does not declare the host {host}; its author has to add \"{host}\" under network.hosts in toolset.yaml"
        );
        assert_eq!(refused(url, host), message);
    }
}

/// R303: what readers could take for different hosts is refused before anything is decided.
#[test]
fn addresses_are_read_strictly() {
    let check = |url: &str, expected: &str| {
        assert_eq!(Address::parse(url).expect_err("is refused").to_string(), expected, "{url}");
    };
    let scheme =
        |url: &str| format!("a tool can only fetch addresses that begin with https:// or http://, and this is {url:?}");
    for url in ["ftp://x.test", "file:///etc/passwd", "//x.test", "x.test", "javascript:alert(1)", "https:/x.test", ""]
    {
        check(url, &scheme(url));
    }
    let credentials = "the address has a user name or a password in it; send them in a header instead";
    for url in ["https://a@x.test", "https://a:b@x.test/", "https://x.test@evil.test/"] {
        check(url, credentials);
    }
    for host in ["exämple.test", "x%2etest", "a b", "ａ.test", "x..test", "", "[::1", "[1.2.3.4]", "*.x.test"] {
        let message = Address::parse(&format!("https://{host}/")).expect_err("is refused").to_string();
        assert!(message.contains("has characters that an address cannot have"), "{host}: {message}");
    }
    for url in ["https://x.test\t.evil/", "https://x.test/\n@evil"] {
        assert!(Address::parse(url).is_err(), "{url:?}");
    }
    check("https://1.2.3.256/", "the host \"1.2.3.256\" is not an IP address, though it looks like one");
    check("https://x.0x/", "the host \"x.0x\" is not an IP address, though it looks like one");
    check("https://x.test:0/", "the port \"0\" is not a number from 1 to 65535");
    check("https://x.test:65536/", "the port \"65536\" is not a number from 1 to 65535");
    check("https://x.test:+1/", "the port \"+1\" is not a number from 1 to 65535");
    // A browser takes the backslash for a slash, and so does this.
    let address = Address::parse("https://x.test\\@evil.test/").expect("is an address");
    assert_eq!(address.granted_as(), "x.test");
}

/// R303: this machine and private networks, in every spelling.
#[test]
fn private_addresses_are_known() {
    let private = |host: &str| Address::parse(&format!("http://{host}/")).expect("is an address").is_private();
    for host in [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "printer.local",
        "metadata.google.internal",
        "router",
        "nas.home.arpa",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "0",
        "0x",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "0xc0a80101",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:a9fe:a9fe]",
        "[::127.0.0.1]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd12:3456::1]",
        "[fec0::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "[2001::1]",
        "[100::1]",
        "[64:ff9b:1::8.8.8.8]",
        "[2606:4700::5efe:127.0.0.1]",
        "[2606:4700::200:5efe:8.8.8.8]",
    ] {
        assert!(private(host), "{host}");
        let ip = Address::parse(&format!("http://{host}/")).expect("is an address").ip();
        assert!(ip.is_none_or(is_private_ip), "{host}");
    }
    assert!(!is_private_ip([8, 8, 8, 8].into()));
    for host in ["example.com", "localhost.example.com", "local.test", "8.8.8.8", "172.32.0.1", "[2606:4700::1111]"] {
        assert!(!private(host), "{host}");
    }
}

#[test]
fn an_address_has_one_spelling() {
    let check = |url: &str, expected: &str| {
        assert_eq!(Address::parse(url).expect("is an address").to_string(), expected, "{url}");
    };
    check("HTTPS://API.Example.COM:443/v1?q=1", "https://api.example.com");
    check("http://0x7f.1:8080/", "http://127.0.0.1:8080");
    check("http://[::0001]:80", "http://[::1]");
}

/// A private host needs its exact name declared and granted, and the question says what it is.
#[test]
fn private_hosts_are_asked_for_as_such() {
    let declared = ["192.168.1.1", "nas.local:5000"];
    assert_eq!(decided("http://192.168.1.1/", &declared, &[]), ask("192.168.1.1", true));
    assert_eq!(decided("http://0xc0a80101/", &declared, &["192.168.1.1"]), Access::Allowed);
    assert_eq!(decided("http://nas.local:5000/", &declared, &[]), ask("nas.local:5000", true));
    assert!(matches!(decided("http://192.168.1.2/", &declared, &["192.168.1.2"]), Access::Refused(_)));
}

/// R303: never the app itself, whatever is declared and granted, under none of its names.
#[test]
fn the_app_itself_is_out_of_reach() {
    for host in [
        "127.0.0.1:8020",
        "localhost:8020",
        "0.0.0.0:8020",
        "[::1]:8020",
        "[::ffff:127.0.0.1]:8020",
        "x.localhost:8020",
    ] {
        let found = decided(&format!("http://{host}/local/chats"), &[host], &[host]);
        match found {
            Access::Refused(refused) => assert!(refused.to_string().contains("Satchel itself"), "{host}: {refused}"),
            other => unreachable!("{host}: {other:?}"),
        }
    }
    let (own, other) = ("https://satchel.example/", "https://satchel.example:9000/");
    let [own, other] = [own, other].map(|url| Address::parse(url).expect("is an address"));
    let all = ["satchel.example".to_owned(), "satchel.example:9000".to_owned()];
    let granted = BTreeSet::from(all.clone());
    assert!(matches!(decide(&own, &own, &all, &granted), Access::Refused(_)));
    let plain = Address::parse("http://satchel.example/").expect("is an address");
    assert!(matches!(decide(&plain, &own, &all, &granted), Access::Refused(_)));
    assert_eq!(decide(&other, &own, &all, &granted), Access::Allowed);
}

#[test]
fn headers_of_the_page_are_not_the_tools_to_set() {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let all = [
        ("Authorization", "Bearer x"),
        ("Cookie", "a=b"),
        ("Sec-Fetch-Site", "none"),
        ("Proxy-Authorization", "x"),
        ("Host", "evil.test"),
        ("ORIGIN", "https://evil.test"),
        ("X-Http-Method-Override", "CONNECT"),
        ("X-Good", "yes"),
        ("X-Bad", "a\r\nb"),
        ("b ad", "x"),
        ("", "x"),
    ];
    let kept = kept_headers(all.map(|(name, value)| header(name, value)).to_vec());
    assert_eq!(kept, [header("Authorization", "Bearer x"), header("X-Good", "yes")]);
    assert_eq!(kept_method("post").as_deref(), Some("POST"));
    assert_eq!((kept_method("TRACE"), kept_method("connect"), kept_method("A B")), (None, None, None));
}

/// A grant is the toolset's, and can be taken back.
#[test]
fn grants_come_and_go() {
    let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
    let (store, now) = (MemoryStore::new(device), Timestamp::from_millis(1));
    let [mine, other] = ["mine", "other"].map(|id| ToolsetId::parse(id).expect("is a name"));
    let apply = |commit| at_once(store.apply(commit, now)).expect("fits");
    apply(grant(&mine, "api.example.com", now));
    assert_eq!(at_once(granted(&store, &mine)).expect("memory"), BTreeSet::from(["api.example.com".to_owned()]));
    assert_eq!(at_once(granted(&store, &other)).expect("memory"), BTreeSet::new());
    // With the host goes what may be sent there, and nothing of a host whose name only begins the same.
    apply(grant(&mine, &secret_grant("api.example.com", "KEY"), now));
    apply(grant(&mine, "api.example.com:8443", now));
    let rows = at_once(grants(&store, &mine)).expect("memory");
    apply(withdraw(&rows, "api.example.com"));
    assert_eq!(at_once(granted(&store, &mine)).expect("memory"), BTreeSet::from(["api.example.com:8443".to_owned()]));
}

fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("memory never waits"),
    }
}
