//! Archives of our own, whose bytes depend on nothing but the files: sorted, with one time and one way of packing for all.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

const CANNOT_FAIL: &str = "memory can be written to, and whoever writes gives every path once";

/// From this size on a file that packs very well is stored as it is: a reader would take it for a bomb, ours among them.
const LARGE: usize = 1 << 20;
/// How many times smaller "very well" is.
const VERY_WELL: usize = 50;

/// Writes an archive of files.
#[must_use]
pub fn write(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut writer = Writer::new();
    let mut bytes = Vec::new();
    for (path, content) in files {
        writer.add(path, content);
        bytes.append(&mut writer.written());
    }
    bytes.append(&mut writer.finish());
    bytes
}

/// An archive that is being written. What of it is final can be taken away at any time, so that it need not be in memory whole.
pub struct Writer {
    archive: ZipWriter<Tail>,
    tail: Tail,
    last: Option<String>,
}

impl Writer {
    /// An archive without files.
    #[must_use]
    pub fn new() -> Self {
        let tail = Tail::default();
        Self { archive: ZipWriter::new(tail.clone()), tail, last: None }
    }

    /// Adds a file. Its path comes after those that are there already.
    pub fn add(&mut self, path: &str, content: &[u8]) {
        debug_assert!(self.last.as_deref() < Some(path), "files are written in the order of their paths");
        self.last = Some(path.to_owned());
        let method = if packs_very_well(content) { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .compression_level((method == CompressionMethod::Deflated).then_some(6))
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .large_file(content.len() >= u32::MAX as usize);
        let header_at = self.tail.end();
        self.archive.start_file(path, options).expect(CANNOT_FAIL);
        // The file before it was ended by this, and nobody goes back beyond the header of this one.
        self.tail.settle(header_at);
        self.archive.write_all(content).expect(CANNOT_FAIL);
    }

    /// The bytes that are final and were not taken yet.
    #[must_use]
    pub fn written(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.tail.0.borrow_mut().settled)
    }

    /// Ends the archive; the bytes that were not taken yet.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        drop(self.archive.finish().expect(CANNOT_FAIL));
        self.tail.settle(self.tail.end());
        let mut window = self.tail.0.borrow_mut();
        std::mem::take(&mut window.settled)
    }
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

fn packs_very_well(content: &[u8]) -> bool {
    if content.len() < LARGE {
        return false;
    }
    let mut packed = DeflateEncoder::new(Counted(0), Compression::fast());
    let packed = packed.write_all(content).and_then(|()| packed.finish()).expect("counting does not fail");
    content.len() / packed.0.max(1) > VERY_WELL
}

struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The end of an archive, in which its writer still goes back and forth. Shared with that writer, which gives nobody else a way to it.
#[derive(Clone, Default)]
struct Tail(Rc<RefCell<Window>>);

#[derive(Default)]
struct Window {
    /// Final, and not taken yet.
    settled: Vec<u8>,
    /// Where in the archive `open` begins.
    start: u64,
    open: Vec<u8>,
    /// Where the next byte goes, counted from `start`.
    at: usize,
}

impl Tail {
    fn end(&self) -> u64 {
        let window = self.0.borrow();
        window.start + window.open.len() as u64
    }

    /// Everything before this place is final.
    fn settle(&self, before: u64) {
        let mut window = self.0.borrow_mut();
        let count = usize::try_from(before.saturating_sub(window.start)).unwrap_or(usize::MAX).min(window.open.len());
        let settled: Vec<u8> = window.open.drain(..count).collect();
        window.settled.extend(settled);
        window.start += count as u64;
        window.at = window.at.saturating_sub(count);
    }
}

impl Write for Tail {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut window = self.0.borrow_mut();
        let at = window.at;
        let over = bytes.len().min(window.open.len() - at);
        window.open[at..at + over].copy_from_slice(&bytes[..over]);
        window.open.extend_from_slice(&bytes[over..]);
        window.at += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Tail {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let mut window = self.0.borrow_mut();
        let (start, length) = (window.start, window.open.len() as u64);
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => (start + length).checked_add_signed(by),
            SeekFrom::Current(by) => (start + window.at as u64).checked_add_signed(by),
        };
        let at = place.and_then(|place| place.checked_sub(start)).filter(|at| *at <= length);
        let at = at.ok_or_else(|| io::Error::other("this part of the archive is final"))?;
        window.at = usize::try_from(at).map_err(io::Error::other)?;
        Ok(start + at)
    }
}
