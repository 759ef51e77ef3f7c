//! Every attack on the reader is one short test, made by a builder that writes what no honest archiver would.

use std::io::Write as _;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

/// One entry, written byte by byte as told.
#[derive(Clone)]
struct Entry {
    path: Vec<u8>,
    packed: Vec<u8>,
    size: u32,
    crc: u32,
    method: u16,
    flags: u16,
    mode: u32,
    /// Where the directory says that it is, if not where it is.
    header_at: Option<u32>,
}

impl Entry {
    fn new(path: &str) -> Self {
        // No content, so the size and the checksum are 0.
        Self {
            path: path.into(),
            packed: Vec::new(),
            size: 0,
            crc: 0,
            method: 0,
            flags: 0,
            mode: 0o100_644,
            header_at: None,
        }
    }

    /// What both headers say, from the flags to the length of the name.
    fn description(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(self.method.to_le_bytes());
        bytes.extend([0, 0, 0x21, 0]);
        bytes.extend(self.crc.to_le_bytes());
        bytes.extend((self.packed.len() as u32).to_le_bytes());
        bytes.extend(self.size.to_le_bytes());
        bytes.extend((self.path.len() as u16).to_le_bytes());
        bytes
    }
}

fn archive(entries: &[Entry]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let at = entry.header_at.unwrap_or(bytes.len() as u32);
        bytes.extend(b"PK\x03\x04\x14\0");
        bytes.extend(entry.description());
        bytes.extend([0, 0]);
        bytes.extend(&entry.path);
        bytes.extend(&entry.packed);
        directory.extend(b"PK\x01\x02\x14\x03\x14\0");
        directory.extend(entry.description());
        directory.extend([0; 8]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(&entry.path);
    }
    let (start, size) = (bytes.len() as u32, directory.len() as u32);
    bytes.extend(directory);
    let count = u16::try_from(entries.len()).unwrap_or(u16::MAX);
    if count == u16::MAX {
        // More entries than 16 bits can count are told by a longer record and a pointer to it.
        let (record_at, many) = (bytes.len() as u64, entries.len() as u64);
        bytes.extend(b"PK\x06\x06");
        bytes.extend(44_u64.to_le_bytes());
        bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend([many, many, u64::from(size), u64::from(start)].map(u64::to_le_bytes).concat());
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend(record_at.to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
    }
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    bytes.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
    bytes.extend([0, 0]);
    bytes
}

fn check_bytes(bytes: &[u8], expected: &str) {
    assert_eq!(read(bytes, &BundleLimits::default(), &mut |_, _| {}).expect_err("is refused").to_string(), expected);
}

fn check(entries: &[Entry], expected: &str) {
    check_bytes(&archive(entries), expected);
}

/// A deflate stream of this many bytes that inflates to zeros, 1,032 times as many, and has no end: one zero, then a block
/// whose only codes are one bit each, "258 bytes" and "from one byte back".
fn bomb(packed: usize) -> Vec<u8> {
    let mut bits: Vec<u8> = Vec::new();
    let mut put = |value: u32, count: u32| bits.extend((0..count).map(|at| (value >> at & 1) as u8));
    put(0b100, 3);
    put(29, 5);
    put(0, 5);
    put(14, 4);
    for at in 0..18 {
        put(u32::from(at == 2 || at == 17), 3);
    }
    for zeros in [138, 118] {
        put(1 | (zeros - 11) << 1, 8);
    }
    put(0, 1);
    put(1 | (28 - 11) << 1, 8);
    put(0, 2);
    while !bits.len().is_multiple_of(8) || bits.len() < 1_024 {
        bits.extend([1, 0]);
        if bits.len() % 8 == 7 {
            bits.push(1);
            break;
        }
    }
    let body: Vec<u8> = bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, bit| sum << 1 | bit)).collect();
    let mut bytes = vec![0, 1, 0, 0xfe, 0xff, 0];
    bytes.extend(&body);
    let repeated = body[body.len() - 2];
    bytes.resize(packed, repeated);
    bytes
}

