//! What of a value does not fit, with its place, in words.

use std::fmt;

/// One thing that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Where, as a JSON pointer; empty for the whole value.
    pub path: String,
    /// What is wrong there, to be read after the path.
    pub message: String,
}

/// Everything that does not fit, as far as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfits {
    /// The first few.
    pub told: Vec<Misfit>,
    /// How many more there are.
    pub more: usize,
}

impl Misfits {
    /// Where the first is.
    #[must_use]
    pub fn path(&self) -> &str {
        self.told.first().map_or("", |misfit| &misfit.path)
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message } = self;
        if path.is_empty() { write!(f, "it {message}") } else { write!(f, "{path} {message}") }
    }
}

impl fmt::Display for Misfits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, misfit) in self.told.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "; " })?;
            misfit.fmt(f)?;
        }
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}
