use proptest::prelude::*;

use super::*;

fn typos_in(word: &str, name: &str) -> usize {
    Alphabet::new(word.as_bytes()).expect("a short word").typos_in_name(name.as_bytes(), TYPO_LEVELS - 1)
}

/// The optimal string alignment distance of `word` to any part of `name`, by its definition.
fn distance(word: &[char], name: &[char]) -> usize {
    let width = name.len() + 1;
    let mut table = vec![0; (word.len() + 1) * width];
    for row in 1..=word.len() {
        table[row * width] = row;
        for column in 1..width {
            let at = row * width + column;
            let same = word[row - 1] == name[column - 1];
            let mut best = table[at - width - 1] + usize::from(!same);
            best = best.min(table[at - width] + 1).min(table[at - 1] + 1);
            if row > 1 && column > 1 && word[row - 1] == name[column - 2] && word[row - 2] == name[column - 1] {
                best = best.min(table[at - 2 * width - 2] + 1);
            }
            table[at] = best;
        }
    }
    table[word.len() * width..].iter().copied().min().unwrap_or(word.len())
}

#[test]
fn words_that_are_too_long_have_no_alphabet() {
    assert!(Alphabet::new(&[b'a'; MAX_LETTERS]).is_some());
    assert!(Alphabet::new(&[b'a'; MAX_LETTERS + 1]).is_none());
    assert_eq!(typos_in(&"a".repeat(MAX_LETTERS), &"a".repeat(MAX_LETTERS)), 0);
}

#[test]
fn separators_are_not_typos() {
    assert_eq!(typos_in("schedcore", "x_sched_core.c"), 0);
    assert_eq!(typos_in("shcedcore", "x_sched_core.c"), 1);
    assert_eq!(typos_in("schedulercore", "x_s_c_h_e_d_u_l_e_r_c_o_r_e.c"), 0);
    assert_eq!(typos_in("schedulercoré", "x_s_c_h_e_d_u_l_e_r_c_o_r_é.c"), 0);
}

proptest! {
    #[test]
    fn typos_in_a_name_are_the_distance_to_a_part_of_it(
        word in prop_oneof!["[a-d]{3,9}", "[a-dé]{3,9}"],
        name in prop_oneof!["[a-d]{0,12}", "[a-d_.]{0,16}", "[a-d_é]{0,16}"],
    ) {
        let letters = |text: &str| -> Vec<char> { text.chars().filter(|letter| letter.is_alphanumeric()).collect() };
        let by_definition = distance(&letters(&word), &letters(&name));
        let alphabet = Alphabet::new(word.as_bytes()).unwrap();
        for max in 0..TYPO_LEVELS {
            let expected = if by_definition > max { TYPO_LEVELS } else { by_definition };
            prop_assert_eq!(alphabet.typos_in_name(name.as_bytes(), max), expected, "at most {}", max);
        }
    }
}
