//! What is left out where a model takes less than there is (R320).

use super::{AssistantTurn, Entry, What, join_text};
use crate::ids::MessageId;
use crate::model::{ModelMessage, tokens_of_message};

/// What stands where something is left out.
const NOTE: &str = "[Some of the conversation is left out here, because it is longer than what can be sent.]";

/// Leaves out whole rounds until the rest fits: first the answers to the first message and the rounds after it, then the steps of the
/// last round. The first message, the last one of the user and the last step always stay.
pub(super) fn fit(entries: Vec<Entry>, budget: Option<u64>) -> (Vec<Entry>, Vec<MessageId>) {
    let costs: Vec<u64> = entries.iter().map(cost).collect();
    let mut total: u64 = costs.iter().sum();
    let Some(budget) = budget.filter(|budget| total > *budget) else { return (entries, Vec::new()) };
    let note = cost(&note_entry());
    let mut out = vec![false; entries.len()];
    for (first, end) in rounds(&entries) {
        if total <= budget {
            break;
        }
        // The note in place of the first costs too; those that follow share it.
        total += if first > 0 && out[first - 1] { 0 } else { note };
        out[first..end].fill(true);
        total = total.saturating_sub(costs[first..end].iter().sum());
    }
    let left_out = entries.iter().zip(&out).filter(|(_, out)| **out).flat_map(|(entry, _)| entry.ids.clone()).collect();
    (marked(entries, &out), left_out)
}

fn cost(entry: &Entry) -> u64 {
    match &entry.what {
        What::User(parts) => tokens_of_message(&ModelMessage::User(parts.clone())),
        What::Assistant(said, answers) => {
            let answers = answers.iter().map(|answer| tokens_of_message(&ModelMessage::Tool(answer.clone())));
            tokens_of_message(&ModelMessage::Assistant(said.clone())) + answers.sum::<u64>()
        }
    }
}

/// What may be left out, as ranges, in the order in which it goes.
fn rounds(entries: &[Entry]) -> Vec<(usize, usize)> {
    let is_user = |entry: &Entry| match entry.what {
        What::User(_) => true,
        What::Assistant(..) => false,
    };
    let users: Vec<usize> = (0..entries.len()).filter(|at| is_user(&entries[*at])).collect();
    let mut rounds: Vec<(usize, usize)> = users.windows(2).map(|pair| (pair[0], pair[1])).collect();
    // Of the first round the user's message stays.
    if let Some(first) = rounds.first_mut() {
        first.0 += 1;
    }
    let last = users.last().copied().unwrap_or_default();
    rounds.extend((last + 1..entries.len().saturating_sub(1)).map(|at| (at, at + 1)));
    rounds.retain(|(first, end)| first < end);
    rounds
}

fn note_entry() -> Entry {
    let said = AssistantTurn { text: NOTE.into(), ..AssistantTurn::default() };
    Entry { ids: Vec::new(), what: What::Assistant(said, Vec::new()) }
}

/// The rest, with a note in every gap, said by the model so that voices still alternate.
fn marked(entries: Vec<Entry>, out: &[bool]) -> Vec<Entry> {
    let (mut rest, mut gap): (Vec<Entry>, bool) = (Vec::new(), false);
    for (mut entry, out) in entries.into_iter().zip(out) {
        if *out {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            match &mut entry.what {
                What::User(_) => rest.push(note_entry()),
                What::Assistant(said, _) => {
                    let mut text = NOTE.to_owned();
                    join_text(&mut text, &said.text);
                    said.text = text;
                }
            }
        }
        rest.push(entry);
    }
    rest
}
