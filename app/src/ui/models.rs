//! Choosing a model: one line under the composer, the list that it opens, and what is said where there is no model yet.

mod arriving_meter;
mod list;
mod no_model;
mod offered;
mod picker;
mod spent;

pub(crate) use self::arriving_meter::ArrivingMeter;
pub(crate) use self::no_model::NoModel;
pub(crate) use self::picker::ModelPicker;
