//! What is typed becomes a definition, and a definition what is typed.

use super::*;
use crate::http_tool::{HttpLimits, HttpTool};

fn step() -> RecipeStep {
    RecipeStep {
        method: "GET".into(),
        url: "https://api.weather.test/${city}".into(),
        query: "units = metric\n\ndays=${days}".into(),
        headers: "X-Lang: de".into(),
        auth: "bearer".into(),
        auth_value: "${WEATHER_KEY}".into(),
        ..RecipeStep::default()
    }
}

fn with(step: RecipeStep) -> Recipe {
    Recipe { steps: vec![step], ..weather() }
}

fn weather() -> Recipe {
    Recipe {
        name: "Weather: Today!".into(),
        description: "Says what it is like".into(),
        steps: vec![step()],
        arguments: BTreeMap::from([(
            "days".into(),
            Argument { kind: "integer".into(), required: false, description: "How many".into(), ..Argument::default() },
        )]),
        ..Recipe::default()
    }
}

/// What is typed becomes a definition that is found right, and the form of that is what was typed.
#[test]
fn a_form_becomes_a_tool_and_back() {
    let recipe = weather();
    assert_eq!(
        (recipe.argument_names(), recipe.secret_names()),
        (vec!["city".into(), "days".into()], vec!["WEATHER_KEY".into()])
    );
    let tool = recipe.tool().expect("is filled in");
    assert_eq!(recipe.slug(), "weather-today");
    let (http, schema) = (&tool["httpImpl"], &tool["argSchema"]);
    let read = HttpTool::read(http, &argument_names(Some(schema)), &HttpLimits::default()).expect("is right");
    assert_eq!(read.allowed_hosts, ["api.weather.test"]);
    assert_eq!(schema["required"], json!(["city"]));
    let again = Recipe::of("Weather: Today!", "Says what it is like", http, Some(schema)).expect("has one call");
    assert_eq!(again.tool().expect("is filled in"), tool);
}

#[test]
fn what_is_wrong_is_said() {
    let wrong = |recipe: Recipe| recipe.tool().expect_err("is refused").to_string();
    assert_eq!(
        wrong(Recipe { name: "!".into(), ..weather() }),
        "give the tool a name with at least one letter or digit"
    );
    assert_eq!(
        wrong(with(RecipeStep { query: "units".into(), ..step() })),
        "\"units\" is not of the form \"name = value\""
    );
    assert_eq!(
        wrong(with(RecipeStep { seconds: "soon".into(), ..step() })),
        "the time of a request must be a whole number"
    );
    assert_eq!(wrong(Recipe { retries: "-1".into(), ..weather() }), "the number of retries must be a whole number");
    let mut second = weather();
    second.add_step();
    assert_eq!(wrong(second), "request 2: the address must begin with http:// or https://");
    assert!(Recipe::of("x", "", &json!({"steps": [1]}), None).is_none());
    assert!(Recipe::of("x", "", &json!({}), None).is_none());
}

#[test]
fn versions_go_on() {
    for (version, next) in [("1", "2"), ("1.9", "1.10"), ("beta", "beta-2"), ("v1-beta", "v1-beta-2")] {
        assert_eq!(next_label(version), next);
    }
}

/// R090: said before anything else about the address is.
#[test]
fn another_address_than_of_the_web_is_refused() {
    for url in ["", "example.com", "ftp://example.com", "javascript:alert(1)"] {
        let fault = with(RecipeStep { url: url.into(), ..step() }).tool().expect_err("is no address of the web");
        assert_eq!(fault.to_string(), "the address must begin with http:// or https://", "{url}");
    }
}

/// R089: several requests, each of which may use what those before it got; nothing that a definition can say is lost by the form.
#[test]
fn several_requests_are_made_by_the_form_and_come_back() {
    let mut recipe = Recipe { retries: "3".into(), most_bytes: "1000".into(), per_minute: "9".into(), ..weather() };
    recipe.add_step();
    recipe.add_step();
    recipe.remove_step(1);
    recipe.add_step();
    let names: Vec<&str> = recipe.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["first", "third", "fourth"]);
    recipe.remove_step(2);
    recipe.steps[1] = RecipeStep {
        name: "second".into(),
        method: "POST".into(),
        url: "https://other.test/${steps.first.id}".into(),
        body: "{\"at\": \"${steps.first.places.0}\", \"who\": \"${who}\"}".into(),
        auth: "query".into(),
        auth_name: "key".into(),
        auth_value: "${OTHER_KEY}".into(),
        seconds: "7".into(),
        success: "200, 404".into(),
        otherwise: "empty".into(),
        output: "text".into(),
        ..RecipeStep::default()
    };
    assert_eq!(recipe.argument_names(), ["city", "days", "who"], "what a request got is no argument");
    assert_eq!(recipe.secret_names(), ["WEATHER_KEY", "OTHER_KEY"]);
    let tool = recipe.tool().expect("is filled in");
    let (http, schema) = (&tool["httpImpl"], &tool["argSchema"]);
    let read = HttpTool::read(http, &argument_names(Some(schema)), &HttpLimits::default()).expect("is right");
    assert_eq!((read.steps.len(), read.max_retries, read.max_response_bytes), (2, 3, 1000));
    assert_eq!(read.allowed_hosts, ["api.weather.test", "other.test"]);
    assert_eq!(
        http["steps"][1]["response"],
        json!({"successCodes": [200, 404], "errorMode": "empty", "bodyOutputMode": "text"})
    );
    let again = Recipe::of("Weather: Today!", "Says what it is like", http, Some(schema)).expect("has calls");
    assert_eq!(again.tool().expect("is filled in"), tool);
}

