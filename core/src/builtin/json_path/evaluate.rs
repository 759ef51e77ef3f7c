//! Running a query over a document, within a number of steps.

use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use serde_json::Value;

use super::{Comparison, Operand, Query, Segment, Selector, Test, Way};

/// That a query was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the query takes too many steps; name the path to what you are looking for instead of using \"..\" or \"*\"")]
pub(in super::super) struct TooManySteps;

/// Where a value is in its document.
#[derive(Clone, Debug)]
pub(in super::super) enum Place<'d> {
    Top,
    Key(Rc<Self>, &'d str),
    Item(Rc<Self>, usize),
}

/// As the RFC writes a normalized path, which is a query again.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => f.write_str("$"),
            Self::Key(above, key) => {
                let escaped = key.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\r', "\\r");
                write!(f, "{above}['{escaped}']")
            }
            Self::Item(above, at) => write!(f, "{above}[{at}]"),
        }
    }
}

type Found<'d> = Vec<(Rc<Place<'d>>, &'d Value)>;

impl Query {
    /// The values that a query leads to, in the order of the document.
    pub(in super::super) fn run<'d>(&self, document: &'d Value, steps: u64) -> Result<Found<'d>, TooManySteps> {
        let mut run = Run { top: document, steps };
        run.segments(&self.0, vec![(Rc::new(Place::Top), document)])
    }
}

struct Run<'d> {
    top: &'d Value,
    steps: u64,
}

impl<'d> Run<'d> {
    fn pay(&mut self) -> Result<(), TooManySteps> {
        self.steps = self.steps.checked_sub(1).ok_or(TooManySteps)?;
        Ok(())
    }

