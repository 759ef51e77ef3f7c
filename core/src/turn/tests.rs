//! Turns with scripted models and tools, over a real store.

mod calling;
mod ending;
mod script;
mod stage;
mod stopping;
mod taking_over;
