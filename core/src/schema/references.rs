//! Parts of a schema by the names that `$ref` uses: documents in it, anchors, and pointers.

use std::collections::BTreeMap;

use serde_json::Value;

use super::uri::{decode, resolve, split};
use super::walk::below;
use super::{Draft, SchemaFault};

/// The documents in a schema: itself, and every part that has an `$id` of its own.
#[derive(Debug)]
pub(super) struct Resources {
    documents: Vec<Document>,
    by_address: BTreeMap<String, usize>,
}

#[derive(Debug, Default)]
struct Document {
    address: String,
    /// Where it is in the whole schema.
    pointer: String,
    /// `$anchor` and `$dynamicAnchor`, by name, each with its place in the whole schema.
    anchors: BTreeMap<String, String>,
    /// `$dynamicAnchor` alone.
    dynamic: BTreeMap<String, String>,
}

/// A schema, and the document it is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'s> {
    pub(super) schema: &'s Value,
    pub(super) document: usize,
}

impl Resources {
    /// Finds all documents and anchors, then checks that every reference leads somewhere.
    pub(super) fn of(root: &Value, draft: Draft) -> Result<Self, SchemaFault> {
        let mut resources = Self { documents: vec![Document::default()], by_address: BTreeMap::new() };
        resources.by_address.insert(String::new(), 0);
        let mut references = Vec::new();
        let mut left = vec![(root, String::new(), 0)];
        while let Some((schema, pointer, document)) = left.pop() {
            let document = resources.enter(schema, &pointer, document, draft);
            for keyword in ["$ref", "$dynamicRef"] {
                let counts = keyword == "$ref" || draft == Draft::Later;
                if let Some(reference) = schema.get(keyword).and_then(Value::as_str).filter(|_| counts) {
                    references.push((reference, document));
                }
            }
            left.extend(below(schema).into_iter().map(|(at, schema)| (schema, format!("{pointer}{at}"), document)));
        }
        for (reference, document) in references {
            resources.find(root, document, reference)?;
        }
        Ok(resources)
    }

    /// Notes the names of one schema, and gives the document that it is in.
    fn enter(&mut self, schema: &Value, pointer: &str, document: usize, draft: Draft) -> usize {
        let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
        let mut document = document;
        let hidden = draft == Draft::Seven && schema.get("$ref").is_some();
        if let Some(id) = text("$id").filter(|_| !hidden) {
            let (address, fragment) = split(id);
            if !address.is_empty() || pointer.is_empty() {
                let address = resolve(&self.documents[document].address, address);
                if pointer.is_empty() {
                    self.documents[0].address.clone_from(&address);
                } else {
                    document = self.documents.len();
                    let (address, pointer) = (address.clone(), pointer.to_owned());
                    self.documents.push(Document { address, pointer, ..Document::default() });
                }
                self.by_address.entry(address).or_insert(document);
            }
            if draft == Draft::Seven && !fragment.is_empty() {
                self.documents[document].anchors.insert(fragment.to_owned(), pointer.to_owned());
            }
        }
        if draft == Draft::Later {
            for name in [text("$anchor"), text("$dynamicAnchor")].into_iter().flatten() {
                self.documents[document].anchors.insert(name.to_owned(), pointer.to_owned());
            }
            if let Some(name) = text("$dynamicAnchor") {
                self.documents[document].dynamic.insert(name.to_owned(), pointer.to_owned());
            }
        }
        document
    }

    /// The document that a schema begins, if it begins one.
    pub(super) fn document_of(&self, part: Part<'_>, draft: Draft) -> usize {
        let hidden = draft == Draft::Seven && part.schema.get("$ref").is_some();
        let id = part.schema.get("$id").and_then(Value::as_str).filter(|_| !hidden);
        let Some((address, _)) = id.map(split).filter(|(address, _)| !address.is_empty()) else { return part.document };
        // Entering a document from inside of it: its own address may be relative to the one around it.
        let here = &self.documents[part.document].address;
        let known = self.by_address.get(&resolve(here, address));
        known.copied().unwrap_or(part.document)
    }

    /// What a reference names.
    pub(super) fn find<'s>(&self, root: &'s Value, from: usize, reference: &str) -> Result<Part<'s>, SchemaFault> {
        let shown = || reference.chars().take(200).collect::<String>();
        let (address, fragment) = split(reference);
        let address = resolve(&self.documents[from].address, address);
        let start = if split(reference).0.is_empty() { Some(from) } else { self.by_address.get(&address).copied() };
        let Some(document) = start else { return Err(SchemaFault::Remote(shown())) };
        let fragment = decode(fragment);
        let Document { pointer, anchors, .. } = &self.documents[document];
        let pointer = match fragment.as_str() {
            "" => pointer.clone(),
            inside if inside.starts_with('/') => format!("{pointer}{inside}"),
            name => anchors.get(name).cloned().ok_or_else(|| SchemaFault::NoSuchPart(shown()))?,
        };
        let schema = root.pointer(&pointer).ok_or_else(|| SchemaFault::NoSuchPart(shown()))?;
        Ok(Part { schema, document: self.around(&pointer) })
    }

    /// What a dynamic reference names: the outermost document on the way here that has an anchor of this name, if the plain meaning of
    /// the reference is such an anchor too.
    pub(super) fn find_dynamic<'s>(
        &self,
        root: &'s Value,
        from: usize,
        reference: &str,
        way: &[usize],
    ) -> Result<Part<'s>, SchemaFault> {
        let plain = self.find(root, from, reference)?;
        let (_, name) = split(reference);
        let is_dynamic = plain.schema.get("$dynamicAnchor").and_then(Value::as_str) == Some(name);
        if !is_dynamic {
            return Ok(plain);
        }
        let outermost = way.iter().find_map(|at| self.documents[*at].dynamic.get(name));
        let found = outermost.and_then(|pointer| Some((root.pointer(pointer)?, pointer)));
        Ok(found.map_or(plain, |(schema, pointer)| Part { schema, document: self.around(pointer) }))
    }

    /// The innermost document around a place.
    fn around(&self, pointer: &str) -> usize {
        let holds = |document: &Document| {
            let rest = pointer.strip_prefix(&document.pointer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let all = self.documents.iter().enumerate().filter(|(_, document)| holds(document));
        all.max_by_key(|(_, document)| document.pointer.len()).map_or(0, |(at, _)| at)
    }
}
