//! F7: whole devices over a simulated network and server, story after story (`core/src/sync/simulator.rs`).
//!
//! `SATCHEL_SEEDS=17..18` tells one story again; `cargo xtask faults simulator` tells ten thousand.

use std::ops::Range;
use std::thread;

use satchel_core::sync::simulator::{Told, tell};

/// Seeds beyond those that core's own test tells.
const SEEDS: Range<u64> = 1_000..1_040;
const THREADS: u64 = 2;

fn seeds() -> Range<u64> {
    let Ok(asked) = std::env::var("SATCHEL_SEEDS") else { return SEEDS };
    let (from, to) = asked.split_once("..").expect("SATCHEL_SEEDS is written like 0..10000");
    from.parse().expect("is a number")..to.parse().expect("is a number")
}

/// F7, R264
#[test]
fn devices_agree_in_the_end() {
    let seeds = seeds();
    let told: Vec<Told> = thread::scope(|scope| {
        let some = |part: u64, seeds: Range<u64>| {
            let mine = seeds.filter(move |seed| seed % THREADS == part);
            mine.map(|seed| tell(seed).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"))).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..THREADS)
            .map(|part| {
                let seeds = seeds.clone();
                scope.spawn(move || some(part, seeds))
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("every story ends well")).collect()
    });
    let sum = |of: fn(&Told) -> usize| told.iter().map(of).sum::<usize>();
    println!(
        "{} stories, {} rounds, {} kills, {} snapshots, {} restores, {} rows in the end",
        told.len(),
        sum(|told| told.rounds),
        sum(|told| told.kills),
        sum(|told| told.snapshots),
        sum(|told| told.restores),
        sum(|told| told.rows)
    );
}
