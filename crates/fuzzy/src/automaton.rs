//! Finds a word with typos in a path. A set of states in one machine word holds which prefixes of the word were found.
//!
//! After Wu and Manber, *Fast text searching allowing errors*: bit `i` stands for the first `i` letters, and each number of
//! typos has its own set. Letters come in runs. A run may begin where a word of the path begins; anything may be between two
//! runs. Separators do not interrupt a run, so `schedcore` is one run in `sched_core`.

use crate::fold::symbols;
use crate::name::{begins_camel_word, is_boundary, is_word};

/// The maximal number of letters. Longer words are matched only as typed.
const MAX_LETTERS: usize = 62;
/// The number of sets: for 0, 1 and 2 typos. As a count of typos it means too many.
pub(crate) const TYPO_LEVELS: usize = 3;

/// The maximal number of pairs of adjacent letters that one typo separates: `abcd` has three, and `acbd` has none of them.
const PAIRS_PER_TYPO: usize = 3;

/// The places of each character in a word.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// Bit `i + 1` for letter `i`.
    ascii: Box<[u64; 256]>,
    others: Vec<(Vec<u8>, u64)>,
    letters: usize,
}

/// The states after a part of a path, by number of typos.
#[derive(Clone, Copy, Debug)]
pub(crate) struct States<const N: usize> {
    /// The prefixes found that end at the last letter that was read.
    running: [u64; N],
    /// All prefixes found.
    reached: [u64; N],
    /// The states before the last letter, for swapped letters; and the places of that letter.
    before: [u64; N],
    last: u64,
}

impl Alphabet {
    /// `None` if the word is too long.
    pub(crate) fn new(word: &[u8]) -> Option<Self> {
        let mut alphabet = Self { ascii: Box::new([0; 256]), others: Vec::new(), letters: 0 };
        for symbol in symbols(word) {
            alphabet.letters += 1;
            if alphabet.letters > MAX_LETTERS {
                return None;
            }
            let bit = 1 << alphabet.letters;
            if let [byte @ ..128] = symbol {
                alphabet.ascii[usize::from(*byte)] |= bit;
            } else if let Some((_, bits)) = alphabet.others.iter_mut().find(|(other, _)| other == symbol) {
                *bits |= bit;
            } else {
                alphabet.others.push((symbol.to_vec(), bit));
            }
        }
        Some(alphabet)
    }

    fn bits(&self, symbol: &[u8]) -> u64 {
        match symbol {
            [byte @ ..128] => self.ascii[usize::from(*byte)],
            _ => self.others.iter().find(|(other, _)| other == symbol).map_or(0, |&(_, bits)| bits),
        }
    }

    /// All bits of the word.
    fn within(&self) -> u64 {
        (2 << self.letters) - 1
    }

    /// The minimal number of typos with which the word occurs in a name; [`TYPO_LEVELS`] if it is more than `max`.
    pub(crate) fn typos_in_name(&self, name: &[u8], max: usize) -> usize {
        if !self.has_pairs(name, max) {
            return TYPO_LEVELS;
        }
        let mut states = States::<TYPO_LEVELS>::START;
        self.for_each_letter(name, |bits| states.step(bits, States::<TYPO_LEVELS>::START.reached, self.within()));
        let typos = states.typos(self);
        if typos > max { TYPO_LEVELS } else { typos }
    }

    /// Calls `visit` with the places in the word of each letter and digit of a name.
    #[inline]
    fn for_each_letter(&self, name: &[u8], mut visit: impl FnMut(u64)) {
        if name.is_ascii() {
            name.iter().filter(|&&byte| is_word(byte)).for_each(|&byte| visit(self.ascii[usize::from(byte)]));
        } else {
            symbols(name).filter(|symbol| is_word(symbol[0])).for_each(|symbol| visit(self.bits(symbol)));
        }
    }

