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
            Argument { kind: "integer".into(), required: false, description: "How many".into() },
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
