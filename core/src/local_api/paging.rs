//! Lists in pages (R250). The token of a page is opaque to others; to us it is the name of the last item before it, so that walking on
//! gives each item once, whatever came, went or changed in the meantime.

use super::query::Query;
use super::refusal::Refusal;

/// Which page of a list is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    size: usize,
    /// The name of the last item that was seen.
    after: Option<String>,
}

impl Page {
    /// Reads `pageToken`, and the size under any of these names.
    pub(super) fn read(query: &Query, sizes: [&str; 2], usual: usize, largest: usize) -> Result<Self, Refusal> {
        let mut size = usual;
        for name in sizes {
            let Some(text) = query.text(name) else { continue };
            let number = text.parse::<usize>().ok().filter(|number| *number > 0);
            let refused = || Query::refused(name, format!("{name} must be a whole number from 1 to {largest}"));
            // Larger is no mistake, only more than there is to be had at once.
            size = number.ok_or_else(refused)?.min(largest);
        }
        let after = query.text("pageToken").map(read_token).transpose()?;
        Ok(Self { size, after })
    }

    /// How many items it has at most.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// What the token says, for a list that is in no order of names.
    pub(super) fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// The items of the page out of all, which are sorted by name, and the token of the next page if there is one.
    pub(super) fn of<T>(&self, all: Vec<T>, name: impl Fn(&T) -> String) -> (Vec<T>, Option<String>) {
        let mut rest = all.into_iter().skip_while(|item| self.after.as_ref().is_some_and(|after| name(item) <= *after));
        let page: Vec<T> = rest.by_ref().take(self.size).collect();
        let more = rest.next().is_some();
        let next = page.last().filter(|_| more).map(|last| write_token(&name(last)));
        (page, next)
    }
}

pub(super) fn write_token(name: &str) -> String {
    name.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn read_token(token: &str) -> Result<String, Refusal> {
    let pair = |pair: &[u8]| {
        let digits =
            std::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        u8::from_str_radix(digits, 16).ok()
    };
    let pairs = token.as_bytes().chunks(2).map(|chunk| pair(chunk).filter(|_| chunk.len() == 2));
    let name = pairs.collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty());
    name.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
        let message = "pageToken is not one from an earlier answer; leave it out to begin at the first page";
        Query::refused("pageToken", message.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(query: &str) -> Result<Page, Refusal> {
        Page::read(&Query::parse(query).expect("is a query"), ["pageSize", "recommendedPageSize"], 2, 3)
    }

    fn walk(mut query: String, mut all: Vec<&'static str>, vanishing: &str) -> Vec<Vec<&'static str>> {
        let mut pages = Vec::new();
        loop {
            let (items, next) = page(&query).expect("is a page").of(all.clone(), |item| (*item).to_owned());
            pages.push(items);
            all.retain(|item| *item != vanishing);
            match next {
                Some(token) => query = format!("pageToken={token}"),
                None => return pages,
            }
        }
    }

    /// R250: each item once, also where the last item seen is gone.
    #[test]
    fn walking_gives_each_item_once() {
        assert_eq!(walk(String::new(), vec!["a", "b", "c", "d", "e"], ""), [vec!["a", "b"], vec!["c", "d"], vec!["e"]]);
        assert_eq!(walk(String::new(), vec!["a", "b", "c"], "b"), [vec!["a", "b"], vec!["c"]]);
        assert_eq!(walk("pageSize=9".into(), vec!["a", "b", "é"], ""), [vec!["a", "b", "é"]]);
        assert_eq!(walk(String::new(), vec![], ""), [Vec::<&str>::new()]);
    }

    #[test]
    fn what_is_no_page_is_refused() {
        let check = |query: &str, path: &str, expected: &str| {
            let refusal = page(query).expect_err("is refused");
            assert_eq!((refusal.path.as_deref(), refusal.message.as_str()), (Some(path), expected));
        };
        for size in ["0", "-1", "x", ""] {
            let expected = "recommendedPageSize must be a whole number from 1 to 3";
            check(&format!("recommendedPageSize={size}"), "recommendedPageSize", expected);
        }
        for token in ["", "a", "zz", "ff", "+1", "é"] {
            let expected = "pageToken is not one from an earlier answer; leave it out to begin at the first page";
            check(&format!("pageToken={token}"), "pageToken", expected);
        }
    }
}
