//! What could not be measured: it is told in the place of its figure, and costs only itself.

use crate::bench::BenchError;

/// What has failed so far.
#[derive(Debug, Default)]
pub(super) struct Failed(Vec<String>);

impl Failed {
    /// What was measured, or nothing: a failure is told and remembered under this name.
    pub(super) fn or_tell<T>(&mut self, name: &str, measured: Result<T, BenchError>) -> Option<T> {
        match measured {
            Ok(measured) => Some(measured),
            Err(error) => {
                println!("{name}: FAILED: {}", crate::full_text(&error).replace('\n', ": "));
                self.0.push(name.to_owned());
                None
            }
        }
    }

    /// The end of the command: a figure never fails it, one that is missing does.
    pub(super) fn end(self) -> Result<(), BenchError> {
        if self.0.is_empty() { Ok(()) } else { Err(BenchError::NotMeasured(self.0.join("; "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_keeps_the_rest_and_is_told_at_the_end() {
        let mut failed = Failed::default();
        assert_eq!(failed.or_tell("one", Ok(1)), Some(1));
        assert_eq!(failed.or_tell::<u32>("two", Err(BenchError::NoBrowser)), None);
        assert_eq!(failed.or_tell("three", Ok(3)), Some(3));
        assert_eq!(failed.end().expect_err("one failed").to_string(), "not measured: two");
        Failed::default().end().expect("nothing failed");
    }
}
