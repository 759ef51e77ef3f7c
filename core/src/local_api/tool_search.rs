//! `/local/tools/search`: tools by what is typed (R249, R253, R254).
//!
//! The token of a page says what the last item was found by and its id, so that walking on gives each tool once, whatever came or went in
//! the meantime: what is better than the last item was on a page before, or was not there yet.

use std::borrow::Cow;
use std::cmp::Reverse;

use serde::Serialize;

use super::call::Call;
use super::paging::{Page, write_token};
use super::query::Query;
use super::refusal::Refusal;
use super::response::Response;
use super::route::Answer;
use super::tools::{Counted, ToolLine};
use crate::catalog::ToolShelf;
use crate::store::Store;

/// The longest query that is looked for.
const LONGEST: usize = 500;

#[derive(Debug, Serialize)]
struct FoundBody {
    tools: Vec<ToolLine>,
    #[serde(rename = "nextPageToken", skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// What a hit is ordered by: the better match, the later change, the id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place<'a>(Reverse<(u8, i32, u64)>, Cow<'a, str>);

impl<'a> Place<'a> {
    fn written(&self) -> String {
        let Reverse((class, score, changed)) = self.0;
        format!("{class} {score} {changed} {}", self.1)
    }

    fn read(text: &'a str) -> Option<Self> {
        let mut parts = text.splitn(4, ' ');
        let (class, score) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let (changed, id) = (parts.next()?.parse().ok()?, parts.next()?);
        Some(Self(Reverse((class, score, changed)), Cow::Borrowed(id)))
    }
}

/// `GET /local/tools/search`
pub(super) async fn search<S: Store>(call: Call<'_, S>) -> Answer {
    let limits = call.world.limits;
    let page = Page::read(&call.query, ["pageSize", "recommendedPageSize"], limits.page_size, limits.largest_page)?;
    let include_disabled = call.query.flag("includeDisabled")?;
    let query = call.query.text("q").unwrap_or_default();
    if query.len() > LONGEST {
        return Err(Query::refused("q", format!("q has {} bytes, and the limit is {LONGEST}", query.len())));
    }
    let own = ToolShelf::default();
    let shelved = call.world.shelf.unwrap_or(&own).now(call.store).await?;
    let after = page.after().map(|name| Place::read(name).ok_or_else(no_token)).transpose()?;
    let surroundings = call.world.surroundings;
    let hits = shelved.find(query, include_disabled);
    let placed = hits.iter().map(|hit| {
        let changed = shelved.changed(hit).as_millis();
        (Place(Reverse((hit.class, hit.score, changed)), Cow::Borrowed(shelved.id(hit))), hit)
    });
    let mut placed: Vec<_> = placed.filter(|(place, _)| after.as_ref().is_none_or(|after| place > after)).collect();
    placed.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let more = placed.len() > page.size();
    placed.truncate(page.size());
    let next_page_token = placed.last().filter(|_| more).map(|(place, _)| write_token(&place.written()));
    let counted = Counted::load(call.store).await?;
    let line = |(_, hit): &(Place<'_>, &crate::palette::Hit)| ToolLine::of(&shelved.tool(hit, surroundings), &counted);
    Ok(Response::json(200, &FoundBody { tools: placed.iter().map(line).collect(), next_page_token }))
}

fn no_token() -> Refusal {
    let message = "pageToken is not one from an earlier answer; leave it out to begin at the first page";
    Query::refused("pageToken", message.into())
}