    fn segments(&mut self, segments: &[Segment], mut found: Found<'d>) -> Result<Found<'d>, TooManySteps> {
        for segment in segments {
            let mut next = Vec::new();
            for (place, value) in found {
                self.segment(segment, place, value, &mut next)?;
            }
            found = next;
        }
        Ok(found)
    }

    fn segment(
        &mut self,
        segment: &Segment,
        place: Rc<Place<'d>>,
        value: &'d Value,
        found: &mut Found<'d>,
    ) -> Result<(), TooManySteps> {
        self.pay()?;
        for selector in &segment.selectors {
            self.select(selector, &place, value, found)?;
        }
        if segment.descends {
            for (place, value) in children(&place, value) {
                self.segment(segment, place, value, found)?;
            }
        }
        Ok(())
    }

    fn select(
        &mut self,
        selector: &Selector,
        place: &Rc<Place<'d>>,
        value: &'d Value,
        found: &mut Found<'d>,
    ) -> Result<(), TooManySteps> {
        self.pay()?;
        match (selector, value) {
            (Selector::Name(name), Value::Object(members)) => {
                if let Some((key, member)) = members.get_key_value(name) {
                    found.push((Rc::new(Place::Key(Rc::clone(place), key)), member));
                }
            }
            (Selector::Index(index), Value::Array(items)) => {
                if let Some(at) = from_front(*index, items.len()).filter(|at| *at < items.len()) {
                    found.push((Rc::new(Place::Item(Rc::clone(place), at)), &items[at]));
                }
            }
            (Selector::Slice { start, end, step }, Value::Array(items)) => {
                for at in slice(*start, *end, *step, items.len()) {
                    self.pay()?;
                    found.push((Rc::new(Place::Item(Rc::clone(place), at)), &items[at]));
                }
            }
            (Selector::All, _) => {
                for child in children(place, value) {
                    self.pay()?;
                    found.push(child);
                }
            }
            (Selector::Filter(test), _) => {
                for (place, value) in children(place, value) {
                    if self.test(test, value)? {
                        found.push((place, value));
                    }
                }
            }
            (Selector::Name(_) | Selector::Index(_) | Selector::Slice { .. }, _) => {}
        }
        Ok(())
    }

    fn test(&mut self, test: &Test, at: &'d Value) -> Result<bool, TooManySteps> {
        self.pay()?;
        Ok(match test {
            Test::Any(tests) => {
                for test in tests {
                    if self.test(test, at)? {
                        return Ok(true);
                    }
                }
                false
            }
            Test::All(tests) => {
                for test in tests {
                    if !self.test(test, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Test::Not(test) => !self.test(test, at)?,
            Test::Exists(way) => !self.way(way, at)?.is_empty(),
            Test::Compare(left, comparison, right) => {
                let (left, right) = (self.operand(left, at)?, self.operand(right, at)?);
                compares(left.as_ref(), *comparison, right.as_ref())
            }
            Test::Fits(text, pattern) => {
                self.operand(text, at)?.is_some_and(|text| text.as_str().is_some_and(|text| pattern.is_match(text)))
            }
        })
    }

    fn way(&mut self, way: &Way, at: &'d Value) -> Result<Found<'d>, TooManySteps> {
        let from = if way.from_top { self.top } else { at };
        self.segments(&way.segments, vec![(Rc::new(Place::Top), from)])
    }

    /// The value of an operand; nothing where it leads nowhere.
    fn operand(&mut self, operand: &Operand, at: &'d Value) -> Result<Option<Value>, TooManySteps> {
        self.pay()?;
        Ok(match operand {
            Operand::Literal(value) => Some(value.clone()),
            Operand::Value(way) => match self.way(way, at)?.as_slice() {
                [(_, value)] => Some((*value).clone()),
                _none_or_several => None,
            },
            Operand::Count(way) => Some(self.way(way, at)?.len().into()),
            Operand::Length(operand) => self.operand(operand, at)?.and_then(|value| match value {
                Value::String(text) => Some(text.chars().count().into()),
                Value::Array(items) => Some(items.len().into()),
                Value::Object(members) => Some(members.len().into()),
                Value::Null | Value::Bool(_) | Value::Number(_) => None,
            }),
        })
    }
}

/// The values in a value.
fn children<'d>(place: &Rc<Place<'d>>, value: &'d Value) -> Found<'d> {
    match value {
        Value::Array(items) => {
            let item = |(at, item)| (Rc::new(Place::Item(Rc::clone(place), at)), item);
            items.iter().enumerate().map(item).collect()
        }
        Value::Object(members) => {
            let member = |(key, member): (&'d String, _)| (Rc::new(Place::Key(Rc::clone(place), key)), member);
            members.iter().map(member).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// An index that may count from the end.
fn from_front(index: i64, length: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(at) => Some(at),
        Err(_negative) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

/// The places of a slice, as the RFC bounds it.
fn slice(start: Option<i64>, end: Option<i64>, step: i64, length: usize) -> Vec<usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let normal = |index: i64| if index >= 0 { index } else { length.saturating_add(index) };
    let mut places = Vec::new();
    if step > 0 {
        let (lower, upper) =
            (normal(start.unwrap_or(0)).clamp(0, length), normal(end.unwrap_or(length)).clamp(0, length));
        let mut at = lower;
        while at < upper {
            places.push(at);
            at = at.saturating_add(step);
        }
    } else if step < 0 {
        let upper = normal(start.unwrap_or(length - 1)).clamp(-1, length - 1);
        let lower = end.map_or(-1, normal).clamp(-1, length - 1);
        let mut at = upper;
        while at > lower {
            places.push(at);
            at = at.saturating_add(step);
        }
    }
    places.into_iter().filter_map(|at| usize::try_from(at).ok()).collect()
}

fn compares(left: Option<&Value>, comparison: Comparison, right: Option<&Value>) -> bool {
    match comparison {
        Comparison::Equal => is_equal(left, right),
        Comparison::NotEqual => !is_equal(left, right),
        Comparison::Less => order(left, right) == Some(Ordering::Less),
        Comparison::LessOrEqual => order(left, right) == Some(Ordering::Less) || is_equal(left, right),
        Comparison::Greater => order(left, right) == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => order(left, right) == Some(Ordering::Greater) || is_equal(left, right),
    }
}

fn is_equal(left: Option<&Value>, right: Option<&Value>) -> bool {
    match (left, right) {
        (Some(Value::Number(one)), Some(Value::Number(other))) => one == other || one.as_f64() == other.as_f64(),
        (left, right) => left == right,
    }
}

fn order(left: Option<&Value>, right: Option<&Value>) -> Option<Ordering> {
    match (left?, right?) {
        (Value::Number(one), Value::Number(other)) => one.as_f64()?.partial_cmp(&other.as_f64()?),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _other => None,
    }
}
