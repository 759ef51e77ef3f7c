//! One check of one value: the walk over schema and value side by side, with its budget.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::coerce::Wanted;
use super::misfit::{Misfit, Misfits};
use super::references::Part;
use super::walk::escape;
use super::{Draft, Schema};

/// A check that is under way.
pub(super) struct Check<'s> {
    pub(super) schema: &'s Schema,
    /// What may still be done.
    pub(super) steps: u64,
    /// How many schemas are in one another right now.
    nesting: usize,
    /// The documents on the way here, outermost first.
    way: Vec<usize>,
    misfits: Vec<Misfit>,
    /// How many misfits there were, told or not.
    pub(super) count: usize,
    /// Where a text was not wanted, and what was.
    pub(super) wanted: Wanted,
    /// Within a condition nothing is wrong with the value, whatever is found.
    conditions: usize,
    stopped: Option<Stop>,
}

/// Why a check was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Steps,
    Nesting,
}

/// The way to a value.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    Top,
    Key(&'a At<'a>, &'a str),
    Index(&'a At<'a>, usize),
}

/// Keywords, and the value they are about.
#[derive(Clone, Copy)]
pub(super) struct Site<'s, 'a> {
    /// The schema they are in.
    pub(super) part: Part<'s>,
    pub(super) members: &'s Map<String, Value>,
    /// The way to the value.
    pub(super) at: &'a At<'a>,
}

/// What of a value was looked at by some keyword, for `unevaluatedProperties` and `unevaluatedItems`.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    pub(super) keys: BTreeSet<String>,
    pub(super) items: BTreeSet<usize>,
    pub(super) all_keys: bool,
    /// All items before this one.
    pub(super) items_before: usize,
}

/// Whether a value fits, with what was looked at; `Err` means that the check was given up.
pub(super) type Fits = Result<Option<Marks>, Stop>;

impl Marks {
    pub(super) fn add(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.items.extend(other.items);
        self.all_keys |= other.all_keys;
        self.items_before = self.items_before.max(other.items_before);
    }
}

impl At<'_> {
    /// As a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        match self {
            Self::Top => String::new(),
            Self::Key(above, key) => format!("{}/{}", above.pointer(), escape(key)),
            Self::Index(above, index) => format!("{}/{index}", above.pointer()),
        }
    }
}

impl<'s> Check<'s> {
    pub(super) fn new(schema: &'s Schema, steps: u64) -> Self {
        Self {
            schema,
            steps,
            nesting: 0,
            way: vec![0],
            misfits: Vec::new(),
            count: 0,
            wanted: Wanted::default(),
            conditions: 0,
            stopped: None,
        }
    }

    /// Checks the whole value.
    pub(super) fn run(&mut self, value: &Value) {
        let whole = Part { schema: &self.schema.root, document: 0 };
        if let Err(stop) = self.part(whole, value, &At::Top) {
            self.stopped = Some(stop);
        }
    }

    pub(super) fn into_result(self) -> Result<(), Misfits> {
        let whole = |message: &str| Misfit { path: String::new(), message: message.into() };
        let told = match self.stopped {
            Some(Stop::Steps) => vec![whole("cannot be checked: this schema would take too long with it")],
            Some(Stop::Nesting) => vec![whole("cannot be checked: its schema refers to itself without end")],
            None if self.count == 0 => return Ok(()),
            None => self.misfits,
        };
        let more = self.count.saturating_sub(told.len());
        Err(Misfits { told, more: if self.stopped.is_some() { 0 } else { more } })
    }

    /// Whether the check was given up.
    pub(super) fn gave_up(&self) -> bool {
        self.stopped.is_some()
    }