/// The last request stays, and a definition with one before its steps is read as what it means.
#[test]
fn a_tool_asks_at_least_once() {
    let mut recipe = weather();
    recipe.remove_step(0);
    assert_eq!(recipe.steps.len(), 1);
    let request = json!({"urlTemplate": "https://a.test/"});
    let mixed =
        json!({"allowedHosts": ["a.test"], "request": request, "steps": [{"name": "more", "request": request}]});
    let read = Recipe::of("x", "", &mixed, None).expect("has calls");
    let names: Vec<&str> = read.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["request", "more"]);
}

/// What a form does not show, or shows only roughly.
fn elaborate() -> (Value, Value) {
    let schema = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "enum": ["Rome", "Oslo"], "default": "Rome", "description": "Where"},
            "ID": {"type": ["string", "null"]},
            "anything": {"examples": [1]},
            "tags": {"type": "array", "items": {"type": "integer"}},
            "unused": {"type": "object"},
        },
        "required": ["unused", "city"],
        "$comment": "as written",
    });
    let http = json!({
        "request": {
            "method": "POST",
            "urlTemplate": "https://a.test/${city}/${ID}/${anything}/${tags}",
            "query": {"limit": 5},
            "headers": {"X-Key": "${lower_case_secret}"},
            "body": {"nested": {"city": "${city}", "key": "${KEY}"}},
            "timeoutMS": 1500,
        },
        "response": {"errorMode": "fail", "bodyOutputMode": "auto"},
        "allowedHosts": ["a.test"],
        "maxRetries": 0,
    });
    (http, schema)
}

/// R227: an edit keeps what it does not touch, also what the form does not show.
#[test]
fn what_is_not_touched_is_written_as_it_was() {
    let (http, schema) = elaborate();
    let recipe = Recipe::of("x", "", &http, Some(&schema)).expect("has one call");
    let tool = recipe.tool().expect("is filled in");
    assert_eq!((&tool["httpImpl"], &tool["argSchema"]), (&http, &schema));
    assert_eq!(tool["argSchema"].to_string(), schema.to_string(), "and in its order, so that references to it hold");
    assert_eq!(recipe.argument_names(), ["city", "ID", "anything", "tags"], "what is declared is an argument");
    assert_eq!(recipe.secret_names(), ["lower_case_secret", "KEY"], "and what is not, a secret");
}

/// What is touched is other, and nothing beside it.
#[test]
fn what_is_touched_is_changed_and_nothing_else() {
    let (http, schema) = elaborate();
    let mut recipe = Recipe::of("x", "", &http, Some(&schema)).expect("has one call");
    recipe.steps[0].url = "https://a.test/${city}/${tags}/${NEW_KEY}".into();
    recipe.steps[0].seconds = "3".into();
    recipe.arguments.get_mut("city").expect("is there").description = "Which city".into();
    let tags = recipe.arguments.get_mut("tags").expect("is there");
    (tags.kind, tags.required) = ("integer".into(), true);
    let tool = recipe.tool().expect("is filled in");
    let mut expected = http.clone();
    expected["request"]["urlTemplate"] = json!("https://a.test/${city}/${tags}/${NEW_KEY}");
    expected["request"]["timeoutMS"] = json!(3_000);
    assert_eq!(tool["httpImpl"], expected);
    assert_eq!(
        tool["argSchema"],
        json!({
            "type": "object",
            "properties": {
                "city": {"type": "string", "enum": ["Rome", "Oslo"], "default": "Rome", "description": "Which city"},
                "tags": {"type": "integer"},
                "unused": {"type": "object"},
            },
            "required": ["unused", "city", "tags"],
            "$comment": "as written",
        })
    );
    assert_eq!(recipe.secret_names(), ["NEW_KEY", "lower_case_secret", "KEY"]);
}
