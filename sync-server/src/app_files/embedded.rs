//! The app inside the program: a table that the build script writes from `dist/`.

use super::source::EmbeddedFile;

include!(concat!(env!("OUT_DIR"), "/embedded_files.rs"));
