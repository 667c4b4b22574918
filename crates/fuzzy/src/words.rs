//! How the words of a query match a path together.

use crate::abbreviation::{abbreviation, bits, with_typo};
use crate::index::Index;
use crate::name::{find_in_name, is_transparent, is_word, squashed, stands_for_directory, stem_length};
use crate::score::{Hit, TIER_SPAN, Tier};
use crate::word_search::WordSearch;

/// The cost of a word inside another word of the name, and of one in its extension.
const INSIDE: u32 = 60;
const IN_EXTENSION: u32 = 15;
/// The cost of a word that was typed with other punctuation.
const OTHER_PUNCTUATION: u32 = 20;
/// The cost of letters of a word of the name whose other letters are left out.
const ABBREVIATED: u32 = 100;
/// The cost of a typo, of each letter of a directory that a word with a typo leaves out, and of each level below that directory.
const TYPO: u32 = 60;
const DIRECTORY_LETTER: u32 = 10;
const FARTHER: u32 = 6;
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
    hit::<false>(words, index, entry, path, 0).map(|(_, hit)| hit)
}

/// [`words_hit`] if at most `max` words have a typo, and how many have one.
pub(crate) fn words_hit_with_typos(
    words: &[WordSearch],
    index: &Index,
    entry: usize,
    path: &[u8],
    max: usize,
) -> Option<(usize, Hit)> {
    hit::<true>(words, index, entry, path, max)
}

// Generic, so that a search without typos does not pay for them.
fn hit<const WITH_TYPOS: bool>(
    words: &[WordSearch],
    index: &Index,
    entry: usize,
    path: &[u8],
    max: usize,
) -> Option<(usize, Hit)> {
    if words.iter().any(|word| word.is_path) {
        return None;
    }
    let name = index.name(entry);
    let text = &path[path.len() - name.len()..];
    let mut directory = index.directory(entry);
    let depth = DEPTH * index.depth(directory) as u32;
    let Explained { in_name, mut typos, mut cost } =
        cost::<WITH_TYPOS>(words, index, directory, text, name, index.mask(entry), max)?;
    let mut tier = if in_name { Tier::Runs } else { Tier::Path };
    if stands_for_directory(name) {
        while is_transparent(index.segment(directory).1) {
            directory = index.parent(directory);
        }
        let (text, name) = index.segment(directory);
        let mask = index.directory_mask(directory);
        let of_directory = self::cost::<WITH_TYPOS>(words, index, index.parent(directory), text, name, mask, max);
        if let Some(of_directory) = of_directory.filter(|of_directory| of_directory.in_name)
            && (!in_name || of_directory.cost + STANDS_FOR < cost)
        {
            (tier, typos, cost) = (Tier::Runs, of_directory.typos, of_directory.cost + STANDS_FOR);
        }
    }
    let other_case: u32 = words.iter().map(|word| word.other_case(path)).sum();
    Some((typos, Hit { tier, quality: (TIER_SPAN - 1).saturating_sub(cost + depth + other_case).max(1) }))
}

/// How words occur in a name and in the directories above.
struct Explained {
    /// Whether one occurs in the name.
    in_name: bool,
    typos: usize,
    cost: u32,
}

/// How the words occur in a name in `directory` and in the directories above, if each does. `mask` covers the characters of the
/// name.
fn cost<const WITH_TYPOS: bool>(
    words: &[WordSearch],
    index: &Index,
    directory: usize,
    text: &[u8],
    name: &[u8],
    mask: u64,
    max: usize,
) -> Option<Explained> {
    let stem = stem_length(name);
    let mut typed = 0_u128;
    let (mut cost, mut in_name, mut in_order, mut last, mut typos) = (0_u32, false, true, 0, 0);
    for word in words {
        let wanted = &word.word.folded;
        let above = word.above(directory);
        let of_directory = IN_DIRECTORY + BEST_DIRECTORY.saturating_sub(above) / DIRECTORY_SHARE;
        let may_be_in_name = word.needs[0] & !mask == 0;
        if !may_be_in_name && above == 0 && !WITH_TYPOS {
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
                } else if let Some(places) = abbreviation(letters, text, name) {
                    typed |= places;
                    cost += ABBREVIATED;
                } else if WITH_TYPOS && word.typos > 0 && typos < max && wanted.is_ascii() {
                    typos += 1;
                    cost += TYPO;
                    let Some(places) = with_typo(letters, text, name) else {
                        cost += above_with_typo(letters, index, directory)?;
                        in_order &= !in_name;
                        continue;
                    };
                    typed |= places;
                } else {
                    return None;
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
    Some(Explained { in_name, typos, cost: cost + if in_order { 0 } else { OTHER_ORDER } })
}

/// The cost of a word with a typo in a directory or above it.
fn above_with_typo(letters: &[u8], index: &Index, mut directory: usize) -> Option<u32> {
    let mut cost = IN_DIRECTORY;
    while directory > 0 {
        let (text, name) = index.segment(directory);
        if let Some(places) = with_typo(letters, text, name) {
            let left = name.len() as u32 - places.count_ones().min(name.len() as u32);
            return Some(cost + DIRECTORY_LETTER * left);
        }
        cost += FARTHER;
        directory = index.parent(directory);
    }
    None
}
