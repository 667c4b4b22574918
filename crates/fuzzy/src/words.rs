//! How the words of a query match a path together.

use crate::index::Index;
use crate::name::{find_in_name, is_word, squashed, stem_length};
use crate::runs::{abbreviation, is_transparent, stands_for_directory};
use crate::score::{Hit, TIER_SPAN, Tier};
use crate::word_search::WordSearch;

/// The cost of a word inside another word of the name, and of one in its extension.
const INSIDE: u32 = 60;
const IN_EXTENSION: u32 = 15;
/// The cost of a word that was typed with other punctuation.
const OTHER_PUNCTUATION: u32 = 20;
/// The cost of letters of a word of the name, of which others are left out.
const ABBREVIATED: u32 = 100;
/// The cost of a word in a directory, and what a worse match of it costs.
const IN_DIRECTORY: u32 = 10;
const BEST_DIRECTORY: u32 = 950;
const DIRECTORY_SHARE: u32 = 5;
/// What a word in the name costs less if the directory has that name too.
const IN_BOTH: u32 = 10;
/// The cost of the letters of the stem that were not typed: of any, of all, and of each.
const OPEN_STEM: u32 = 10;
const STEM: u32 = 150;
const STEM_LETTER: u32 = 6;
/// The cost of a file that stands for the directory with that name.
const STANDS_FOR: u32 = 30;
/// The cost of words that are not in the order of the path.
const OTHER_ORDER: u32 = 15;
/// The cost of each directory above an entry.
const DEPTH: u32 = 3;

/// The hit if each word occurs as a whole, in the base name or in a directory. `None` if one does not.
pub(crate) fn words_hit(words: &[WordSearch], index: &Index, entry: usize, path: &[u8]) -> Option<Hit> {
    if words.iter().any(|word| word.is_path) {
        return None;
    }
    let name = index.name(entry);
    let text = &path[path.len() - name.len()..];
    let mut directory = index.directory(entry);
    let depth = DEPTH * index.depth(directory) as u32;
    let (in_name, mut cost) = cost(words, directory, text, name, index.mask(entry))?;
    let mut tier = if in_name { Tier::Runs } else { Tier::Path };
    if stands_for_directory(name) {
        while is_transparent(index.segment(directory).1) {
            directory = index.parent(directory);
        }
        let (text, name) = index.segment(directory);
        let mask = index.directory_mask(directory);
        if let Some((true, of_directory)) = self::cost(words, index.parent(directory), text, name, mask)
            && (!in_name || of_directory + STANDS_FOR < cost)
        {
            (tier, cost) = (Tier::Runs, of_directory + STANDS_FOR);
        }
    }
    let other_case: u32 = words.iter().map(|word| word.other_case(path)).sum();
    Some(Hit { tier, quality: (TIER_SPAN - 1).saturating_sub(cost + depth + other_case).max(1) })
}

/// Whether a word occurs in a name in `directory`, and the cost if each occurs there or above. `mask` covers the characters
/// of the name.
fn cost(words: &[WordSearch], directory: usize, text: &[u8], name: &[u8], mask: u64) -> Option<(bool, u32)> {
    let stem = stem_length(name);
    let mut typed = 0_u128;
    let (mut cost, mut in_name, mut in_order, mut last) = (0_u32, false, true, 0);
    for word in words {
        let wanted = &word.word.folded;
        let above = word.above(directory);
        let of_directory = IN_DIRECTORY + BEST_DIRECTORY.saturating_sub(above) / DIRECTORY_SHARE;
        let may_be_in_name = word.needs[0] & !mask == 0;
        if !may_be_in_name && above == 0 {
            return None;
        }
        let found = if may_be_in_name { find_in_name(wanted, text, name) } else { None };
        let of_name = found.map(|(tier, at)| {
            let cost = match tier {
                Tier::Substring => INSIDE,
                _ if at >= stem => IN_EXTENSION,
                _ => 0,
            };
            (cost, at)
        });
        match of_name {
            Some((of_name, at)) if above == 0 || of_name < of_directory => {
                typed |= bits(at, wanted.len());
                cost += of_name;
                if above > 0 && of_directory <= 2 * IN_DIRECTORY && of_name == 0 {
                    cost = cost.saturating_sub(IN_BOTH);
                }
                in_order &= at >= last;
                last = at;
                in_name = true;
            }
            _ if above > 0 => {
                cost += of_directory;
                in_order &= !in_name;
            }
            _ => {
                let letters = &word.word.letters;
                if let Some((start, end)) = squashed(letters, text, name).next() {
                    typed |= bits(start, end - start);
                    in_order &= start >= last;
                    last = start;
                    cost += if word.is_punctuated { OTHER_PUNCTUATION } else { 0 };
                } else {
                    typed |= abbreviation(letters, text, name)?;
                    cost += ABBREVIATED;
                }
                in_name = true;
            }
        }
    }
    if in_name {
        let letters = |typed: u128| {
            let is_left = |&at: &usize| is_word(name[at]) && (at >= 128 || typed >> at & 1 == 0);
            (0..stem).filter(is_left).count() as u32
        };
        let (left, all) = (letters(typed), letters(0).max(1));
        cost += STEM * left / all + STEM_LETTER * left + if left > 0 { OPEN_STEM } else { 0 };
    }
    Some((in_name, cost + if in_order { 0 } else { OTHER_ORDER }))
}

/// The bits of `length` bytes from `at`, as far as there are bits.
fn bits(at: usize, length: usize) -> u128 {
    let below = |end: usize| if end >= 128 { u128::MAX } else { (1 << end) - 1 };
    below(at + length) & !below(at)
}
