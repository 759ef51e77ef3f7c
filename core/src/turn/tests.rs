//! Turns with scripted models and tools, over a real store.

mod calling;
mod ending;
mod stage;
mod stopping;
mod taking_over;