#[test]
fn what_is_written_is_read_and_equal_files_give_equal_bytes() {
    let files = BTreeMap::from([("a/b.txt".to_owned(), b"text".repeat(100)), ("toolset.yaml".into(), Vec::new())]);
    let bytes = write(&files);
    assert_eq!(read(&bytes, &BundleLimits::default(), &mut |_, _| {}).expect("is read").by_path, files);
    assert_eq!(write(&files), bytes);
    assert!(is_archive(&bytes) && !is_archive(b"id: a"));
}

/// R310: what is taken away piece by piece is the archive, and a file that packs like a bomb is not taken for one.
#[test]
fn an_archive_is_written_piece_by_piece() {
    let noise = |seed: u32| (0..5_000_u32).map(|at| (at.wrapping_mul(seed) >> 7) as u8).collect::<Vec<u8>>();
    let files = BTreeMap::from([
        ("a".to_owned(), noise(2_654_435_761)),
        ("b".into(), vec![0; 3 << 20]),
        ("c".into(), Vec::new()),
        ("d".into(), noise(97_531)),
    ]);
    let mut writer = Writer::new();
    let mut pieces = Vec::new();
    for (path, content) in &files {
        writer.add(path, content);
        pieces.push(writer.written());
    }
    assert!(pieces[0].is_empty() && !pieces[1].is_empty() && pieces[2].len() > 3 << 20, "what is final is given out");
    pieces.push(writer.finish());
    let bytes = pieces.concat();
    assert_eq!(bytes, write(&files));
    assert_eq!(read(&bytes, &BundleLimits::default(), &mut |_, _| {}).expect("is read").by_path, files);
}

#[test]
fn an_archive_made_by_a_stream_is_read() {
    let mut writer = ZipWriter::new_stream(Vec::new());
    writer.start_file("a.txt", SimpleFileOptions::default()).expect("starts");
    writer.write_all(b"sizes come after the content").expect("writes");
    let bytes = writer.finish().expect("ends").into_inner();
    let files = read(&bytes, &BundleLimits::default(), &mut |_, _| {}).expect("is read").by_path;
    assert_eq!(files, BTreeMap::from([("a.txt".into(), b"sizes come after the content".to_vec())]));
}

