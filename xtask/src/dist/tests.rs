//! A whole `dist/` from small stand-ins for Trunk's output, `public/` and the npm package.

use super::*;

const PAGE: &str = "<!doctype html><html><head><meta name=\"satchel-build\" content=\"\"><meta name=\"satchel-core-worker\" content=\"\"><script type=\"module\">boot()</script>\
                    <link rel=\"stylesheet\" href=\"/style-0123456789abcdef.css\"></head><body></body></html>";

struct Fixture {
    home: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let fixture = Self { home };
        fixture.put("trunk/index.html", PAGE);
        fixture.put("trunk/style-0123456789abcdef.css", "body { margin: 0 }\n");
        fixture.put("trunk/satchel-worker.js", "export default () => {}");
        fixture.put("trunk/satchel-worker_bg.wasm", "\0asm");
        fixture.put("app/core-worker.js", "await init()");
        fixture.put("public/service-worker.js", "const BUILD = null;\n");
        fixture.put("public/icons/icon.svg", "<svg/>");
        fixture.put("pyodide/package.json", "{\"version\": \"1.2.3\"}");
        fixture.put("editor/editor.js", "export {};");
        fixture.put("cage/cage.js", "export {};");
        fixture.put("page-model/page_model.js", "export {};");
        fixture.put("examples/desk/toolset.yaml", "id: desk\n");
        for name in ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"] {
            fixture.put(&format!("pyodide/{name}"), name);
        }
        fixture.put("pyodide/pyodide-lock.json", "{\"packages\": {}}");
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn put(&self, name: &str, contents: &str) {
        files::write(&self.path(name), contents.as_bytes()).expect("the folder is writable");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the build made it")
    }

    fn build(&self) -> Result<BuildDescription, DistError> {
        let sources = Sources {
            trunk: self.path("trunk"),
            public: self.path("public"),
            core_worker: self.path("app/core-worker.js"),
            pyodide: self.path("pyodide"),
            editor: self.path("editor"),
            cage: self.path("cage"),
            page_model: self.path("page-model"),
            examples: self.path("examples"),
        };
        files::remove_folder(&self.path("dist"))?;
        let core_worker = gather(&sources, &self.path("dist"))?;
        describe(&self.path("dist"), &core_worker, |_, _| Ok(()))
    }
}

#[test]
fn every_file_is_listed_with_what_the_server_needs() {
    let fixture = Fixture::new();
    let description = fixture.build().expect("the parts are whole");
    let listed: Vec<_> =
        description.files.iter().map(|entry| (entry.path.as_str(), entry.immutable, entry.part)).collect();
    assert_eq!(
        listed,
        [
            ("/404.html", false, Part::Shell),
            ("/icons/icon.svg", false, Part::Shell),
            ("/index.html", false, Part::Shell),
            ("/service-worker.js", false, Part::Shell),
            ("/style-0123456789abcdef.css", true, Part::Shell),
            ("/vendor/cage-80d1074a1831a498/cage.js", true, Part::Lazy),
            ("/vendor/core-worker-78af67b36e35e366/core-worker.js", true, Part::Lazy),
            ("/vendor/core-worker-78af67b36e35e366/satchel-worker.js", true, Part::Lazy),
            ("/vendor/core-worker-78af67b36e35e366/satchel-worker_bg.wasm", true, Part::Lazy),
            ("/vendor/editor-85106d4e38ec26cb/editor.js", true, Part::Lazy),
            ("/vendor/examples-039b63d78d7e4b61/desk.zip", true, Part::Lazy),
            ("/vendor/page-model-5ab36e5acec513ca/page_model.js", true, Part::OnDemand),
            ("/vendor/pyodide-1.2.3-ec52355132e90d14/pyodide-lock.json", true, Part::Lazy),
            ("/vendor/pyodide-1.2.3-ec52355132e90d14/pyodide.asm.mjs", true, Part::Lazy),
            ("/vendor/pyodide-1.2.3-ec52355132e90d14/pyodide.asm.wasm", true, Part::Lazy),
            ("/vendor/pyodide-1.2.3-ec52355132e90d14/pyodide.mjs", true, Part::Lazy),
            ("/vendor/pyodide-1.2.3-ec52355132e90d14/python_stdlib.zip", true, Part::Lazy),
        ]
    );
    for entry in &description.files {
        let contents = fs::read(fixture.path("dist").join(&entry.path[1..])).expect("a listed file exists");
        assert_eq!((entry.bytes, &entry.sha256), (contents.len() as u64, &digest::hex(&contents)), "{}", entry.path);
    }
    let written: BuildDescription =
        serde_json::from_str(&fixture.read("dist/satchel-build.json")).expect("it is the description");
    assert_eq!(written, description);
}

#[test]
fn page_worker_and_description_agree_on_the_build() {
    let fixture = Fixture::new();
    let description = fixture.build().expect("the parts are whole");
    let page = fixture.read("dist/index.html");
    assert!(page.contains(&format!("<meta name=\"satchel-build\" content=\"{}\">", description.build)), "{page}");
    assert!(page.contains(&digest::policy_source(b"boot()")), "{page}");
    assert_eq!(fixture.read("dist/404.html"), page);
    let worker = description.files.iter().find(|entry| entry.path.ends_with("/core-worker.js")).expect("it is listed");
    assert!(page.contains(&format!("<meta name=\"satchel-core-worker\" content=\"{}\">", worker.path)), "{page}");

    let worker = fixture.read("dist/service-worker.js");
    let json = worker.trim().strip_prefix("const BUILD = ").and_then(|rest| rest.strip_suffix(';')).expect("filled in");
    let inside: BuildDescription = serde_json::from_str(json).expect("it is the description");
    assert_eq!(inside, description.cached_part());
    let paths: Vec<_> = inside.files.iter().map(|entry| entry.path.as_str()).collect();
    assert!(paths.contains(&"/index.html") && !paths.contains(&"/service-worker.js") && !paths.contains(&"/404.html"));
}

#[test]
fn equal_parts_give_the_same_build_and_a_changed_worker_another() {
    let fixture = Fixture::new();
    let first = fixture.build().expect("the parts are whole");
    assert_eq!(fixture.build().expect("the parts are whole"), first);
    fixture.put("public/service-worker.js", "const BUILD = null;\n// changed\n");
    assert_ne!(fixture.build().expect("the parts are whole").build, first.build);
}

#[test]
fn a_dist_with_a_missing_or_cut_file_is_not_opened() {
    let fixture = Fixture::new();
    let description = fixture.build().expect("the parts are whole");
    let dist = fixture.path("dist");
    assert_eq!(Dist::open(&dist).expect("it is whole").description, description);
    fixture.put("dist/icons/icon.svg", "<sv");
    assert!(Dist::open(&dist).is_none());
}

#[test]
fn a_file_made_twice_or_not_at_all_is_refused() {
    let fixture = Fixture::new();
    fixture.put("public/index.html", "");
    assert_eq!(fixture.build().expect_err("made twice").to_string(), "both Trunk and public/ make index.html");
    fs::remove_file(fixture.path("public/index.html")).expect("it was just made");
    fs::remove_file(fixture.path("public/service-worker.js")).expect("it was made");
    let error = fixture.build().expect_err("not made");
    assert_eq!(error.to_string(), "service-worker.js is missing; Trunk or public/ has to make it");
}
