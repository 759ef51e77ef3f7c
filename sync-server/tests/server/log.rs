//! What is logged while tests run, at its most talkative, by every library and on every thread.
//!
//! It is one log for all tests of the program: a subscriber of one thread alone is not asked about places that another thread came to first.

use std::io;
use std::sync::{Mutex, OnceLock};

use tracing::level_filters::LevelFilter;

static WRITTEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The log, switched on.
pub(crate) struct Log(());

struct Writer;

impl Log {
    pub(crate) fn start() -> Self {
        static STARTED: OnceLock<()> = OnceLock::new();
        STARTED.get_or_init(|| {
            let subscriber = tracing_subscriber::fmt()
                .with_writer(|| Writer)
                .with_max_level(LevelFilter::TRACE)
                .with_ansi(false)
                .finish();
            tracing::subscriber::set_global_default(subscriber).expect("no test has another");
        });
        Self(())
    }

    /// Everything that was logged since the first test switched it on.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(WRITTEN.lock().expect("not poisoned").clone()).expect("text")
    }
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        WRITTEN.lock().expect("not poisoned").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
