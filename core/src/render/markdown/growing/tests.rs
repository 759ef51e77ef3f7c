//! Documents that grow, in one piece and letter by letter.

use proptest::prelude::{prop_assert_eq, proptest};

use super::*;

/// A document put together from what was certain and what is open in the end.
fn grown(pieces: &[&str]) -> (GrowingDocument, Vec<Growth>, Vec<Block>) {
    let mut document = GrowingDocument::default();
    let growth: Vec<Growth> = pieces.iter().flat_map(|piece| document.add(piece)).collect();
    let (mut blocks, mut wholes) = (Vec::new(), Vec::new());
    for one in growth.clone() {
        match one {
            Growth::Block(block) => {
                wholes.push(blocks.len());
                blocks.push(block);
            }
            Growth::Begin(block) => blocks.push(block),
            Growth::More(block) => add(&mut blocks, block),
            Growth::Again { at, block } => blocks[wholes[at]] = block,
            Growth::End => {}
        }
    }
    for (at, block) in document.open().into_iter().enumerate() {
        if document.is_inside() && at == 0 { add(&mut blocks, block) } else { blocks.push(block) }
    }
    (document, growth, blocks)
}

/// Adds more of the last block to it; what is of another kind follows it.
fn add(blocks: &mut Vec<Block>, more: Block) {
    match (blocks.last_mut(), more) {
        (Some(Block::Code { text, .. }), Block::Code { text: more, .. }) => text.push_str(&more),
        (Some(Block::List { items, .. }), Block::List { items: more, .. }) => items.extend(more),
        (Some(Block::Table { rows, .. }), Block::Table { rows: more, .. }) => rows.extend(more),
        (_, block) => blocks.push(block),
    }
}

fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

fn check(text: &str) {
    let letters = letters(text);
    let pieces: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(grown(&pieces).2, markdown(text), "{text}");
    assert_eq!(grown(&[text]).2, markdown(text), "{text}");
}

#[test]
fn a_block_is_closed_by_the_next_one() {
    let pieces = ["# One\n", "\nTw", "o\n\n- a\n", "- b\n\n```py\nx = 1\n\n", "y = 2\n```\n", "End"];
    let (_, growth, all) = grown(&pieces);
    assert_eq!(all, markdown(&pieces.concat()));
    let word = |growth: &Growth| match growth {
        Growth::Block(_) => "block",
        Growth::Begin(_) => "begin",
        Growth::More(_) => "more",
        Growth::Again { .. } => "again",
        Growth::End => "end",
    };
    let words: Vec<&str> = growth.iter().map(word).collect();
    assert_eq!(words, ["block", "block", "block", "begin", "more", "more", "end"]);
}

#[test]
fn words_are_closed_by_a_blank_line() {
    let (_, growth, all) = grown(&["It has *two*\nbanks.\n", "\n", "The"]);
    assert_eq!(growth, markdown("It has *two*\nbanks.\n").into_iter().map(Growth::Block).collect::<Vec<_>>());
    assert_eq!(all, markdown("It has *two*\nbanks.\n\nThe"));
}

#[test]
fn a_paragraph_may_become_a_headline_or_a_table() {
    for text in ["Head\n===\n\nx", "a|b\n-|-\n1|2\n\nx", "    code\n\nx\n\n    code\n"] {
        check(text);
    }
}

#[test]
fn what_grows_is_what_it_would_be_at_once() {
    for text in [
        "```py\na\n  b\n\n```\nx",
        "  ~~~~ rust x\n  a\n   b\n ~~~\n~~~~~\n\nx",
        "```\nnever closed",
        "``` a`b\nno code\n",
        "- a\n- b\n  1. c\n  2. d\n\n- e\n\n  more\n- [x] f\n\nend",
        "3. a\n4. b\n5. c\n\n\n* other\n* list\n- third\n",
        "- a\n- b\n***\n- c\n",
        "|a|b|\n|-|-|\n|1|2|\n|3|4\n5\n\n> q\n",
        "|a|b|\n|-|-|\n|1|2|\n# head\n",
    ] {
        check(text);
    }
}

/// A link may be defined before, behind or at the very end; what was given without its address is given again.
#[test]
fn links_are_found_wherever_they_are_defined() {
    for text in [
        "[a]: https://a.test\n\nSee [a] and [*b*][a].\n\nEnd",
        "See [a] and [b].\n\n# More\n\n[a]: https://a.test\n\nWords.\n\n[b]: https://b.test \"B\"\n",
        "See [a].\n\n[a]:\n  https://a.test\n  'a title'\n\n- [a]\n- x\n\nend\n",
        "A [picture][p] here.\n\n> [p]: https://p.test\n\n|[p]|b|\n|-|-|\n|1|[p]|\n",
        "See [nobody].\n\n[other]: https://x.test\n[other]: https://second.test\n\n[other]\n",
    ] {
        check(text);
    }
    let (_, growth, _) = grown(&["See [a].\n\nNext.\n\n", "[a]: https://a.test\n"]);
    let again = markdown("See [a].\n\n[a]: https://a.test\n").remove(0);
    assert_eq!(growth.last(), Some(&Growth::Again { at: 0, block: again }));
    assert_eq!(growth.len(), 3);
}

/// P9: what is left to be read anew does not grow with the document.
#[test]
fn long_blocks_leave_little_open() {
    for (begin, line) in [("```py\n", "x = 1\n"), ("", "- a thing of the list\n"), ("|a|b|\n|-|-|\n", "|1|2|\n")] {
        let mut document = GrowingDocument::default();
        document.add(begin);
        for _ in 0..1_000 {
            document.add(line);
            assert!(document.tail.len() <= line.len(), "{line}: {}", document.tail.len());
        }
    }
}

proptest! {
    /// However it comes, it is the same in the end. (What refers to something that is said later is left out: it is closed before.)
    #[test]
    fn pieces_make_the_whole(text in "(# a|\\* b|- b|> c|d e|`f`|\\|g\\|h\\||\\|-\\|-\\||```|    h|  i|1\\. i|---|\n|\n\n){0,24}", cut in 1_usize..9) {
        let letters: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = letters.chunks(cut).map(|piece| piece.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        prop_assert_eq!(grown(&pieces).2, markdown(&text));
    }
}
