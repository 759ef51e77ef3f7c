//! ZIP archives that only hold files and do not compress them.
//!
//! The app reads ZIPs of toolsets, so its own are ZIPs too. What is sent is small either way, and without a compressor the bytes depend on
//! nothing but the files.

/// Version 2.0 of the format: files in folders.
const VERSION: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 0x0800;
/// The first day that the format knows: 1980-01-01.
const DATE: u16 = 0x0021;
/// A plain file that its owner may write and everybody read, as Unix says it.
const MODE: u32 = 0o100_644 << 16;

/// The archive of these files, by path.
///
/// # Panics
///
/// If a size or a count does not fit into the format: it is for files of the build, which are small.
pub(super) fn write(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (path, contents) in files {
        let offset = number(archive.len());
        let about = about(path, contents);
        archive.extend(b"PK\x03\x04");
        archive.extend(VERSION.to_le_bytes());
        archive.extend(&about);
        archive.extend(path.as_bytes());
        archive.extend(contents);

        directory.extend(b"PK\x01\x02");
        // Made on Unix (3), so that the mode below is understood.
        directory.extend((VERSION | 3 << 8).to_le_bytes());
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&about);
        // No comment, the first disk, no internal attributes.
        directory.extend([0; 6]);
        directory.extend(MODE.to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(path.as_bytes());
    }
    let (start, length) = (number(archive.len()), number(directory.len()));
    let count = u16::try_from(files.len()).expect("a bundle has fewer than 65,536 files");
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    for _on_this_disk_and_in_all in 0..2 {
        archive.extend(count.to_le_bytes());
    }
    archive.extend(length.to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    archive
}

/// What both headers of a file have in common, from the flags to the length of what is extra.
fn about(path: &str, contents: &[u8]) -> Vec<u8> {
    let length = u16::try_from(path.len()).expect("a path is short");
    let size = number(contents.len()).to_le_bytes();
    let mut about = Vec::with_capacity(24);
    // Stored (0), at midnight.
    for field in [FLAGS, 0, 0, DATE] {
        about.extend(field.to_le_bytes());
    }
    about.extend(crc32(contents).to_le_bytes());
    about.extend(size);
    about.extend(size);
    about.extend(length.to_le_bytes());
    about.extend([0; 2]);
    about
}

fn number(size: usize) -> u32 {
    u32::try_from(size).expect("a bundle is smaller than 4 GB")
}

/// The checksum of the format (ISO 3309), bit by bit: there is little to check.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _bit| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    /// The journeys install what this wrote; here only that nothing depends on the day.
    #[test]
    fn the_bytes_follow_from_the_files() {
        let archive = write(&[("a.txt".into(), b"hello".to_vec())]);
        assert_eq!(archive.len(), 30 + 5 + 5 + 46 + 5 + 22);
        assert_eq!(archive, write(&[("a.txt".into(), b"hello".to_vec())]));
        assert_ne!(archive, write(&[("a.txt".into(), b"hullo".to_vec())]));
    }
}