    /// Whether enough pairs of adjacent letters of the word are adjacent in the name for at most `max` typos.
    #[inline]
    fn has_pairs(&self, name: &[u8], max: usize) -> bool {
        let (mut before, mut pairs) = (0, 0_u64);
        if name.is_ascii() {
            // One name in twelve comes here, and a processor cannot predict where its words end, so this has no branch.
            for &byte in name {
                let (bits, in_word) = (self.ascii[usize::from(byte)], IN_WORD[usize::from(byte)]);
                pairs |= (before << 1) & bits & in_word;
                before = bits & in_word | before & !in_word;
            }
        } else {
            self.for_each_letter(name, |bits| {
                pairs |= (before << 1) & bits;
                before = bits;
            });
        }
        pairs.count_ones() as usize + PAIRS_PER_TYPO * max + 1 >= self.letters
    }
}

/// All bits for a letter or digit, no bit for a separator.
static IN_WORD: [u64; 256] = {
    let mut in_word = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if is_word(byte as u8) {
            in_word[byte] = u64::MAX;
        }
        byte += 1;
    }
    in_word
};

impl<const N: usize> States<N> {
    /// Before the first byte: each typo may be a missing letter.
    pub(crate) const START: Self = {
        let mut reached = [1; N];
        let mut typos = 1;
        while typos < N {
            reached[typos] = reached[typos - 1] << 1 | 1;
            typos += 1;
        }
        Self { running: [0; N], reached, before: [0; N], last: 0 }
    };

    /// Reads the next segment of a path.
    pub(crate) fn read(&mut self, alphabet: &Alphabet, text: &[u8], folded: &[u8]) {
        let mut at = 0;
        for symbol in symbols(folded) {
            if is_word(symbol[0]) {
                let begins = is_boundary(text, at)
                    || begins_camel_word(text, at)
                    || (text[at].is_ascii_digit() && !text[at - 1].is_ascii_digit());
                let gate = if begins { u64::MAX } else { 0 };
                self.step(alphabet.bits(symbol), self.reached.map(|reached| reached & gate), alphabet.within());
            }
            at += symbol.len();
        }
    }

    /// Reads the slash after a segment. It is never a typo.
    pub(crate) fn read_slash(&mut self, alphabet: &Alphabet) {
        let bits = alphabet.ascii[usize::from(b'/')];
        for typos in 0..N {
            let next = (self.reached[typos] << 1) & bits;
            self.running[typos] |= next;
            self.reached[typos] |= next;
        }
    }

    /// Reads a letter. A run that continues any of the prefixes in `begin` may begin before it.
    #[inline]
    #[expect(clippy::needless_range_loop, reason = "each set depends on the sets of fewer typos")]
    fn step(&mut self, bits: u64, begin: [u64; N], within: u64) {
        let from: [u64; N] = std::array::from_fn(|typos| self.running[typos] | begin[typos]);
        let mut next = [0; N];
        for typos in 0..N {
            next[typos] = (from[typos] << 1) & bits;
            if typos > 0 {
                let wrong = from[typos - 1] << 1;
                let missed = self.running[typos - 1];
                let swapped = (((self.before[typos - 1] << 1) & bits) << 1) & self.last;
                let too_many = next[typos - 1] << 1;
                next[typos] |= wrong | missed | swapped | too_many;
            }
        }
        for typos in 0..N {
            next[typos] &= within;
            self.reached[typos] |= next[typos];
        }
        self.running = next;
        self.before = from;
        self.last = bits;
    }

    /// The maximal number of letters found, by number of typos.
    pub(crate) fn farthest(&self) -> [usize; N] {
        self.reached.map(|reached| reached.ilog2() as usize)
    }

    /// The minimal number of typos with which the word was found; `N` if it was not found.
    pub(crate) fn typos(&self, alphabet: &Alphabet) -> usize {
        self.reached.iter().position(|reached| reached >> alphabet.letters & 1 == 1).unwrap_or(N)
    }
}

#[cfg(test)]
mod tests;
