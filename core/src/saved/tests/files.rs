//! Files of hypertool, both shapes, in and out (R154, R158).

use super::super::{FileShape, Shelf};
use super::NOW;

const SEED: &str = r#"{
  "dev-essentials": {
    "name": "dev-essentials",
    "description": "Essential tools for web development",
    "version": "1.0.0",
    "createdAt": "2024-01-15T10:30:00Z",
    "tools": [
      {"namespacedName": "git.status", "refId": "sha256:abc123"},
      {"namespacedName": "docker.ps", "refId": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}
    ],
    "toolNotes": [{"toolRef": {"namespacedName": "git.status"}, "notes": [{"name": "use", "note": "first"}]}],
    "allowStaleRefs": true
  },
  "Bad Name": {"tools": [{"namespacedName": "a.b"}]},
  "neither": {"tools": [{}]}
}"#;

#[test]
fn the_seeds_file_is_read() {
    let mut shelf = Shelf::default();
    let imported = shelf.import(SEED, false, NOW).expect("is a file");
    let saved = shelf.get("dev-essentials").expect("is there");
    assert_eq!(
        (saved.created_at.to_string().as_str(), saved.version.as_deref()),
        ("2024-01-15T10:30:00.000Z", Some("1.0.0"))
    );
    assert!(saved.tools[1].ref_id().is_some_and(|id| id.starts_with("sha256:0123")), "C13");
    assert!(!saved.allow_stale_refs, "a file makes nothing insecure");
    assert_eq!(saved.notes[0].notes[0].note, "first");
    let remarks = imported.remarks.join("\n");
    for said in ["\"Bad Name\" was not imported", "\"neither\" was not imported", "is strict until you allow them"] {
        assert!(remarks.contains(said), "{said}: {remarks}");
    }
    // A second time nothing is replaced unless that is wanted.
    assert_eq!(shelf.import(SEED, false, NOW).expect("is a file").toolsets, []);
    assert_eq!(shelf.import(SEED, true, NOW).expect("is a file").toolsets.len(), 1);
}

#[test]
fn the_later_shape_is_read_and_both_are_written() {
    let config = format!(r#"{{"toolsets": {SEED}, "lastEquippedToolset": "dev-essentials", "version": "1.0.0"}}"#);
    let mut shelf = Shelf::default();
    let imported = shelf.import(&config, false, NOW).expect("is a file");
    assert_eq!(imported.last_equipped.as_deref(), Some("dev-essentials"));
    for shape in [FileShape::Toolsets, FileShape::Config] {
        let text = shelf.export(None, shape).expect("is written");
        let mut again = Shelf::default();
        again.import(&text, false, NOW).expect("is a file");
        assert_eq!(again.toolsets, shelf.toolsets, "{text}");
    }
    insta::assert_snapshot!(shelf.export(Some("dev-essentials"), FileShape::Toolsets).expect("is written"), @r#"
    {
      "dev-essentials": {
        "name": "dev-essentials",
        "description": "Essential tools for web development",
        "version": "1.0.0",
        "createdAt": "2024-01-15T10:30:00.000Z",
        "lastModified": "2024-01-15T10:30:00.000Z",
        "tools": [
          {
            "namespacedName": "git.status",
            "refId": "sha256:abc123"
          },
          {
            "namespacedName": "docker.ps",
            "refId": "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
          }
        ],
        "toolNotes": [
          {
            "toolRef": {
              "namespacedName": "git.status"
            },
            "notes": [
              {
                "name": "use",
                "note": "first"
              }
            ]
          }
        ]
      }
    }
    "#);
    assert!(shelf.export(Some("gone"), FileShape::Toolsets).is_err());
}

#[test]
fn what_is_no_such_file_is_refused() {
    for text in ["", "[]", "7", "{"] {
        let refused = Shelf::default().import(text, false, NOW).expect_err("is refused").to_string();
        assert!(refused.starts_with("this is not a file of saved toolsets: "), "{refused}");
    }
}
