//! Slips forgiven: letters swapped, missed, wrong, or too many.

use std::ops::Range;
use std::sync::OnceLock;

use crate::automaton::{Alphabet, SLIPS, States};
use crate::fold::{fold_into, symbols};
use crate::index::{DIRECTORY, Index};
use crate::name::{is_boundary, is_word, stem_length};
use crate::query::Query;
use crate::score::{Hit, TIER_SPAN, Tier};
use crate::search::{Search, Verdict, WordSearch};

/// What one more slip costs.
const SLIP: u32 = 350;
/// What it costs, in a name, that a letter is wrong; twice that when there is one too many.
const DOUBT: usize = 15;
/// What it costs, in a name, that a separator is another one, or none.
const OTHER_PUNCTUATION: usize = 8;

/// A query made ready for one index with slips forgiven: in base names, or anywhere in a path.
#[derive(Debug)]
pub struct SlipSearch {
    /// How many slips the whole query may have.
    budget: usize,
    /// For each word and directory, made when first asked for; nothing where only base names count.
    directories: Vec<Vec<OnceLock<Directory>>>,
}

/// How a word stands behind a directory's path.
#[derive(Clone, Debug)]
struct Directory {
    states: States<SLIPS>,
    /// The characters a name has to bring, by number of slips in the directory's path.
    wanting: [u64; SLIPS],
}

impl SlipSearch {
    /// Forgives slips in base names. `None` when there is nothing to forgive: the query is too short, or all its words
    /// have slashes.
    #[must_use]
    pub fn in_names(query: &Query, search: &Search) -> Option<Self> {
        let budget = query.slips();
        let names_a_file = search.words().iter().any(|word| !word.is_path && word.slips > 0);
        (budget > 0 && names_a_file).then(|| Self { budget, directories: Vec::new() })
    }

    /// Forgives slips anywhere in a path. `None` when the query is too short to forgive anything. A query of one word
    /// without a slash has been looked for in all base names before.
    #[must_use]
    pub fn in_paths(query: &Query, search: &Search, index: &Index) -> Option<Self> {
        let budget = query.slips();
        let directories = || std::iter::repeat_with(OnceLock::new).take(index.directories()).collect();
        (budget > 0).then(|| Self { budget, directories: search.words().iter().map(|_| directories()).collect() })
    }

    /// Which of at most 64 entries may match, a bit each, as far as the characters of their paths tell.
    #[must_use]
    pub fn plausible(&self, search: &Search, index: &Index, entries: Range<usize>) -> u64 {
        let masks = index.masks(entries.clone());
        match search.words() {
            [word] if self.directories.is_empty() => {
                let wanting = word.wanting[0];
                // A count that is known to the compiler is no loop.
                match self.budget.min(word.slips) {
                    0 => lacking_at_most::<0>(wanting, masks),
                    1 => lacking_at_most::<1>(wanting, masks),
                    _ => lacking_at_most::<2>(wanting, masks),
                }
            }
            words => entries.zip(masks).rev().fold(0, |bits, (entry, mask)| {
                let mask = mask | index.directory_mask(index.directory(entry));
                let holds = |word: &WordSearch| are_at_most(word.wanting[0] & !mask, self.budget.min(word.slips));
                bits << 1 | u64::from(words.iter().all(holds))
            }),
        }
    }

