//! Fuzzy matching of paths: does a query name this path, and how well?
//!
//! Pure functions over bytes: no file system, no threads, no cache. A caller builds an [`Index`] of its paths once, prepares
//! a query for it ([`Search`]) and scores the entries, in any order and on any number of threads. If too few entries match
//! as typed, [`TypoSearch`] accepts typos: in base names, or anywhere in a path, which takes longer.
//!
//! # Why not a published matcher
//! `nucleo-matcher` and `frizbee` score one string after the other. Here the state after a directory's path is computed once
//! and shared by everything in it, and most entries are excluded by a mask of their characters before their names are read:
//! see `docs/design/searching.md`. The alignment of letters follows fzf (`align.rs`), typos follow Wu and Manber
//! (`automaton.rs`). No published matcher also has this ranking: tiers, path segments, words in any order, typos below
//! matches without typos.
//!
//! # Ranking
//! A score is a tier and, within it, a quality; see [`Tier`] for the order of the tiers. Within a tier shorter names
//! and better alignments come first. Scores of different queries cannot be compared.
//!
//! # Guesses
//! A path that does not contain each word as typed is a guess: [`Guesses`] names its [`Guess`].

mod abbreviation;
mod align;
mod automaton;
mod fold;
mod fzf;
mod guess;
mod index;
mod initials;
mod name;
mod query;
mod rest;
mod role;
mod runs;
mod score;
mod search;
mod segments;
mod subsequence;
mod typo_positions;
mod typos;
mod word_search;
mod words;

pub use fzf::{FzfQuery, Line, Terms, folded};
pub use guess::{Guess, Guesses};
pub use index::Index;
pub use query::{MAX_BYTES, MAX_PIECES, Query};
pub use score::Tier;
pub use search::{Search, Verdict};
pub use typos::TypoSearch;

/// Parts of this crate for the fuzz targets.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::align::fuzzing::{Alignment, best_alignment, score_of};
}
