//! Gives an HTML page its data (R211): a script that sets `window.__TOOL_DATA__`, put in before the page's own scripts need it.
//!
//! The data is written so that nothing in it can end the script element it is in (R212, C56).

use serde_json::Value;

use super::html::{RAW_TEXT, comment_length, names, raw_text_length, tag_length};

/// The page with its data: before `</head>`, else at the start of `<body>`, else at the start of the page, after its doctype.
#[must_use]
pub fn inject_data(html: &str, data: &Value) -> String {
    let at = place(html);
    format!("{}<script>window.__TOOL_DATA__ = {};</script>{}", &html[..at], as_script(data), &html[at..])
}

/// The data as JavaScript, with every character escaped that means something to HTML or ends a line only in JavaScript.
fn as_script(data: &Value) -> String {
    let mut json = data.to_string();
    // In a literal the name `__proto__` would set the prototype instead of a field.
    let is_literal = !json.contains("__proto__");
    if !is_literal {
        json = Value::String(json).to_string();
    }
    // All of these can stand only inside texts, where JSON knows the same escapes.
    let escaped = (json.chars()).fold(String::with_capacity(json.len()), |mut escaped, letter| {
        match letter {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            other => escaped.push(other),
        }
        escaped
    });
    if is_literal { escaped } else { format!("JSON.parse({escaped})") }
}

fn place(html: &str) -> usize {
    // ASCII only, so that positions stay the same.
    let lower = html.to_ascii_lowercase();
    let (mut at, mut after_doctype) = (0, 0);
    while let Some(found) = lower[at..].find('<') {
        let tag = at + found;
        let rest = &lower[tag..];
        if rest.starts_with("<!--") {
            at = tag + comment_length(rest);
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            at = tag + rest.find('>').map_or(rest.len(), |end| end + 1);
            if rest.starts_with("<!doctype") {
                after_doctype = at;
            }
        } else if names(rest, "</head") {
            return tag;
        } else if rest[1..].starts_with(|first: char| first.is_ascii_alphabetic() || first == '/') {
            at = tag + tag_length(rest);
            if names(rest, "<body") {
                return at;
            }
            if let Some(element) =
                RAW_TEXT.iter().find(|element| rest[1..].starts_with(**element) && names(&rest[1..], element))
            {
                at += raw_text_length(&lower[at..], element);
            }
        } else {
            at = tag + 1;
        }
    }
    after_doctype
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
    use serde_json::json;

    use super::*;

    /// `expected` is the page with `@` where the script goes.
    fn check(expected: &str) {
        let html = expected.replace('@', "");
        let script = "<script>window.__TOOL_DATA__ = [1];</script>";
        assert_eq!(inject_data(&html, &json!([1])), expected.replace('@', script));
    }

    /// R211
    #[test]
    fn before_the_end_of_head_or_at_the_start_of_body() {
        check("<!DOCTYPE html><html><head><title>x</title>@</head><body></body></html>");
        check("<html><HEAD>@</Head ><body></body></html>");
        check("<html><body class='a > b'>@<p>x</p></body></html>");
        check("<!doctype html>@<p>only a piece</p>");
        check("@plain text");
        check("@");
    }

    /// R211: tags that are not tags.
    #[test]
    fn comments_scripts_and_raw_text_are_skipped() {
        check("<head><!-- </head> -->@</head>");
        check("<head><!-->@</head> -->");
        check("<head><!-- a > b - -> -- > </head> --->@</head>");
        check("<head><script>let x = '</head>'</script>@</head>");
        check("<head><style>/* </head><body> */</style><title></head></title>@</head>");
        check("<head><meta content=\"</head>\" a='<body>'>@</head>");
        check("<header>a < b</header><bodyguard></bodyguard><p><body>@");
        check("<script src=x></scripty></head></script ><body>@</body>");
        check("<head><a b=c'>@</head><i d='>");
        check("@<script>never closed </head>");
        check("@<!-- never closed </head>");
        check("@<p title='never closed </head>");
        check("@<");
        check("<!doctype html>@<é </");
    }

    /// R212, C56
    #[test]
    fn data_cannot_end_the_script() {
        let data = json!({"</script><script>alert(1)//": "<!--<script> & \u{2028}\u{2029}"});
        insta::assert_snapshot!(inject_data("", &data), @r#"<script>window.__TOOL_DATA__ = {"\u003c/script\u003e\u003cscript\u003ealert(1)//":"\u003c!--\u003cscript\u003e \u0026 \u2028\u2029"};</script>"#);
    }

    /// A field of that name must arrive as a field, not as a prototype.
    #[test]
    fn a_field_called_proto_stays_a_field() {
        let data = json!({"__proto__": {"a\"": "<"}});
        insta::assert_snapshot!(inject_data("", &data), @r#"<script>window.__TOOL_DATA__ = JSON.parse("{\"__proto__\":{\"a\\\"\":\"\u003c\"}}");</script>"#);
    }

    /// Reads the injected script back as JavaScript would.
    fn data_in(page: &str) -> Value {
        let (_, after) = page.split_once("<script>window.__TOOL_DATA__ = ").expect("was injected");
        let (script, _) = after.split_once(";</script>").expect("is closed");
        match script.strip_prefix("JSON.parse(") {
            Some(rest) => {
                let json: String = serde_json::from_str(rest.strip_suffix(')').expect("is closed")).expect("is a text");
                serde_json::from_str(&json).expect("is JSON")
            }
            None => serde_json::from_str(script).expect("is JSON"),
        }
    }

    fn any_data() -> impl Strategy<Value = Value> {
        let hostile = prop_oneof![
            ".{0,12}",
            Just("</script>".to_owned()),
            Just("<!--<script>".to_owned()),
            Just("__proto__".to_owned()),
            "[<>/&!\\-\"'\\\\\u{2028}\u{2029}a;]{0,12}",
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            proptest::num::i64::ANY.prop_map(Value::from),
            hostile.clone().prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(hostile.clone(), inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// R212
        #[test]
        fn no_data_can_leave_the_script(data in any_data()) {
            let script = as_script(&data);
            let is_dangerous = script.contains(['<', '>', '&', '\u{2028}', '\u{2029}']);
            prop_assert!(!is_dangerous, "{script}");
            prop_assert_eq!(data_in(&inject_data("<head></head>", &data)), data);
        }

        /// Whatever the page is, it is all still there, and in order.
        #[test]
        fn the_page_is_kept(html in r#"(<|>|</|head|body|<!--|-->|script|<title>|="|'|é| |>){0,16}"#) {
            let page = inject_data(&html, &json!(1));
            prop_assert_eq!(page.replacen("<script>window.__TOOL_DATA__ = 1;</script>", "", 1), html);
        }
    }
}