    /// How entry `entry` of the index stands, whose path is `path`: words that do not match as typed, or only strewn
    /// over the path, are forgiven slips. Asked of entries that do not match better than that as typed.
    #[must_use]
    pub fn score<'p>(&self, search: &Search, index: &Index, entry: usize, path: impl Fn() -> &'p [u8]) -> Verdict {
        let forgive = |at, most| self.forgiven(search.words(), at, index, entry, &path, most);
        let words = || search.words().iter().enumerate();
        if let [_] = search.words() {
            return forgive(0, self.budget).map_or(Verdict::Miss, |(_, hit)| Verdict::Score(hit.score()));
        }
        if words().any(|(at, word)| word.occurs(index, entry).is_none() && forgive(at, self.budget).is_none()) {
            return Verdict::Miss;
        }
        let mut left = self.budget;
        let mut hits = Vec::with_capacity(search.words().len());
        for (at, word) in words() {
            let hit = word.hit_as_typed(index, entry, path());
            let Some((slips, hit)) = hit.map(|hit| (0, hit)).or_else(|| forgive(at, left)) else {
                return Verdict::Miss;
            };
            left -= slips;
            hits.push(hit);
        }
        for (at, hit) in hits.iter_mut().enumerate().filter(|(_, hit)| hit.tier == Tier::Strewn) {
            if let Some((slips, better)) = forgive(at, left) {
                left -= slips;
                *hit = better;
            }
        }
        Hit::of_query(hits.into_iter()).map_or(Verdict::Miss, Verdict::Score)
    }

    /// How word number `at` of some does with at most `most` slips, and with how many.
    fn forgiven<'p>(
        &self,
        words: &[WordSearch],
        at: usize,
        index: &Index,
        entry: usize,
        path: &impl Fn() -> &'p [u8],
        most: usize,
    ) -> Option<(usize, Hit)> {
        let word = &words[at];
        let (alphabet, last) = (word.alphabet.as_ref()?, word.word.segments.last()?);
        let (mask, most) = (index.mask(entry), most.min(word.slips));
        if most == 0 || (word.word.wants_directory && mask & DIRECTORY == 0) {
            return None;
        }
        let name = index.name(entry);
        let is_known_from_names = words.len() == 1 && !self.directories.is_empty();
        let may_be_in_name = !word.is_path && !is_known_from_names && are_at_most(word.wanting[0] & !mask, most);
        let in_name = if may_be_in_name { alphabet.slips_in_name(name, most) } else { SLIPS };
        let text = || {
            let path = path();
            &path[path.len() - name.len()..]
        };
        let in_path = match self.directories.get(at) {
            Some(directories) if in_name > 1 => {
                let directory = Directory::of(word, alphabet, directories, index, index.directory(entry));
                if directory.may_complete(mask, most) {
                    let mut states = directory.states;
                    states.read(alphabet, text(), name);
                    states.slips(alphabet)
                } else {
                    SLIPS
                }
            }
            _ => SLIPS,
        };
        let slips = in_name.min(in_path);
        if slips > most {
            return None;
        }
        let (fitting, quality) = fit(&last.folded, &last.letters, text(), name);
        if in_name == slips {
            return Some((
                slips,
                Hit { tier: Tier::NameSlip, quality: quality.saturating_sub(word.other_case(text())) },
            ));
        }
        // The last segment says most: it is that of a file's name.
        let of_name = if fitting <= slips { quality / 4 } else { 0 };
        let base = (TIER_SPAN - 1 - TIER_SPAN / 4).saturating_sub(SLIP * (slips.max(1) as u32 - 1));
        let quality = (base + of_name).saturating_sub(word.other_case(path()));
        Some((slips, Hit { tier: Tier::PathSlip, quality }))
    }
}

impl Directory {
    fn of<'a>(
        word: &WordSearch,
        alphabet: &Alphabet,
        all: &'a [OnceLock<Self>],
        index: &Index,
        directory: usize,
    ) -> &'a Self {
        all[directory].get_or_init(|| {
            let mut states = States::START;
            if directory > 0 {
                states = Self::of(word, alphabet, all, index, index.parent(directory)).states;
                let (text, folded) = index.segment(directory);
                states.read(alphabet, text, folded);
                states.read_slash(alphabet);
            }
            Self { wanting: states.farthest().map(|letters| word.wanting[letters]), states }
        })
    }

    /// Whether a name with these characters may complete the word with at most `most` slips.
    fn may_complete(&self, mask: u64, most: usize) -> bool {
        (0..=most).any(|slips| are_at_most(self.wanting[slips] & !mask, most - slips))
    }
}

/// Whether at most so many bits are set; `most` is small. Without a machine's instruction for it, counting is slower.
#[inline]
fn are_at_most(bits: u64, most: usize) -> bool {
    let mut left = bits;
    for _ in 0..most {
        left &= left.wrapping_sub(1);
    }
    left == 0
}

/// Which of the masks lack at most so many of the characters that are wanted, a bit each.
fn lacking_at_most<const MOST: usize>(wanting: u64, masks: &[u64]) -> u64 {
    masks.iter().rev().fold(0, |bits, mask| bits << 1 | u64::from(are_at_most(wanting & !mask, MOST)))
}

/// What slips cost, in a number whose least is best: how many they are in its highest bits; then how little they tell,
/// because a wrong letter or one too many may be any of the alphabet; and in its lowest where in the name they begin.
const ONE: u64 = 1 << 48;
const WRONG: u64 = ONE + (1 << 32);
const TOO_MANY: u64 = ONE + (2 << 32);

