//! A word read off a path by a set of states in a machine word: which of its beginnings have been found so far.
//!
//! After Wu and Manber, *Fast text searching allowing errors*: bit `i` stands for the first `i` letters, and each
//! number of slips has a set of its own. Letters come in runs. A run may begin where a word of the path does; between
//! the runs anything may stand. Separators do not interrupt a run, so `schedcore` is one run in `sched_core`.

use crate::fold::symbols;
use crate::name::{begins_camel_word, is_boundary, is_word};

/// Words of more letters are matched as typed only.
const MAX_LETTERS: usize = 62;
/// Slips that are never forgiven: one more than the most.
pub(crate) const SLIPS: usize = 3;

/// So many pairs of neighbouring letters one slip takes apart at most: `abcd` has three, and none is in `acbd`.
const PAIRS_PER_SLIP: usize = 3;

/// Where in a word each character stands.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// Bit `i + 1` for letter `i`.
    ascii: Box<[u64; 256]>,
    others: Vec<(Vec<u8>, u64)>,
    letters: usize,
}

/// The states after a path has been read up to some byte, by number of slips.
#[derive(Clone, Copy, Debug)]
pub(crate) struct States<const N: usize> {
    /// Found, and the last letter was the last that was read.
    running: [u64; N],
    /// Found anywhere so far.
    reached: [u64; N],
    /// From where the last letter was reached, for letters that were swapped; and that letter.
    before: [u64; N],
    last: u64,
}

impl Alphabet {
    /// `None` for words that are too long.
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

    /// The bits there are.
    fn within(&self) -> u64 {
        (2 << self.letters) - 1
    }

    /// The fewest slips with which the word occurs in a name, anywhere; [`SLIPS`] when that takes more than `most`.
    pub(crate) fn slips_in_name(&self, name: &[u8], most: usize) -> usize {
        if !self.has_pairs(name, most) {
            return SLIPS;
        }
        let mut states = States::<SLIPS>::START;
        self.for_each_letter(name, |bits| states.step(bits, States::<SLIPS>::START.reached, self.within()));
        let slips = states.slips(self);
        if slips > most { SLIPS } else { slips }
    }

    /// Calls `visit` with where in the word each letter and digit of a name stands.
    #[inline]
    fn for_each_letter(&self, name: &[u8], mut visit: impl FnMut(u64)) {
        if name.is_ascii() {
            name.iter().filter(|&&byte| is_word(byte)).for_each(|&byte| visit(self.ascii[usize::from(byte)]));
        } else {
            symbols(name).filter(|symbol| is_word(symbol[0])).for_each(|symbol| visit(self.bits(symbol)));
        }
    }

    /// Whether enough neighbours of the word are neighbours in the name for it to occur with at most so many slips.
    #[inline]
    fn has_pairs(&self, name: &[u8], most: usize) -> bool {
        let (mut before, mut pairs) = (0, 0_u64);
        if name.is_ascii() {
            // One name in a dozen comes to this, and where its words end cannot be foreseen: so without a branch.
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
        pairs.count_ones() as usize + PAIRS_PER_SLIP * most + 1 >= self.letters
    }
}

/// All bits for a letter or digit, none for what stands between words.
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
    /// Before the first byte: a letter may have been left out for each slip.
    pub(crate) const START: Self = {
        let mut reached = [1; N];
        let mut slips = 1;
        while slips < N {
            reached[slips] = reached[slips - 1] << 1 | 1;
            slips += 1;
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

    /// Reads the slash behind a segment. It is never a slip.
    pub(crate) fn read_slash(&mut self, alphabet: &Alphabet) {
        let bits = alphabet.ascii[usize::from(b'/')];
        for slips in 0..N {
            let next = (self.reached[slips] << 1) & bits;
            self.running[slips] |= next;
            self.reached[slips] |= next;
        }
    }

    /// Reads a letter, before which a run may begin that goes on from any of `begin`.
    #[inline]
    #[expect(clippy::needless_range_loop, reason = "each set is made from those of fewer slips")]
    fn step(&mut self, bits: u64, begin: [u64; N], within: u64) {
        let from: [u64; N] = std::array::from_fn(|slips| self.running[slips] | begin[slips]);
        let mut next = [0; N];
        for slips in 0..N {
            next[slips] = (from[slips] << 1) & bits;
            if slips > 0 {
                let wrong = from[slips - 1] << 1;
                let missed = self.running[slips - 1];
                let swapped = (((self.before[slips - 1] << 1) & bits) << 1) & self.last;
                let too_many = next[slips - 1] << 1;
                next[slips] |= wrong | missed | swapped | too_many;
            }
        }
        for slips in 0..N {
            next[slips] &= within;
            self.reached[slips] |= next[slips];
        }
        self.running = next;
        self.before = from;
        self.last = bits;
    }

    /// The most letters found so far, by number of slips.
    pub(crate) fn farthest(&self) -> [usize; N] {
        self.reached.map(|reached| reached.ilog2() as usize)
    }

    /// The fewest slips with which the word has been found; `N` when it has not.
    pub(crate) fn slips(&self, alphabet: &Alphabet) -> usize {
        self.reached.iter().position(|reached| reached >> alphabet.letters & 1 == 1).unwrap_or(N)
    }
}

#[cfg(test)]
mod tests;
