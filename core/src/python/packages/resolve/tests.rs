//! What declared packages come to, over a scripted source.

use super::super::sample::{INDEX, Shelf, at_once, wheel};
use super::*;

fn index() -> SourceAddress {
    SourceAddress::parse(INDEX).expect("is an address")
}

fn declared(texts: &[&str]) -> Vec<Requirement> {
    texts.iter().map(|text| Requirement::parse(text).expect("is a requirement")).collect()
}

fn run(
    shelf: &Shelf,
    texts: &[&str],
    shipped: &[ShippedWheel],
    sources: &[SourceAddress],
) -> Result<Vec<FoundWheel>, PackageError> {
    let limits = PackageLimits { wheels: 5, attempts: 5, ..PackageLimits::default() };
    at_once(resolve(&declared(texts), shipped, sources, shelf, &limits, &|_| {}))
}

fn check(shelf: &Shelf, texts: &[&str], expected: &[&str]) {
    let found = run(shelf, texts, &[], &[SourceAddress::own_folder(), index()]).expect("is found");
    assert_eq!(found.iter().map(|wheel| wheel.file_name.as_str()).collect::<Vec<_>>(), expected, "{texts:?}");
}

fn check_refused(shelf: &Shelf, texts: &[&str], expected: &str) {
    let refused = run(shelf, texts, &[], &[SourceAddress::own_folder(), index()]).expect_err("is refused");
    assert_eq!(refused.to_string(), expected);
}

fn shipped(name: &str, version: &str, requires: &[&str]) -> ShippedWheel {
    ShippedWheel { file_name: format!("{name}-{version}-py3-none-any.whl"), bytes: wheel(name, version, requires) }
}

/// R306
#[test]
fn the_newest_version_that_is_allowed_is_taken_with_all_it_needs() {
    let shelf = Shelf::default();
    shelf.put("a", "1.0", &[]);
    shelf.put("a", "1.10", &["b>=2", "windows ; sys_platform == 'win32'", "more ; extra == 'all'"]);
    shelf.put("a", "1.9", &[]);
    shelf.put("a", "2.0rc1", &[]);
    shelf.put("b", "2.0", &["a"]);
    shelf.put("more", "1", &[]);
    check(&shelf, &["a"], &["a-1.10-py3-none-any.whl", "b-2.0-py3-none-any.whl"]);
    check(&shelf, &["a<1.5"], &["a-1.0-py3-none-any.whl"]);
    check(&shelf, &["A>=2.0rc1"], &["a-2.0rc1-py3-none-any.whl"]);
    check(&shelf, &["a[all]"], &["a-1.10-py3-none-any.whl", "b-2.0-py3-none-any.whl", "more-1-py3-none-any.whl"]);
}

#[test]
fn what_a_later_requirement_does_not_allow_is_taken_back() {
    let shelf = Shelf::default();
    shelf.put("a", "1.0", &[]);
    shelf.put("a", "2.0", &[]);
    shelf.put("b", "1.0", &["a<2"]);
    check(&shelf, &["a", "b"], &["a-1.0-py3-none-any.whl", "b-1.0-py3-none-any.whl"]);
    let pages = shelf.asked.borrow().iter().filter(|href| href.ends_with("/a/")).count();
    assert_eq!(pages, 1, "a page is asked for once");
    shelf.put("c", "1.0", &["a>=2"]);
    check_refused(
        &shelf,
        &["a", "b", "c"],
        "a is needed as <2 by b and >=2 by c, and https://index.example/simple/ has 2 versions, the newest being 2.0; change the \
         requirement, or add a source that has such a version",
    );
}

