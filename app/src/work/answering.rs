//! Has the tools' worker answer what was said.

use satchel_core::ids::ChatId;

use super::errand::{self, ErrandError};
use crate::browser::core_worker::{self, Post};
use crate::core_worker::Job;
pub(crate) use crate::core_worker::answering::{AnswerOrder, Answered, AnsweringEvent, AnsweringNews};

/// Has it answered, and gives how that ended. What comes meanwhile is told as news.
pub(crate) async fn answer(order: &AnswerOrder) -> Result<Answered, ErrandError> {
    let (answered, _) = errand::run_at(Post::Tools, |order| Job::Answer { order }, order, None).await?;
    Ok(answered)
}

/// Stops the answer of a chat. What has come of it is kept, and how it ended is told to who has it answered.
pub(crate) async fn stop(chat: ChatId) {
    if let Ok(running) = core_worker::start_job(Post::Tools, &Job::StopAnswer { chat }, Vec::new(), None) {
        running.end().await.ok();
    }
}