    /// Pays for something.
    pub(super) fn pay(&mut self, steps: usize) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(steps as u64).ok_or(Stop::Steps)?;
        Ok(())
    }

    /// Notes that something does not fit.
    pub(super) fn misfit(&mut self, at: &At<'_>, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.misfits.len() < self.schema.limits.misfits && self.conditions == 0 {
            self.misfits.push(Misfit { path: at.pointer(), message: message() });
        }
    }

    /// Whether a text that is not wanted is to be noted.
    pub(super) fn is_asking(&self) -> bool {
        self.conditions == 0
    }

    /// Checks a value against a schema within the present document.
    pub(super) fn below(&mut self, around: Part<'s>, schema: &'s Value, value: &Value, at: &At<'_>) -> Fits {
        self.part(Part { schema, document: around.document }, value, at)
    }

    /// Checks a value against a schema.
    pub(super) fn part(&mut self, part: Part<'s>, value: &Value, at: &At<'_>) -> Fits {
        self.pay(1)?;
        let members = match part.schema {
            Value::Object(members) => members,
            Value::Bool(false) => {
                self.misfit(at, || "is not allowed here".into());
                return Ok(None);
            }
            // `true`, and what is no schema, say nothing.
            Value::Bool(true) | Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Ok(Some(Marks::default()));
            }
        };
        if self.nesting >= self.schema.limits.nesting {
            return Err(Stop::Nesting);
        }
        let document = self.schema.resources.document_of(part, self.schema.draft);
        let enters = document != *self.way.last().unwrap_or(&0);
        if enters {
            self.way.push(document);
        }
        self.nesting += 1;
        let fits = self.members(Part { document, ..part }, members, value, at);
        self.nesting -= 1;
        if enters {
            self.way.pop();
        }
        fits
    }

    fn members(&mut self, part: Part<'s>, members: &'s Map<String, Value>, value: &Value, at: &At<'_>) -> Fits {
        self.pay(members.len())?;
        let mut marks = Marks::default();
        let mut fits = true;
        let mut take = |found: Option<Marks>| match found {
            Some(found) => {
                marks.add(found);
                true
            }
            None => false,
        };
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            let found = self.follow(part, reference, false, value, at)?;
            if self.schema.draft == Draft::Seven {
                // Beside a reference nothing counts.
                return Ok(found);
            }
            fits &= take(found);
        }
        if let Some(reference) = members.get("$dynamicRef").and_then(Value::as_str)
            && self.schema.draft == Draft::Later
        {
            let found = self.follow(part, reference, true, value, at)?;
            fits &= take(found);
        }
        fits &= self.scalar(members, value, at)?;
        fits &= take(self.combined(part, members, value, at)?);
        let site = Site { part, members, at };
        if let Value::Object(object) = value {
            fits &= take(self.object(site, object)?);
        }
        if let Value::Array(items) = value {
            fits &= take(self.array(site, items)?);
        }
        if self.schema.marks {
            fits &= self.unevaluated(site, value, &mut marks)?;
        }
        Ok(fits.then_some(marks))
    }

    fn follow(&mut self, part: Part<'s>, reference: &str, dynamic: bool, value: &Value, at: &At<'_>) -> Fits {
        let (root, resources) = (&self.schema.root, &self.schema.resources);
        let found = if dynamic {
            resources.find_dynamic(root, part.document, reference, &self.way)
        } else {
            resources.find(root, part.document, reference)
        };
        match found {
            Ok(found) => self.part(found, value, at),
            // References were checked when the schema was read, but for those in parts that are no schemas themselves.
            Err(fault) => {
                self.misfit(at, || format!("cannot be checked: {fault}"));
                Ok(None)
            }
        }
    }

    /// `allOf`, `anyOf`, `oneOf`, `not`, `if`.
    fn combined(&mut self, part: Part<'s>, members: &'s Map<String, Value>, value: &Value, at: &At<'_>) -> Fits {
        let mut marks = Marks::default();
        let mut fits = true;
        let list = |keyword: &str| members.get(keyword).and_then(Value::as_array);
        for schema in list("allOf").into_iter().flatten() {
            match self.below(part, schema, value, at)? {
                Some(found) => marks.add(found),
                None => fits = false,
            }
        }
        if let Some(schemas) = list("anyOf") {
            let (found, nearest) = self.branches(part, schemas, value, at, !self.schema.marks)?;
            if found.is_empty() {
                self.none_of(schemas.len(), nearest, at);
                fits = false;
            }
            found.into_iter().for_each(|found| marks.add(found));
        }
        if let Some(schemas) = list("oneOf") {
            let (mut found, nearest) = self.branches(part, schemas, value, at, false)?;
            match found.len() {
                0 => {
                    self.none_of(schemas.len(), nearest, at);
                    fits = false;
                }
                1 => marks.add(found.swap_remove(0)),
                several => {
                    let of = schemas.len();
                    self.misfit(at, || format!("matches {several} of {of} forms, and must match exactly one"));
                    fits = false;
                }
            }
        }
        if let Some(schema) = members.get("not")
            && self.quietly(part, schema, value, at)?.is_some()
        {
            self.misfit(at, || "has a form that is not allowed".into());
            fits = false;
        }
        if let Some(schema) = members.get("if") {
            let then = match self.quietly(part, schema, value, at)? {
                Some(found) => {
                    marks.add(found);
                    "then"
                }
                None => "else",
            };
            if let Some(schema) = members.get(then) {
                match self.below(part, schema, value, at)? {
                    Some(found) => marks.add(found),
                    None => fits = false,
                }
            }
        }
        Ok(fits.then_some(marks))
    }

    /// Checks a condition: what does not fit it is no fault of the value.
    pub(super) fn quietly(&mut self, part: Part<'s>, schema: &'s Value, value: &Value, at: &At<'_>) -> Fits {
        let count = self.count;
        self.conditions += 1;
        let fits = self.below(part, schema, value, at);
        self.conditions -= 1;
        self.count = count;
        fits
    }

    /// Tries several forms. Gives the marks of those that fit and, if none does, the misfits of the one that is nearest.
    fn branches(
        &mut self,
        part: Part<'s>,
        schemas: &'s [Value],
        value: &Value,
        at: &At<'_>,
        first_is_enough: bool,
    ) -> Result<(Vec<Marks>, Option<Vec<Misfit>>), Stop> {
        let before = (std::mem::take(&mut self.misfits), self.count);
        let mut found = Vec::new();
        let mut nearest: Option<(usize, Vec<Misfit>)> = None;
        for schema in schemas {
            self.count = 0;
            let fits = self.below(part, schema, value, at)?;
            let misfits = std::mem::take(&mut self.misfits);
            match fits {
                Some(marks) => {
                    found.push(marks);
                    if first_is_enough {
                        break;
                    }
                }
                // One that got further into the value is nearer than one that did not even have the right type.
                None if self.conditions == 0 => {
                    let depth = misfits.iter().map(|misfit| misfit.path.len()).max().unwrap_or(0);
                    if nearest.as_ref().is_none_or(|(best, _)| depth > *best) {
                        nearest = Some((depth, misfits));
                    }
                }
                None => {}
            }
        }
        (self.misfits, self.count) = before;
        let only_at_top = at.pointer().len();
        Ok((found, nearest.filter(|(depth, _)| *depth > only_at_top).map(|(_, misfits)| misfits)))
    }

    fn none_of(&mut self, forms: usize, nearest: Option<Vec<Misfit>>, at: &At<'_>) {
        self.misfit(at, || {
            let hint = nearest.and_then(|misfits| misfits.into_iter().next());
            let hint = hint.map(|misfit| format!(" (nearest: {misfit})")).unwrap_or_default();
            format!("matches none of the {forms} forms allowed here{hint}")
        });
    }
}