/// How many slips it takes to find `letters` in a name, and how good that is: fewer slips first, then a name that
/// begins with it, then one of which little else is left, then likelier slips and the punctuation that was typed.
fn fit(typed: &[u8], letters: &[u8], text: &[u8], name: &[u8]) -> (usize, u32) {
    let shown: Vec<usize> = (0..name.len()).filter(|&at| is_word(name[at])).collect();
    let stem = shown.partition_point(|&at| at < stem_length(name));
    // By letter of the name; the last three rows.
    let mut rows: [Vec<u64>; 3] = [Vec::new(), Vec::new(), (0..=shown.len() as u64).collect()];
    for (row, &wanted) in letters.iter().enumerate() {
        rows.rotate_left(1);
        let [before, above, here] = &mut rows;
        here.clear();
        here.push((row as u64 + 1) * TOO_MANY);
        for (column, &at) in shown.iter().enumerate() {
            let wrong = if name[at] == wanted { 0 } else { WRONG };
            let mut best = (above[column] + wrong).min(above[column + 1] + TOO_MANY).min(here[column] + ONE);
            if row > 0
                && column > 0
                && name[at] == letters[row - 1]
                && name[shown[column - 1]] == wanted
                && name[at] != wanted
            {
                best = best.min(before[column - 1] + ONE);
            }
            here.push(best);
        }
    }
    let fewest = rows[2].iter().map(|cost| cost / ONE).min().unwrap_or(0);
    let fitting = rows[2].iter().enumerate().filter(|(_, cost)| *cost / ONE == fewest);
    let least_lost = fitting.map(|(end, &cost)| {
        let (doubt, begin) = (((cost % ONE) >> 32) as usize, (cost as u32) as usize);
        let late = match begin {
            0 => 0,
            _ if shown.get(begin).is_some_and(|&at| is_boundary(text, at)) => 60 + begin.min(20),
            _ => 140 + begin.min(20),
        };
        let left = stem.saturating_sub(end).min(20) * 10 + (shown.len() - end.max(stem)).min(10);
        let between = if end > begin { &name[shown[begin]..=shown[end - 1]] } else { &[] };
        late + left + doubt * DOUBT + other_punctuation(typed, between).min(3) * OTHER_PUNCTUATION
    });
    let lost = SLIP as usize * (fewest.max(1) as usize - 1) + least_lost.min().unwrap_or(0);
    (fewest as usize, (TIER_SPAN as usize - 1).saturating_sub(lost) as u32)
}

/// How many separators of two texts differ.
fn other_punctuation(one: &[u8], other: &[u8]) -> usize {
    let mut left = one.iter().filter(|&&byte| !is_word(byte));
    let mut right = other.iter().filter(|&&byte| !is_word(byte));
    let mut different = 0;
    loop {
        match (left.next(), right.next()) {
            (None, None) => return different,
            (left, right) => different += usize::from(left != right),
        }
    }
}

/// Appends the offsets of the letters that are right: as many as possible, side by side where possible.
pub(crate) fn mark(search: &WordSearch, index: &Index, entry: usize, path: &[u8], positions: &mut Vec<usize>) {
    const DROPPED: i32 = -6;
    const MATCH: i32 = 10;
    const BEGINS: i32 = 4;
    const NEXT: i32 = 12;
    let mut folded = Vec::with_capacity(path.len());
    fold_into(path, &mut folded);
    let (word, name) = (&search.word, index.name(entry));
    let in_name =
        search.alphabet.as_ref().is_some_and(|alphabet| alphabet.slips_in_name(name, search.slips) <= search.slips);
    let from = if search.is_path || !in_name { 0 } else { path.len() - name.len() };
    let spans = |text: &[u8], from: usize| -> Vec<(usize, usize)> {
        let mut at = from;
        symbols(text)
            .map(|symbol| {
                at += symbol.len();
                (at - symbol.len(), at)
            })
            .collect()
    };
    let (letters, shown) = (spans(&word.letters, 0), spans(&folded[from..], from));
    let width = shown.len() + 1;
    // The best so far, and the best with the letter on just that place.
    let mut best = vec![0_i32; (letters.len() + 1) * width];
    let mut on = vec![i32::MIN / 2; best.len()];
    for (row, &(start, end)) in letters.iter().enumerate() {
        best[(row + 1) * width] = best[row * width] + DROPPED;
        for (column, &(from, to)) in shown.iter().enumerate() {
            let (at, diagonal) = ((row + 1) * width + column + 1, row * width + column);
            if word.letters[start..end] == folded[from..to] {
                let begins = if is_boundary(path, from) { BEGINS } else { 0 };
                on[at] = MATCH + begins + best[diagonal].max(on[diagonal] + NEXT);
            }
            best[at] = on[at].max(best[at - 1]).max(best[at - width] + DROPPED);
        }
    }
    let (mut row, mut column) = (letters.len(), shown.len());
    let mut in_run = false;
    while row > 0 && column > 0 {
        let at = row * width + column;
        if in_run || best[at] == on[at] {
            let (from, to) = shown[column - 1];
            if path[from] != b'/' {
                positions.extend(from..to);
            }
            let diagonal = at - width - 1;
            in_run = on[diagonal] + NEXT >= best[diagonal];
            (row, column) = (row - 1, column - 1);
        } else if best[at] == best[at - 1] {
            column -= 1;
        } else {
            row -= 1;
        }
    }
}
