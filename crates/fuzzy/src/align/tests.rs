use super::*;
use proptest::prelude::*;

fn align(needle: &str, text: &str) -> Option<(u32, Vec<usize>)> {
    let mut positions = Vec::new();
    let quality = Aligner::default().align(
        needle.as_bytes(),
        text.as_bytes(),
        text.to_ascii_lowercase().as_bytes(),
        Some(&mut positions),
    )?;
    Some((quality, positions))
}

#[test]
fn positions_prefer_word_beginnings() {
    for (reason, needle, text, expected) in [
        ("consecutive", "core", "score_core", vec![6, 7, 8, 9]),
        ("after separators", "sc", "ascii_s_core", vec![6, 8]),
        ("camel case", "fb", "fabFooBar", vec![3, 6]),
        ("the whole", "abc", "abc", vec![0, 1, 2]),
    ] {
        assert_eq!(align(needle, text).map(|(_, positions)| positions), Some(expected), "{reason}: {needle} in {text}");
    }
}

#[test]
fn what_does_not_occur_in_order_does_not_align() {
    for (needle, text) in [("ba", "ab"), ("abc", "ab"), ("x", ""), ("aa", "a")] {
        assert_eq!(align(needle, text), None, "{needle} in {text}");
    }
}

#[test]
fn a_character_of_several_bytes_is_not_torn_apart() {
    // The bytes of é (C3 A9) occur in order in ä (C3 A4) and © (C2 A9), the character does not.
    assert_eq!(align("é", "ä©"), None);
    assert_eq!(align("é", "ä©é").map(|(_, positions)| positions), Some(vec![4, 5]));
}

/// The best score of every way to place the needle, by the same rules.
fn best(needle: &[u8], text: &[u8], from: usize, previous: Option<(usize, usize)>, so_far: i32) -> i32 {
    let Some((&wanted, rest)) = needle.split_first() else { return so_far };
    let mut most = IMPOSSIBLE;
    for at in from..text.len() {
        if text[at] != wanted {
            continue;
        }
        let bonus = bonus_at(text, at);
        let (score, begun) = match previous {
            None => (MATCH + bonus * FIRST_FACTOR, at),
            Some((last, begun)) if last + 1 == at => (MATCH + bonus.max(bonus_at(text, begun)).max(CONSECUTIVE), begun),
            Some((last, _)) => {
                let gap = (at - last - 1) as i32;
                (MATCH + bonus + GAP_START + GAP_EXTENSION * (gap - 1), at)
            }
        };
        most = most.max(best(rest, text, at + 1, Some((at, begun)), so_far + score));
    }
    most
}

proptest! {
    #[test]
    fn aligned_positions_ascend_and_spell_the_needle(needle in "[ab/_]{1,5}", text in "[abAB/_.]{0,24}") {
        let folded = text.to_ascii_lowercase();
        match align(&needle, &text) {
            Some((quality, positions)) => {
                prop_assert!((1..=1000).contains(&quality));
                prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
                let spelled: Vec<u8> = positions.iter().map(|&at| folded.as_bytes()[at]).collect();
                prop_assert_eq!(spelled, needle.as_bytes());
            }
            None => prop_assert!(occurrence(needle.as_bytes(), folded.as_bytes()).is_none()),
        }
    }

    #[test]
    fn no_other_alignment_of_the_same_needle_scores_higher(needle in "[ab]{1,4}", text in "[ab/]{0,10}") {
        prop_assume!(align(&needle, &text).is_some());
        let (quality, _) = align(&needle, &text).expect("just assumed");
        let most_possible = needle.len() as i32 * (MATCH + BOUNDARY) + BOUNDARY;
        let optimal = best(needle.as_bytes(), text.as_bytes(), 0, None, 0) * 1000 / most_possible;
        prop_assert!(quality as i32 <= optimal.max(1));
    }
}
