//! The page's part in running tools: it opens and closes the frames of cages, carries questions to the user and answers back, and
//! starts the tools' worker when there is time for it. What runs, and how, is the worker's.

use std::cell::RefCell;
use std::rc::Rc;

use satchel_core::few::Few;

use crate::browser::core_worker::{self, Post};
use crate::browser::page;
use crate::browser::python_cage::frame::Frame;
use crate::browser::spawn::spawn;
use crate::core_worker::answering::AnsweringNews;
pub(crate) use crate::core_worker::wish::{CageNews, InputQuestion, Question, RunEvent, RunNews, UserAnswer};
use crate::core_worker::wish::{Reply, Wish};
use crate::core_worker::{Answer, Job};

/// What the screen is told.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// The user is asked something.
    Asked { number: u32, question: Question },
    /// A question has been taken back.
    Withdrawn { number: u32 },
    /// Something happened in a run.
    Run(RunNews),
    /// More of an answer came.
    Answering(AnsweringNews),
    /// Which cages there are now.
    Cages(Vec<CageNews>),
    /// The worker has ended, and all runs, cages and questions with it.
    Ended,
}

thread_local! {
    /// The frames of cages; none for one that is being opened.
    static CAGES: RefCell<Few<u32, Option<Frame>>> = const { RefCell::new(Few::new()) };
}

/// Serves the tools' worker, for as long as the page lives.
pub(crate) fn serve(on_news: impl Fn(News) + 'static) {
    let on_news = Rc::new(on_news);
    core_worker::on_wish(move |text| {
        // Page and worker are of one build, so a wish always reads; one that does not is nobody's.
        let Ok(wish) = serde_json::from_str(&text) else { return };
        match wish {
            Wish::OpenCage { cage } => open(cage),
            Wish::CloseCage { cage } => drop(CAGES.with_borrow_mut(|cages| cages.remove(&cage))),
            Wish::Ask { number, question } => on_news(News::Asked { number, question }),
            Wish::Withdraw { number } => on_news(News::Withdrawn { number }),
            Wish::Run(news) => on_news(News::Run(news)),
            Wish::Answering(news) => on_news(News::Answering(news)),
            Wish::Cages { cages } => on_news(News::Cages(cages)),
            Wish::Ended => {
                drop(CAGES.take());
                on_news(News::Ended);
            }
        }
    });
    page::on_visibility_change(|is_seen| reply(&Reply::Seen { is_seen }, None));
}

fn open(cage: u32) {
    CAGES.with_borrow_mut(|cages| cages.insert(cage, None));
    spawn(async move {
        let no_cage = move |reason: String| reply(&Reply::NoCage { cage, reason }, None);
        match Frame::open(no_cage).await {
            Ok((frame, port)) => {
                let is_wanted = CAGES.with_borrow_mut(|cages| match cages.get_mut(&cage) {
                    Some(place) => {
                        *place = Some(frame);
                        true
                    }
                    // Closed while it was being opened; dropping the frame ends it.
                    None => false,
                });
                if is_wanted {
                    reply(&Reply::Cage { cage }, Some(port));
                }
            }
            Err(error) => {
                CAGES.with_borrow_mut(|cages| cages.remove(&cage));
                no_cage(error.to_string());
            }
        }
    });
}

/// Answers a question.
pub(crate) fn answer(number: u32, answer: UserAnswer) {
    reply(&Reply::Answer { number, answer }, None);
}

/// Has Python loaded, where tools are installed that will want it.
pub(crate) fn warm_up() {
    let is_small = page::has_little_memory();
    job(Job::WarmUp { is_small });
}

/// Stops a run. What it has changed is dropped.
pub(crate) fn stop(call: &str) {
    job(Job::StopRun { call: call.into() });
}

fn job(job: Job) {
    spawn(async move {
        // Nobody waits for it: what comes of it is told as news.
        if let Ok(running) = core_worker::start_job(Post::Tools, &job, Vec::new(), None) {
            running.end().await.ok();
        }
    });
}

fn reply(reply: &Reply, port: Option<crate::browser::python_cage::RawPort>) {
    core_worker::reply(&serde_json::to_string(reply).expect("a reply is JSON"), port);
}

/// Has a fresh cage tried from inside, and gives the report as JSON.
pub(crate) async fn check_cage(target: String) -> Result<Vec<u8>, String> {
    let running = core_worker::start_job(Post::Tools, &Job::CheckCage { target }, Vec::new(), None)
        .map_err(|error| error.to_string())?;
    let answered = running.end().await.map_err(|error| error.to_string())?;
    let bytes = answered.pieces.first().map(crate::browser::raw_bytes::RawBytes::to_vec).unwrap_or_default();
    match answered.answer {
        Answer::Responded { status: 200, .. } => Ok(bytes),
        Answer::Responded { .. } => Err(String::from_utf8_lossy(&bytes).into_owned()),
        Answer::Hashed { .. } | Answer::Kept { .. } => Err("the background worker gave an unexpected answer".into()),
    }
}
