use super::*;
use proptest::prelude::*;

fn align(needle: &str, text: &str) -> Option<(u32, Vec<usize>)> {
    let mut positions = Vec::new();
    let letters = Letters::new(needle.as_bytes());
    let folded = text.to_ascii_lowercase();
    letters.trace(text.as_bytes(), folded.as_bytes(), &mut positions);
    Some((letters.quality_in(text.as_bytes(), folded.as_bytes())?, positions))
}

fn occurs(needle: &str, text: &str) -> bool {
    let mut rest = text.bytes();
    needle.bytes().all(|wanted| rest.any(|byte| byte == wanted))
}

#[test]
fn positions_prefer_word_beginnings() {
    for (reason, needle, text, expected) in [
        ("consecutive", "core", "score_core", vec![6, 7, 8, 9]),
        ("after separators", "sc", "ascii_s_core", vec![6, 8]),
        ("camel case", "fb", "fabFooBar", vec![3, 6]),
        ("the first digit of a number", "u2", "u_a12b22", vec![0, 6]),
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

#[test]
fn letters_far_apart_still_align() {
    let text = format!("a{}b", "x".repeat(4096));
    assert_eq!(align("ab", &text), Some((1, vec![0, 4097])));
}

/// The best score of every way to place the needle, by the same rules.
fn best(needle: &[u8], text: &[u8], from: usize, previous: Option<(usize, usize)>, so_far: i16) -> i16 {
    let Some((&wanted, rest)) = needle.split_first() else { return so_far };
    let mut best_score = IMPOSSIBLE;
    for at in from..text.len() {
        if text[at] != wanted {
            continue;
        }
        let bonus = bonus_at(text, at);
        let (score, begun) = match previous {
            None => (MATCH + bonus * FIRST_FACTOR, at),
            Some((last, begun)) if last + 1 == at => (MATCH + bonus.max(bonus_at(text, begun)).max(CONSECUTIVE), begun),
            Some((last, _)) => {
                let gap = (at - last - 1) as i16;
                (MATCH + bonus + GAP_START + GAP_EXTENSION * (gap - 1), at)
            }
        };
        best_score = best_score.max(best(rest, text, at + 1, Some((at, begun)), so_far + score));
    }
    best_score
}

proptest! {
    #[test]
    fn aligned_positions_ascend_and_spell_the_needle(needle in "[ab/_]{1,20}", text in "[abAB/_.]{0,30}") {
        let folded = text.to_ascii_lowercase();
        match align(&needle, &text) {
            Some((quality, positions)) => {
                prop_assert!((1..=1000).contains(&quality));
                prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
                let spelled: Vec<u8> = positions.iter().map(|&at| folded.as_bytes()[at]).collect();
                prop_assert_eq!(spelled, needle.as_bytes());
            }
            None => prop_assert!(!occurs(&needle, &folded)),
        }
    }

    #[test]
    fn no_other_alignment_of_the_same_needle_scores_higher(needle in "[ab]{1,4}", text in "[ab/]{0,10}") {
        prop_assume!(align(&needle, &text).is_some());
        let (quality, _) = align(&needle, &text).expect("just assumed");
        let max_possible = needle.len() as i32 * i32::from(MATCH + BOUNDARY) + i32::from(BOUNDARY);
        let optimal = i32::from(best(needle.as_bytes(), text.as_bytes(), 0, None, 0)) * 1000 / max_possible;
        prop_assert!(quality as i32 <= optimal.max(1));
    }

    #[test]
    fn a_text_may_be_read_in_parts(needle in "[ab]{1,4}", text in "[abA/]{0,12}", cut in 0_usize..12) {
        // A word may begin after the cut, so it is after a slash that texts are cut.
        let cut = text[..cut.min(text.len())].rfind('/').map_or(0, |slash| slash + 1);
        let folded = text.to_ascii_lowercase();
        let letters = Letters::new(needle.as_bytes());
        let mut aligned = letters.start();
        for part in [0..cut, cut..text.len()] {
            letters.read(&mut aligned, &text.as_bytes()[part.clone()], &folded.as_bytes()[part]);
        }
        prop_assert_eq!(letters.quality(&aligned), letters.quality_in(text.as_bytes(), folded.as_bytes()));
    }
}
