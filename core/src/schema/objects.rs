//! The keywords about objects.

use serde_json::{Map, Value};

use super::check::{At, Check, Fits, Marks, Site, Stop};
use super::scalars::count;
use crate::counted::counted;

/// How many known names a message lists.
const LISTED: usize = 10;

impl<'s> Check<'s> {
    pub(super) fn object(&mut self, site: Site<'s, '_>, object: &Map<String, Value>) -> Fits {
        let Site { part, members, at } = site;
        let mut marks = Marks::default();
        let mut fits = self.counts(members, object, at);
        for name in names(members.get("required")) {
            if !object.contains_key(name) {
                self.misfit(&At::Key(at, name), || "is missing".into());
                fits = false;
            }
        }
        fits &= self.properties(site, object, &mut marks)?;
        if let Some(schema) = members.get("propertyNames") {
            for name in object.keys() {
                if self.quietly(part, schema, &Value::String(name.clone()), at)?.is_none() {
                    self.misfit(&At::Key(at, name), || "has a name that is not allowed".into());
                    fits = false;
                }
            }
        }
        fits &= self.dependent(site, object, &mut marks)?;
        Ok(fits.then_some(marks))
    }

    fn counts(&mut self, members: &Map<String, Value>, object: &Map<String, Value>, at: &At<'_>) -> bool {
        let mut fits = true;
        let has = object.len() as u64;
        if let Some(least) = members.get("minProperties").and_then(count).filter(|least| has < *least) {
            self.misfit(at, || format!("must have at least {}, and has {has}", counted(least, "member")));
            fits = false;
        }
        if let Some(most) = members.get("maxProperties").and_then(count).filter(|most| has > *most) {
            self.misfit(at, || format!("must have at most {}, and has {has}", counted(most, "member")));
            fits = false;
        }
        fits
    }

    fn properties(&mut self, site: Site<'s, '_>, object: &Map<String, Value>, marks: &mut Marks) -> Result<bool, Stop> {
        let Site { part, members, at } = site;
        let properties = members.get("properties").and_then(Value::as_object);
        let patterns = members.get("patternProperties").and_then(Value::as_object);
        let others = members.get("additionalProperties");
        if properties.is_none() && patterns.is_none() && others.is_none() {
            return Ok(true);
        }
        let mut fits = true;
        // What is known is told once for an object, however many of its keys are not.
        let mut is_told = false;
        for (name, value) in object {
            self.pay(1)?;
            let below = At::Key(at, name);
            let mut known = false;
            if let Some(schema) = properties.and_then(|properties| properties.get(name)) {
                known = true;
                fits &= self.below(part, schema, value, &below)?.is_some();
            }
            for (pattern, schema) in patterns.into_iter().flatten() {
                // A pattern that cannot be read here says of no name that it is meant.
                if self.schema.patterns.get(pattern).is_some() && self.matches(pattern, name)? {
                    known = true;
                    fits &= self.below(part, schema, value, &below)?.is_some();
                }
            }
            match others {
                Some(Value::Bool(false)) if !known => {
                    self.misfit(&below, || if is_told { "is not known here".into() } else { unknown(properties) });
                    is_told = true;
                    fits = false;
                }
                Some(schema) if !known => {
                    known = true;
                    fits &= self.below(part, schema, value, &below)?.is_some();
                }
                Some(_) | None => {}
            }
            if known && self.schema.marks {
                marks.keys.insert(name.clone());
            }
        }
        Ok(fits)
    }

    /// `dependentRequired`, `dependentSchemas`, and both in one as draft 7 has it.
    fn dependent(&mut self, site: Site<'s, '_>, object: &Map<String, Value>, marks: &mut Marks) -> Result<bool, Stop> {
        let Site { part, members, at } = site;
        let mut fits = true;
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(dependent) = members.get(keyword).and_then(Value::as_object) else { continue };
            for (name, needs) in dependent.iter().filter(|(name, _)| object.contains_key(*name)) {
                self.pay(1)?;
                if needs.is_array() {
                    for other in names(Some(needs)).filter(|other| !object.contains_key(*other)) {
                        self.misfit(&At::Key(at, other), || format!("is missing, and is needed beside {name:?}"));
                        fits = false;
                    }
                } else if keyword != "dependentRequired" {
                    match self.below(part, needs, &Value::Object(object.clone()), at)? {
                        Some(found) => marks.add(found),
                        None => fits = false,
                    }
                }
            }
        }
        Ok(fits)
    }

    /// What no other keyword has looked at, of objects and lists.
    pub(super) fn unevaluated(&mut self, site: Site<'s, '_>, value: &Value, marks: &mut Marks) -> Result<bool, Stop> {
        let Site { part, members, at } = site;
        let mut fits = true;
        if let (Some(schema), Value::Object(object)) = (members.get("unevaluatedProperties"), value) {
            let unseen = object.iter().filter(|(name, _)| !marks.all_keys && !marks.keys.contains(*name));
            for (name, value) in unseen {
                fits &= self.below(part, schema, value, &At::Key(at, name))?.is_some();
            }
            marks.all_keys = true;
        }
        if let (Some(schema), Value::Array(items)) = (members.get("unevaluatedItems"), value) {
            for (index, item) in items.iter().enumerate().skip(marks.items_before) {
                if !marks.items.contains(&index) {
                    fits &= self.below(part, schema, item, &At::Index(at, index))?.is_some();
                }
            }
            marks.items_before = items.len();
        }
        Ok(fits)
    }
}

fn names(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn unknown(properties: Option<&Map<String, Value>>) -> String {
    let known: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    match known.len() {
        0 => "is not known here, and nothing is".into(),
        1..=LISTED => format!("is not known here; known are {}", known.join(", ")),
        _ => format!("is not known here; known are {} and others", known[..LISTED].join(", ")),
    }
}
