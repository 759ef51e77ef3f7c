//! The keywords about lists.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Draft;
use super::check::{At, Check, Fits, Marks, Site, Stop};
use super::compare::spelling;
use super::scalars::{BYTES_A_STEP, count};
use crate::counted::counted;

impl<'s> Check<'s> {
    pub(super) fn array(&mut self, site: Site<'s, '_>, items: &[Value]) -> Fits {
        let Site { members, at, .. } = site;
        let mut marks = Marks::default();
        let mut fits = true;
        let has = items.len() as u64;
        if let Some(least) = members.get("minItems").and_then(count).filter(|least| has < *least) {
            self.misfit(at, || format!("must have at least {}, and has {has}", counted(least, "item")));
            fits = false;
        }
        if let Some(most) = members.get("maxItems").and_then(count).filter(|most| has > *most) {
            self.misfit(at, || format!("must have at most {}, and has {has}", counted(most, "item")));
            fits = false;
        }
        fits &= self.items(site, items, &mut marks)?;
        fits &= self.contained(site, items, &mut marks)?;
        if members.get("uniqueItems") == Some(&Value::Bool(true)) {
            fits &= self.unique(items, at)?;
        }
        Ok(fits.then_some(marks))
    }

    fn items(&mut self, site: Site<'s, '_>, items: &[Value], marks: &mut Marks) -> Result<bool, Stop> {
        let Site { part, members, at } = site;
        // A list under `items` is how older drafts say `prefixItems`; authors who name no draft write it still.
        let old = members.get("items").and_then(Value::as_array);
        let new = members.get("prefixItems").and_then(Value::as_array).filter(|_| self.schema.draft == Draft::Later);
        let first = new.or(old).map_or(&[][..], Vec::as_slice);
        let rest = if old.is_some() { members.get("additionalItems") } else { members.get("items") };
        let mut fits = true;
        for (index, item) in items.iter().enumerate() {
            self.pay(1)?;
            let schema = match (first.get(index), rest) {
                (Some(schema), _) => schema,
                (None, Some(Value::Bool(false))) => {
                    let most = first.len();
                    self.misfit(&At::Index(at, index), || format!("is one too many; at most {most} are allowed"));
                    return Ok(false);
                }
                (None, Some(schema)) => schema,
                (None, None) => break,
            };
            fits &= self.below(part, schema, item, &At::Index(at, index))?.is_some();
        }
        marks.items_before = if rest.is_some() { items.len() } else { first.len().min(items.len()) };
        Ok(fits)
    }

    fn contained(&mut self, site: Site<'s, '_>, items: &[Value], marks: &mut Marks) -> Result<bool, Stop> {
        let Site { part, members, at } = site;
        let Some(schema) = members.get("contains") else { return Ok(true) };
        let later = self.schema.draft == Draft::Later;
        let bound = |keyword: &str| members.get(keyword).and_then(count).filter(|_| later);
        let (least, most) = (bound("minContains").unwrap_or(1), bound("maxContains"));
        let mut found = 0;
        for (index, item) in items.iter().enumerate() {
            if self.quietly(part, schema, item, &At::Index(at, index))?.is_some() {
                found += 1;
                if later && self.schema.marks {
                    marks.items.insert(index);
                }
            }
        }
        if found < least {
            self.misfit(at, || {
                format!("must contain at least {} of a certain form, and contains {found}", counted(least, "item"))
            });
            return Ok(false);
        }
        if let Some(most) = most.filter(|most| found > *most) {
            self.misfit(at, || {
                format!("must contain at most {} of a certain form, and contains {found}", counted(most, "item"))
            });
            return Ok(false);
        }
        Ok(true)
    }

    fn unique(&mut self, items: &[Value], at: &At<'_>) -> Result<bool, Stop> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let mut text = String::new();
            spelling(item, &mut text);
            self.pay(1 + text.len() / BYTES_A_STEP)?;
            if let Some(before) = seen.insert(text, index) {
                self.misfit(&At::Index(at, index), || format!("is the same as item {before}, and all must differ"));
                return Ok(false);
            }
        }
        Ok(true)
    }
}
