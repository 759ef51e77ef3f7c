//! Reading something again whenever what it stands on has moved.
//!
//! Reads may end in another order than they began: what an older one found never takes the place of what a newer one did.

use leptos::prelude::{Effect, StoredValue, UpdateValue as _};

use crate::browser::spawn::spawn;

/// Asks now, and again whenever a signal that `ask` reads before it waits has moved, for as long as the owner lives. `keep` is given
/// what was found.
pub(crate) fn follow<T: 'static, R: Future<Output = T> + 'static>(
    ask: impl Fn() -> R + 'static,
    keep: impl Fn(T) + Copy + 'static,
) {
    let kept = StoredValue::new(0_u32);
    Effect::new(move |asked: Option<u32>| {
        let mine = asked.unwrap_or(0) + 1;
        let asking = ask();
        spawn(async move {
            let found = asking.await;
            let is_newest = kept.try_update_value(|kept| mine > std::mem::replace(kept, mine.max(*kept)));
            // Nobody waits for it if what showed it is gone.
            if is_newest == Some(true) {
                keep(found);
            }
        });
        mine
    });
}

#[cfg(test)]
mod tests {
    use any_spawner::Executor;
    use futures_channel::oneshot;
    use leptos::prelude::{Get as _, GetUntracked as _, Owner, RwSignal, Set as _};
    use leptos::task::tick;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    async fn what_was_asked_for_last_wins_over_what_ends_last() {
        // Another test may have done so.
        Executor::init_wasm_bindgen().ok();
        let owner = Owner::new();
        owner.set();
        let (of, found) = (RwSignal::new(0_usize), RwSignal::new(Vec::new()));
        let (ends, waits): (Vec<_>, Vec<_>) = (0..3).map(|_| oneshot::channel::<()>()).unzip();
        let waits = StoredValue::new_local(waits.into_iter().map(Some).collect::<Vec<_>>());
        let ask = move || {
            let mine = of.get();
            let wait = waits.try_update_value(|waits| waits[mine].take()).flatten().expect("is asked once for each");
            async move {
                wait.await.expect("is told to end");
                mine
            }
        };
        follow(ask, move |mine| found.set([found.get_untracked(), vec![mine]].concat()));
        for next in [1, 2] {
            tick().await;
            of.set(next);
        }
        tick().await;
        let mut ends = ends.into_iter();
        let (first, second, third) = (ends.next(), ends.next(), ends.next());
        for end in [second, first, third] {
            end.expect("there are three").send(()).expect("it is waited for");
            tick().await;
            tick().await;
        }
        assert_eq!(found.get_untracked(), [1, 2]);
        owner.cleanup();
    }
}
