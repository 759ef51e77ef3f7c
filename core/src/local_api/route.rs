//! A row of the table of addresses, and the search for the one that fits.

use std::fmt;
use std::pin::Pin;

use super::call::{Call, Parameters};
use super::percent;
use super::refusal::{Code, Refusal};
use super::response::Response;

/// What a handler gives: an answer, or why there is none.
pub(super) type Answer = Result<Response, Refusal>;

/// An answer that is being made. It stays on its thread, as everything about a store does.
pub(super) type Answering<'a> = Pin<Box<dyn Future<Output = Answer> + 'a>>;

/// One address, for one method.
pub(super) struct Route<S> {
    pub(super) method: Method,
    /// The path below `/local/`: words, `{name}` for one segment, and at the end `{*name}` for one or more.
    pub(super) pattern: &'static str,
    pub(super) handler: for<'a> fn(Call<'a, S>) -> Answering<'a>,
}

/// The methods that some address answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        })
    }
}

pub(super) fn get<S>(pattern: &'static str, handler: for<'a> fn(Call<'a, S>) -> Answering<'a>) -> Route<S> {
    Route { method: Method::Get, pattern, handler }
}

pub(super) fn post<S>(pattern: &'static str, handler: for<'a> fn(Call<'a, S>) -> Answering<'a>) -> Route<S> {
    Route { method: Method::Post, pattern, handler }
}

pub(super) fn put<S>(pattern: &'static str, handler: for<'a> fn(Call<'a, S>) -> Answering<'a>) -> Route<S> {
    Route { method: Method::Put, pattern, handler }
}

pub(super) fn patch<S>(pattern: &'static str, handler: for<'a> fn(Call<'a, S>) -> Answering<'a>) -> Route<S> {
    Route { method: Method::Patch, pattern, handler }
}

pub(super) fn delete<S>(pattern: &'static str, handler: for<'a> fn(Call<'a, S>) -> Answering<'a>) -> Route<S> {
    Route { method: Method::Delete, pattern, handler }
}

/// The first row that fits, with what stands in the place of its `{names}`. An address that is there, but not for this method,
/// is told apart from one that is not.
pub(super) fn find<'t, S>(
    table: &'t [Route<S>],
    method: &str,
    path: &str,
) -> Result<(&'t Route<S>, Parameters), Refusal> {
    let nothing = || Refusal::new(Code::NotFound, format!("there is nothing at {}", shown(path)));
    // Split first, decoded after: an encoded slash is part of a name and divides nothing.
    let below = path.strip_prefix("/local/").ok_or_else(nothing)?;
    let segments: Vec<String> = below.split('/').map(percent::decode_segment).collect::<Result<_, _>>()?;
    let mut allowed: Vec<Method> = Vec::new();
    for route in table {
        let Some(parameters) = fit(route.pattern, &segments) else { continue };
        if route.method.to_string() == method {
            return Ok((route, parameters?));
        }
        if !allowed.contains(&route.method) {
            allowed.push(route.method);
        }
    }
    if allowed.is_empty() {
        return Err(nothing());
    }
    let methods = allowed.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let message = format!("{} takes {methods}, not {}", shown(path), shown(method));
    Err(Refusal { allow: Some(methods), ..Refusal::new(Code::MethodNotAllowed, message) })
}

/// Puts segments in the place of a pattern's names, if it fits; fails where they fit and cannot stand there.
fn fit(pattern: &'static str, segments: &[String]) -> Option<Result<Parameters, Refusal>> {
    let mut parameters = Parameters::default();
    let mut left = segments;
    for part in pattern.split('/') {
        if let Some(name) = part.strip_prefix("{*").and_then(|part| part.strip_suffix('}')) {
            if left.is_empty() {
                return None;
            }
            if let Some(segment) = left.iter().find(|segment| segment.contains('/')) {
                let message =
                    format!("{:?} has an encoded \"/\" inside a name; put \"/\" between names", shown(segment));
                return Some(Err(Refusal::new(Code::BadRequest, message)));
            }
            parameters.insert(name, left.join("/"));
            return Some(Ok(parameters));
        }
        let (first, rest) = left.split_first()?;
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(_) if first.is_empty() => return None,
            Some(name) => parameters.insert(name, first.clone()),
            None if part == first => {}
            None => return None,
        }
        left = rest;
    }
    left.is_empty().then_some(Ok(parameters))
}

/// A text from outside, short enough for a message.
fn shown(text: &str) -> String {
    text.chars().take(200).collect()
}
