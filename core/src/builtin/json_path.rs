//! Queries of JSON, as RFC 9535 (JSONPath) spells them: what a query is.
//!
//! Our own: the crate of the field brings `regex` with it, ten times the size of the engine that we have, and counts no steps, while
//! queries come from models and files from anywhere. What differs from the RFC: the pattern of `match` and `search` has to be written out,
//! and is read as our other patterns are.

mod evaluate;
mod parse;

use serde_json::Value;

use crate::pattern::Pattern;

/// A query: from the top of the document, one segment after the other.
#[derive(Debug)]
pub(super) struct Query(Vec<Segment>);

/// Why a query cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: {why}")]
pub(super) struct QueryError {
    /// From 1.
    at: usize,
    why: String,
}

/// One step down, or down to every depth.
#[derive(Debug)]
struct Segment {
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Debug)]
enum Selector {
    Name(String),
    Index(i64),
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    All,
    Filter(Test),
}

/// What a filter asks of each value.
#[derive(Debug)]
enum Test {
    Any(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    /// Something is there.
    Exists(Way),
    Compare(Operand, Comparison, Operand),
    /// A text fits a pattern.
    Fits(Operand, Pattern),
}

/// A query within a filter, from the value at hand (`@`) or from the top (`$`).
#[derive(Debug)]
struct Way {
    from_top: bool,
    segments: Vec<Segment>,
}

#[derive(Debug)]
enum Operand {
    Literal(Value),
    /// The one value at the end of a way that leads to at most one.
    Value(Way),
    /// `length(…)`
    Length(Box<Self>),
    /// `count(…)`
    Count(Way),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Way {
    /// Whether it leads to at most one value, whatever the document.
    fn is_singular(&self) -> bool {
        let one = |segment: &Segment| {
            !segment.descends && matches!(segment.selectors.as_slice(), [Selector::Name(_) | Selector::Index(_)])
        };
        self.segments.iter().all(one)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The document of the RFC.
    fn store() -> Value {
        json!({"store": {
            "book": [
                {"category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95},
                {"category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99},
                {"category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3", "price": 8.99},
                {"category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings", "isbn": "0-395-19395-8", "price": 22.99}
            ],
            "bicycle": {"color": "red", "price": 399}
        }})
    }

    fn check_in(document: &Value, query: &str, expected: &[&str]) {
        let read = Query::read(query).unwrap_or_else(|error| unreachable!("{query}: {error}"));
        let found = read.run(document, 10_000).expect("takes few steps");
        let places: Vec<String> = found.iter().map(|(place, _)| place.to_string()).collect();
        assert_eq!(places, expected, "{query}");
        for (place, value) in found {
            // Where it is said to be, it is.
            let again = Query::read(&place.to_string()).expect("a place is a query").run(document, 10_000);
            assert_eq!(
                again.expect("takes few steps").into_iter().map(|(_, value)| value).collect::<Vec<_>>(),
                [value]
            );
        }
    }

    /// The examples of the RFC, by the places they lead to.
    #[test]
    fn the_examples_of_the_rfc() {
        let document = store();
        let check = |query: &str, expected: &[&str]| check_in(&document, query, expected);
        let book = |at: usize, name: &str| format!("$['store']['book'][{at}]['{name}']");
        let authors: Vec<String> = (0..4).map(|at| book(at, "author")).collect();
        let authors: Vec<&str> = authors.iter().map(String::as_str).collect();
        check("$", &["$"]);
        check("$.store.book[*].author", &authors);
        check("$..author", &authors);
        check("$.store.*", &["$['store']['book']", "$['store']['bicycle']"]);
        let prices: Vec<String> = (0..4).map(|at| book(at, "price")).collect();
        let mut prices: Vec<&str> = prices.iter().map(String::as_str).collect();
        prices.push("$['store']['bicycle']['price']");
        check("$.store..price", &prices);
        check("$..book[2]", &["$['store']['book'][2]"]);
        check("$..book[2].publisher", &[]);
        check("$..book[-1]", &["$['store']['book'][3]"]);
        check("$..book[0,1]", &["$['store']['book'][0]", "$['store']['book'][1]"]);
        check("$..book[:2]", &["$['store']['book'][0]", "$['store']['book'][1]"]);
        check("$..book[?@.isbn]", &["$['store']['book'][2]", "$['store']['book'][3]"]);
        check("$..book[?(@.price<10)]", &["$['store']['book'][0]", "$['store']['book'][2]"]);
        check("$..book[?@.price < 10 && @.category == 'fiction'].title", &[&book(2, "title")]);
        check(
            "$..book[?!@.isbn || $.store.bicycle.price < @.price]",
            &["$['store']['book'][0]", "$['store']['book'][1]"],
        );
        check("$..book[?length(@.title) > 20]", &["$['store']['book'][0]", "$['store']['book'][3]"]);
        check("$..book[?match(@.author, 'J.*')]", &["$['store']['book'][3]"]);
        check("$..book[?search(@.title, \"[Oo]f\")].isbn", &[&book(3, "isbn")]);
        check("$.store[?count(@.*) == 2]", &["$['store']['bicycle']"]);
        check("$.store[\"bicycle\"]['color']", &["$['store']['bicycle']['color']"]);
    }

    #[test]
    fn slices_and_odd_names() {
        let document = json!({"a": [0, 1, 2, 3, 4, 5, 6], "it's": {"": null, "ü": 1}});
        let check = |query: &str, expected: &[&str]| check_in(&document, query, expected);
        check("$.a[1:3]", &["$['a'][1]", "$['a'][2]"]);
        check("$.a[5:]", &["$['a'][5]", "$['a'][6]"]);
        check("$.a[1:6:2]", &["$['a'][1]", "$['a'][3]", "$['a'][5]"]);
        check("$.a[5:1:-2]", &["$['a'][5]", "$['a'][3]"]);
        check("$.a[::-3]", &["$['a'][6]", "$['a'][3]", "$['a'][0]"]);
        check("$.a[::0]", &[]);
        check("$.a[-100:1]", &["$['a'][0]"]);
        check("$.a[100]", &[]);
        check(r"$['it\'s']['']", &[r"$['it\'s']['']"]);
        check("$.*.ü", &[r"$['it\'s']['ü']"]);
        check("$.a[?@ >= 5]", &["$['a'][5]", "$['a'][6]"]);
        check(
            "$.a[?@.x == @.y]",
            &["$['a'][0]", "$['a'][1]", "$['a'][2]", "$['a'][3]", "$['a'][4]", "$['a'][5]", "$['a'][6]"],
        );
    }

    #[test]
    fn a_query_that_cannot_be_read_says_where() {
        let check = |query: &str, expected: &str| {
            assert_eq!(Query::read(query).expect_err("is refused").to_string(), expected, "{query}");
        };
        check("store", "at character 1: a query begins with \"$\"");
        check("$.", "at character 3: a name, \"*\" or \"[\" must follow");
        check("$[", "at character 3: a name in quotes, a number, \"*\", a slice or \"?\" must follow");
        check("$['a'", "at character 6: \",\" or \"]\" must follow");
        check("$['a", "at character 5: the text is not closed");
        check("$.a[?@.b ==]", "at character 12: a value must follow");
        check("$.a[?@.* == 1]", "at character 6: only a way to one value can be compared");
        check("$.a[?match(@.b, @.c)]", "at character 17: the pattern must be a text in quotes");
        check(
            "$.a[?nothing(@)]",
            "at character 6: there is no function \"nothing\"; there are length, count, value, match and search",
        );
        check("$.a b", "at character 4: \".\" or \"[\" must follow");
        check(&format!("$[?{}@.a]", "(".repeat(50)), "at character 36: it is too deep");
    }

    #[test]
    fn steps_are_counted() {
        let document = json!([[[[1, 2, 3]]]]);
        assert!(Query::read("$..*").expect("is a query").run(&document, 10).is_err());
        assert!(Query::read("$..*").expect("is a query").run(&document, 100).is_ok());
    }
}
