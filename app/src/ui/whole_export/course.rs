//! Something that takes its time: begun, shown on its way, stopped, ended.

use futures_util::future::{AbortHandle, Aborted, abortable};
use leptos::prelude::*;

use crate::browser::spawn::spawn;
use crate::core_worker::Progress;
use crate::ui::parts::sentence;
use crate::work::errand::ErrandError;
use crate::work::whole_export::Told;

/// How far it is.
#[derive(Clone)]
pub(super) enum Stage<T> {
    NotBegun,
    Runs(&'static str),
    Ended(T),
    Stopped,
    Failed(String),
}

/// One course.
pub(super) struct Course<T: Send + Sync + 'static> {
    stage: RwSignal<Stage<T>>,
    progress: RwSignal<Progress>,
    running: StoredValue<Option<AbortHandle>>,
    /// Which of those that were begun is the present one; of others nobody wants to hear.
    number: StoredValue<u32>,
}

impl<T: Send + Sync + 'static> Clone for Course<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Course<T> {}

impl<T: Clone + Send + Sync + 'static> Course<T> {
    /// One that has not begun. It ends with the part of the page that it belongs to.
    pub(super) fn new() -> Self {
        let course = Self {
            stage: RwSignal::new(Stage::NotBegun),
            progress: RwSignal::new(Progress::default()),
            running: StoredValue::new(None),
            number: StoredValue::new(0),
        };
        on_cleanup(move || course.stop());
        course
    }

    /// Where it is.
    pub(super) fn stage(self) -> Stage<T> {
        self.stage.get()
    }

    /// Whether it is under way.
    pub(super) fn runs(self) -> bool {
        self.stage.with(|stage| matches!(stage, Stage::Runs(_)))
    }

    /// Begins it, in the place of what was before. Nothing as its end means that it was stopped.
    pub(super) fn begin<Work>(self, words: &'static str, work: impl FnOnce(Told) -> Work)
    where
        Work: Future<Output = Result<Option<T>, ErrandError>> + 'static,
    {
        self.forget();
        let number = self.number.get_value();
        self.stage.set(Stage::Runs(words));
        self.progress.set(Progress::default());
        let told: Told = Box::new(move |progress| {
            self.progress.try_set(progress);
        });
        let (work, handle) = abortable(work(told));
        self.running.set_value(Some(handle));
        spawn(async move {
            let ended = match work.await {
                Err(Aborted) | Ok(Ok(None)) => Stage::Stopped,
                Ok(Ok(Some(end))) => Stage::Ended(end),
                Ok(Err(error)) => Stage::Failed(error.to_string()),
            };
            // Nobody waits for it if the user has left the page meanwhile, or has begun anew.
            if self.number.try_get_value() == Some(number) {
                self.stage.try_set(ended);
            }
        });
    }

    /// Ends it.
    pub(super) fn stop(self) {
        self.running.try_with_value(|running| running.as_ref().map(AbortHandle::abort));
    }

    /// As if it had not begun.
    pub(super) fn forget(self) {
        self.stop();
        self.number.update_value(|number| *number += 1);
        self.stage.set(Stage::NotBegun);
    }
}

/// What is to be seen of a course but its end: how far it is, that it was stopped, or why it failed.
#[component]
pub(super) fn OnTheWay<T: Clone + Send + Sync + 'static>(
    /// The course.
    course: Course<T>,
    /// What is to be known of one that was stopped.
    stopped: &'static str,
    /// What its parts are called by tests.
    test_id: &'static str,
) -> impl IntoView {
    move || match course.stage.get() {
        Stage::NotBegun | Stage::Ended(_) => ().into_any(),
        Stage::Runs(words) => {
            let is_known = move || course.progress.get().total > 0;
            view! {
                <div class="row row-stack" role="status" data-testid=format!("{test_id}-progress")>
                    <progress
                        class="meter"
                        aria-label=words
                        max=move || course.progress.get().total.max(1).to_string()
                        value=move || course.progress.get().done.to_string()
                    ></progress>
                    <p class="field-hint">
                        {words}
                        {move || {
                            let Progress { done, total } = course.progress.get();
                            is_known().then(|| format!(" {}%", done * 100 / total.max(1)))
                        }}
                    </p>
                </div>
            }
            .into_any()
        }
        Stage::Stopped => {
            view! { <p class="row" role="status" data-testid=format!("{test_id}-stopped")>{stopped}</p> }.into_any()
        }
        Stage::Failed(error) => view! {
            <p class="row field-error" role="alert" data-testid=format!("{test_id}-error")>{sentence(&error)}</p>
        }
        .into_any(),
    }
}
