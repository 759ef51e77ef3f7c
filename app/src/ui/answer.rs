//! What a model answers: while it comes, and once it is stored.

mod coming;
mod foot;
mod next_step;
mod read_aloud;
mod reasoning;
mod stored;

pub(crate) use self::coming::ComingAnswer;
pub(crate) use self::stored::StoredAnswer;