/// F19, R060
#[test]
fn names_that_escape_or_collide_are_refused() {
    check(&[Entry::new("../x")], r#"the archive has a path that leaves the bundle by "." or "..": "../x""#);
    check(&[Entry::new("/x")], r#"the archive has an absolute path: "/x""#);
    check(&[Entry::new("C:x")], r#"the archive has a path with a drive letter or a colon: "C:x""#);
    check(&[Entry::new("a\\x")], r#"the archive has a path with a backslash: "a\\x""#);
    check(&[Entry::new("a\0x")], r#"the archive has a path with a NUL or another control character: "a\0x""#);
    check(&[Entry::new("x"), Entry::new("x")], r#"the archive has the same path twice: "x""#);
    check(&[Entry::new("x"), Entry::new("X")], r#"the archive has two paths that differ only in case: "x" and "X""#);
    let deep = "a/".repeat(17);
    check(&[Entry::new(&deep)], &format!("the archive has a path of 17 names, and the limit is 16: {deep:?}"));
    let latin = Entry { path: b"caf\xe9".to_vec(), ..Entry::new("") };
    check(&[latin], "the archive has a path that is not UTF-8: \"caf\u{fffd}\"");
}

/// F19, R060
#[test]
fn entries_that_are_not_plain_files_are_refused() {
    let link = Entry { mode: 0o120_777, ..Entry::new("link") };
    check(&[link], r#"the archive has a symbolic link: "link""#);
    let pipe = Entry { mode: 0o010_644, ..Entry::new("pipe") };
    check(&[pipe], r#"the archive has an entry that is neither a file nor a folder: "pipe""#);
    let sealed = Entry { flags: 1, ..Entry::new("sealed") };
    check(&[sealed], r#"the archive has an encrypted file, which cannot be read: "sealed""#);
    let odd = Entry { method: 12, ..Entry::new("odd") };
    check(
        &[odd],
        "the archive has a file packed by the method Bzip2, and only \"stored\" and \"deflate\" are read: \"odd\"",
    );
}

/// F19: the count is known before anything is allocated for it.
#[test]
fn too_many_entries_are_refused() {
    for count in [10_001, 100_000] {
        let many: Vec<Entry> = (0..count).map(|at| Entry::new(&format!("{at}"))).collect();
        check(&many, &format!("the archive has {count} entries, and the limit is 10000"));
    }
}

/// F19: 10 MB that would inflate to 10 GB, with the truth told about it and with lies.
#[test]
fn bombs_are_refused_before_they_cost_memory() {
    let entry = |packed: usize, size: u32| Entry { packed: bomb(packed), size, method: 8, ..Entry::new("bomb") };
    let ratio = r#"the archive has a file that inflates to more than 200 times its packed size: "bomb""#;
    check(&[entry(10_000_000, u32::MAX - 1)], ratio);
    check(&[entry(10_000, 10_000_000)], ratio);
    let large = "the archive inflates to more than 200000000 bytes";
    check(&[entry(10_000_000, 200_000_001)], large);
    let second = Entry { path: b"second".to_vec(), ..entry(1_000_000, 100_000_001) };
    check(&[entry(1_000_000, 100_000_000), second], large);
    let understated = r#"the archive has a damaged file: "bomb""#;
    check(&[entry(10_000_000, 1_000)], understated);
    // The stream is a bomb indeed: all that it claims to be can be had of it, and only then its end is missed.
    let patient = BundleLimits { ratio: 1_000, ..BundleLimits::default() };
    let error = read(&archive(&[entry(10_000, 9_990_000)]), &patient, &mut |_, _| {}).expect_err("is refused");
    assert_eq!(error.to_string(), understated);
}

/// F19: many names for the same bytes, the denser kind of bomb.
#[test]
fn entries_that_share_bytes_are_refused() {
    let shared = Entry { packed: b"content".to_vec(), size: 7, crc: 0xf69e_6768, ..Entry::new("x") };
    check(&[shared.clone(), Entry { header_at: Some(0), ..shared }], r#"the archive has the same path twice: "x""#);

    // A second local header inside the content of the first.
    let inner = archive(&[Entry::new("y")]);
    let header = inner[..31].to_vec();
    let outer = Entry { size: 31, packed: header, crc: 0, ..Entry::new("x") };
    let second = Entry { header_at: Some(31), ..Entry::new("y") };
    check(&[outer, second], r#"the archive has files that overlap: "x""#);
}

#[test]
fn damage_is_refused() {
    check_bytes(b"", "the archive is damaged, or is not a ZIP");
    check_bytes(b"PK\x03\x04", "the archive is damaged, or is not a ZIP");
    let wrong_sum = Entry { packed: b"content".to_vec(), size: 7, crc: 1, ..Entry::new("x") };
    check(&[wrong_sum], r#"the archive has a damaged file: "x""#);
    let whole = archive(&[Entry { packed: b"content".to_vec(), size: 7, crc: 0xf69e_6768, ..Entry::new("x") }]);
    for end in 0..whole.len() {
        check_bytes(&whole[..end], "the archive is damaged, or is not a ZIP");
    }
    let mut cloaked = archive(&[Entry::new("y")]);
    cloaked[30] = b'z';
    check_bytes(&cloaked, "the archive is damaged, or is not a ZIP");
}

#[test]
fn what_systems_leave_behind_is_left_out() {
    let files = read(
        &archive(&[Entry::new("__MACOSX/._a"), Entry::new(".DS_Store"), Entry::new("a/"), Entry::new("a/x")]),
        &BundleLimits::default(),
        &mut |_, _| {},
    )
    .expect("is read");
    assert_eq!(files.left_out, ["__MACOSX/._a", ".DS_Store"]);
    assert_eq!(files.by_path.into_keys().collect::<Vec<_>>(), ["a/x"]);
}

#[test]
fn progress_is_told_in_inflated_bytes() {
    let files = BTreeMap::from([("a".to_owned(), vec![0; 10]), ("b".to_owned(), vec![1; 20])]);
    let mut told = Vec::new();
    read(&write(&files), &BundleLimits::default(), &mut |done, total| told.push((done, total))).expect("is read");
    assert_eq!(told, [(10, 30), (30, 30)]);
}