#[test]
fn wheels_of_the_bundle_come_first() {
    let shelf = Shelf::default();
    shelf.put("a", "2.0", &[]);
    shelf.put("b", "1.0", &[]);
    let own = [shipped("a", "1.0", &["b"]), shipped("unasked", "1.0", &["nowhere"])];
    let found = run(&shelf, &["a"], &own, &[index()]).expect("is found");
    assert_eq!(found.iter().map(|wheel| wheel.name.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(run(&Shelf::default(), &["unasked<2"], &[shipped("unasked", "1.0", &[])], &[]).expect("is there"), []);
    assert_eq!(
        run(&shelf, &["a>=2"], &own, &[index()]).expect_err("is refused").to_string(),
        "the bundle ships a 1.0, and the toolset needs a>=2; ship another version, or change the requirement"
    );
}

#[test]
fn the_folder_next_to_the_app_is_asked_before_the_network() {
    let shelf = Shelf::default();
    shelf.put("a", "2.0", &[]);
    shelf.put("c", "1.0", &[]);
    let mut lock = Lock::empty();
    for (name, requires) in [("a", &["b"][..]), ("b", &[])] {
        let (file_name, bytes) = (format!("{name}-1.0-py3-none-any.whl"), wheel(name, "1.0", requires));
        lock.add_wheel(&file_name, &bytes, 10_000).expect("is a wheel");
        shelf.files.borrow_mut().insert(format!("/packages/{file_name}"), bytes);
    }
    let text = serde_json::to_vec(&lock).expect("is JSON");
    shelf.files.borrow_mut().insert("/packages/pyodide-lock.json".into(), text);
    check(&shelf, &["a"], &["a-1.0-py3-none-any.whl", "b-1.0-py3-none-any.whl"]);
    assert!(shelf.asked.borrow().iter().all(|href| href.starts_with("/packages/")));
    check(&shelf, &["a>=2", "c"], &["a-2.0-py3-none-any.whl", "c-1.0-py3-none-any.whl"]);
}

#[test]
fn a_compiled_wheel_is_taken_where_it_fits() {
    let shelf = Shelf::default();
    let bytes = wheel("n", "1.0", &[]);
    for tags in ["cp314-cp314-manylinux_2_17_x86_64", "cp314-cp314-pyemscripten_2026_0_wasm32", "py3-none-any"] {
        shelf.put_as("n", &format!("n-1.0-{tags}.whl"), &bytes, None);
    }
    shelf.put_as("m", "m-1.0-cp314-cp314-manylinux_2_17_x86_64.whl", &bytes, None);
    check(&shelf, &["n"], &["n-1.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl"]);
    check_refused(
        &shelf,
        &["m"],
        "m has no wheel at https://index.example/simple/ that runs in a browser: it has to be pure Python (py3-none-any) or built for \
         Pyodide (cp314, pyemscripten_2026_0_wasm32)",
    );
}

#[test]
fn every_refusal_names_the_package_and_what_to_do() {
    let shelf = Shelf::default();
    shelf.put("a", "1.0", &["gone>=1"]);
    assert_eq!(
        run(&shelf, &["attrs"], &[], &[SourceAddress::own_folder()]).expect_err("is refused").to_string(),
        "attrs is not in the bundle's wheels/ and no package source is set; name one in Settings under Python packages, or put the \
         package into the folder packages/ next to the app"
    );
    shelf.files.borrow_mut().insert("/packages/pyodide-lock.json".into(), b"<!doctype html>".to_vec());
    check_refused(
        &shelf,
        &["a"],
        "gone, which a needs, is neither in the bundle's wheels/ nor at https://index.example/simple/; check its name, or add a source \
         that has it in Settings under Python packages",
    );
    check_refused(
        &shelf,
        &["a>=2"],
        "a is needed as >=2 by the toolset, and https://index.example/simple/ has 1.0 alone; change the requirement, or add a source \
         that has such a version",
    );
    shelf.put("address", "1.0", &["b @ https://evil.example/b.whl"]);
    check_refused(
        &shelf,
        &["address"],
        "address wants b from an address of its own, and packages come only from the user's sources; ship it in wheels/",
    );
    let bytes = wheel("h", "1.0", &[]);
    shelf.put_as("h", "h-1.0-py3-none-any.whl", &bytes, Some(&"0".repeat(64)));
    check_refused(
        &shelf,
        &["h"],
        &format!(
            "h-1.0-py3-none-any.whl from https://index.example/simple/ is not what the source says it is: its SHA-256 is {}, and it \
             should be {}. It was not kept; try again, and if that does not help, tell whoever runs the source",
            BlobId::of(&bytes),
            "0".repeat(64)
        ),
    );
    shelf.put_as("n", "n-1.0-py3-none-any.whl", &bytes, Some("none"));
    check_refused(
        &shelf,
        &["n"],
        "https://index.example/simple/ gives no SHA-256 for n-1.0-py3-none-any.whl, so it cannot be checked; use another source",
    );
    shelf.put_as("z", "z-1.0-py3-none-any.whl", b"no zip", None);
    check_refused(&shelf, &["z"], "z-1.0-py3-none-any.whl cannot be used: the archive is damaged, or is not a ZIP");
    *shelf.failure.borrow_mut() = Some(FetchFailure::Unreachable);
    check_refused(
        &shelf,
        &["a"],
        "https://index.example/simple/ cannot be reached, redirects, or does not let pages read it (CORS); connect to the network, \
         or check the address in Settings under Python packages",
    );
}

#[test]
fn there_is_an_end_to_everything() {
    let shelf = Shelf::default();
    for number in 0..9 {
        shelf.put(&format!("chain{number}"), "1.0", &[&format!("chain{}", number + 1)]);
    }
    check_refused(&shelf, &["chain0"], "the toolset's packages come to more than 5 wheels, the most there may be");
    let small = PackageLimits { wheel_bytes: 10, ..PackageLimits::default() };
    let sources = [index()];
    let refused =
        at_once(resolve(&declared(&["chain1"]), &[], &sources, &shelf, &small, &|_| {})).expect_err("is refused");
    assert_eq!(
        refused.to_string(),
        "https://index.example/files/chain1-1.0-py3-none-any.whl is larger than the limit of 10 bytes"
    );
}
