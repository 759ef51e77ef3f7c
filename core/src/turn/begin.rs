//! Asking the model: at the beginning, and after every round of calls.

use crate::conversation::{Said, Sending, Sent};
use crate::model::{Draft, ModelRequest};
use crate::store::Commit;

use super::{Asking, AskingKind, At, State, Turn, TurnEffect, turn_mark};

/// What is kept free for the answer where nobody says how long it may be.
const USUAL_ANSWER: u64 = 4_096;

impl Turn {
    pub(super) fn submitted(&mut self, said: Said, at: &At<'_>) -> Vec<TurnEffect> {
        let State::Fresh = self.state else { return Vec::new() };
        self.chat.modified_at = at.now.max(self.chat.modified_at);
        self.path.push(said.message);
        let begins = said.commit.put(&turn_mark(&self.chat.id));
        vec![TurnEffect::Commit(Box::new(begins)), self.ask(at)]
    }

    pub(super) fn resumed(&mut self, at: &At<'_>) -> Vec<TurnEffect> {
        let State::Fresh = self.state else { return Vec::new() };
        let begins = Commit::relaxed().put(&turn_mark(&self.chat.id));
        vec![TurnEffect::Commit(Box::new(begins)), self.ask(at)]
    }

    /// Asks the model, with what was said so far. When the rounds are used up it is told so and gets no tools (C43).
    pub(super) fn ask(&mut self, at: &At<'_>) -> TurnEffect {
        let settings = &self.setup.model;
        let kind = if self.rounds >= self.setup.limits.rounds { AskingKind::Last } else { AskingKind::Open };
        let (tools, warning) = match kind {
            AskingKind::Open => (self.setup.offers.definitions(), None),
            AskingKind::Last => (Vec::new(), Some(warning(self.rounds))),
        };
        // A warning of its own between messages is refused by some providers, and forgotten at the beginning by none.
        let system: Vec<&str> = settings.system.as_deref().into_iter().chain(warning.as_deref()).collect();
        let system = (!system.is_empty()).then(|| system.join("\n\n"));
        let sending = Sending {
            model: &settings.name,
            system: system.as_deref(),
            budget: self.budget(),
            sees_images: settings.sees_images,
            files: Some(&self.setup.files),
        };
        let sent = Sent::of(&self.path, sending);
        let request = ModelRequest {
            model: settings.name.clone(),
            system: sent.system,
            messages: sent.messages,
            tools,
            temperature: settings.temperature,
            max_tokens: settings.max_tokens,
        };
        self.state = State::Asking(Asking {
            message: at.message_id(),
            draft: Draft::default(),
            kind,
            left_out: sent.left_out,
            tokens: sent.tokens,
        });
        TurnEffect::CallModel(Box::new(request))
    }

    /// What the conversation may cost: what the model takes, less its answer and the tools; less still where it was too much before.
    fn budget(&self) -> Option<u64> {
        let settings = &self.setup.model;
        let known = settings.context_tokens.map(|whole| {
            let answer = settings.max_tokens.map_or(USUAL_ANSWER, u64::from).min(whole / 2);
            whole.saturating_sub(answer).saturating_sub(self.setup.offers.tokens())
        });
        known.into_iter().chain(self.shrunk).min()
    }
}

/// What the model is told when the rounds are used up (R192).
fn warning(rounds: u32) -> String {
    format!(
        "You have reached the maximum of {rounds} rounds of tool calls for this turn. Tools are no longer available. \
         Answer now with what you have, and say what is missing."
    )
}
