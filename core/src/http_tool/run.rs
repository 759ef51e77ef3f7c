//! A call of a tool as it goes on: what happened in, what to do out. It knows neither time nor chance nor network; who drives it does.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use super::definition::{ErrorMode, HttpTool, Step};
use super::limits::HttpLimits;
use super::output::{self, Output};
use super::redirect::{self, RedirectFault};
use super::request::PlainRequest;
use super::retry::{self, Trouble};
use super::template::Values;
use crate::time::Timestamp;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It begins.
    Begin,
    /// A host answered.
    Answered(Answered),
    /// No answer came.
    Failed(Trouble),
    /// The time to wait is over.
    Waited,
}

/// An answer of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body, which is within the tool's limit.
    pub body: Vec<u8>,
}

impl Answered {
    /// The media type, empty where none is said.
    #[must_use]
    pub fn media_type(&self) -> &str {
        let header = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        header.map_or("", |(_, value)| value.as_str())
    }
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send this, and tell what comes of it.
    Send(PlainRequest),
    /// Wait this long.
    Wait(Duration),
    /// It is over.
    Done(Outcome),
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The last call was answered; what is made of that is [`read_output`](super::read_output)'s.
    Answered(Answered),
    /// The last call gave nothing, and that is no failure.
    Empty,
    /// It failed: a sentence.
    Failed {
        /// What happened.
        message: String,
        /// Whether it was refused, because of where it would go or what it lacks, so that nothing was sent.
        is_refused: bool,
    },
}

/// A call under way.
pub struct Run<'a> {
    tool: &'a HttpTool,
    arguments: &'a Map<String, Value>,
    secrets: &'a BTreeMap<String, String>,
    limits: HttpLimits,
    answers: BTreeMap<String, Value>,
    at: usize,
    tries: u32,
    redirects: u32,
    request: Option<PlainRequest>,
}

impl<'a> Run<'a> {
    /// A call that has not begun. `secrets` has a value for each name of [`HttpTool::secrets`] that has one.
    #[must_use]
    pub fn new(
        tool: &'a HttpTool,
        arguments: &'a Map<String, Value>,
        secrets: &'a BTreeMap<String, String>,
        limits: HttpLimits,
    ) -> Self {
        Self {
            tool,
            arguments,
            secrets,
            limits,
            answers: BTreeMap::new(),
            at: 0,
            tries: 0,
            redirects: 0,
            request: None,
        }
    }

    /// What to do next. `chance` is any number, all equally likely.
    pub fn handle(&mut self, event: Event, now: Timestamp, chance: u32) -> Effect {
        match event {
            Event::Begin => self.begin_step(),
            Event::Waited => self.send_again(),
            Event::Failed(trouble) => self.failed(trouble, chance),
            Event::Answered(answer) if redirect::leads_on(answer.status) && !self.wants(answer.status) => {
                self.lead_on(&answer)
            }
            Event::Answered(answer) => self.answered(answer, now, chance),
        }
    }

    fn step(&self) -> &'a Step {
        &self.tool.steps[self.at]
    }

    /// Whether the author named the status as a success.
    fn wants(&self, status: u16) -> bool {
        self.step().response.success_codes.contains(&status)
    }

    fn begin_step(&mut self) -> Effect {
        let values = Values { arguments: self.arguments, secrets: self.secrets, answers: &self.answers };
        match self.step().request.fill(values, &self.tool.allowed_hosts, &self.limits) {
            Ok(request) => {
                (self.tries, self.redirects) = (1, 0);
                self.request = Some(request.clone());
                Effect::Send(request)
            }
            Err(fault) => refused(self.told(fault.to_string())),
        }
    }

    fn send_again(&mut self) -> Effect {
        match self.request.clone() {
            Some(request) => {
                self.tries += 1;
                Effect::Send(request)
            }
            None => self.begin_step(),
        }
    }

    fn failed(&self, trouble: Trouble, chance: u32) -> Effect {
        let Trouble { message, kind } = trouble;
        if self.tries <= self.tool.max_retries && retry::may_pass(kind, self.step().request.only_asks()) {
            return Effect::Wait(retry::back_off(self.tries, chance));
        }
        let message = self.told(message);
        match kind {
            retry::TroubleKind::Refused => refused(message),
            retry::TroubleKind::NotSent
            | retry::TroubleKind::Lost
            | retry::TroubleKind::TimedOut
            | retry::TroubleKind::TooLarge => failed(message),
        }
    }

    fn lead_on(&mut self, answer: &Answered) -> Effect {
        let Some(request) = &self.request else { return failed("an answer came that nobody asked for".into()) };
        let followed = redirect::follow(request, answer.status, &answer.headers, &self.tool.allowed_hosts);
        let followed = followed.and_then(|next| {
            self.redirects += 1;
            let host = crate::network::Address::parse(&request.url).map(|from| from.granted_as()).unwrap_or_default();
            let most = self.limits.redirects;
            if self.redirects > most { Err(RedirectFault::TooMany { host, most }) } else { Ok(next) }
        });
        match followed {
            Ok(next) => {
                self.request = Some(next.clone());
                Effect::Send(next)
            }
            Err(fault) => refused(self.told(fault.to_string())),
        }
    }

    fn answered(&mut self, answer: Answered, now: Timestamp, chance: u32) -> Effect {
        let step = self.step();
        if !step.response.is_success(answer.status) {
            if self.tries <= self.tool.max_retries && retry::may_change(answer.status, step.request.only_asks()) {
                match retry::wait_after(&answer.headers, self.tries, chance, now, &self.limits) {
                    Ok(wait) => return Effect::Wait(wait),
                    Err(asked) => {
                        let seconds = asked.as_secs();
                        let message =
                            format!("answered {} and asks to wait {seconds} s; call it again then", answer.status);
                        return failed(self.told(message));
                    }
                }
            }
            return match step.response.error_mode {
                ErrorMode::Fail => failed(self.told(output::failure(&answer))),
                ErrorMode::Empty => self.next(Value::Null),
            };
        }
        if self.at + 1 == self.tool.steps.len() {
            return Effect::Done(Outcome::Answered(answer));
        }
        match output::read_output(answer, &step.response) {
            Ok(Output::Value(value)) => self.next(value),
            Ok(Output::File { bytes, .. }) => self.next(String::from_utf8_lossy(&bytes).into_owned().into()),
            Err(fault) => failed(self.told(fault.to_string())),
        }
    }

    fn next(&mut self, value: Value) -> Effect {
        if self.at + 1 == self.tool.steps.len() {
            return Effect::Done(Outcome::Empty);
        }
        self.answers.insert(self.step().name.clone(), value);
        self.at += 1;
        self.request = None;
        self.begin_step()
    }

    /// A sentence, with the call it is about where there are several and how often it was tried.
    fn told(&self, message: String) -> String {
        let tries = if self.tries > 1 { format!(" (after {} tries)", self.tries) } else { String::new() };
        match self.tool.steps.len() {
            1 => format!("{message}{tries}"),
            _ => format!("{}: {message}{tries}", self.step().name),
        }
    }
}

fn failed(message: String) -> Effect {
    Effect::Done(Outcome::Failed { message, is_refused: false })
}

fn refused(message: String) -> Effect {
    Effect::Done(Outcome::Failed { message, is_refused: true })
}
