//! Fuzzy matching of paths: does a query name this path, and how well?
//!
//! Pure functions over bytes: no file system, no threads, no cache. A caller lays its paths out once ([`Index`]),
//! makes a query ready for them ([`Search`]) and asks about one entry after the other, in any order and from any
//! number of threads. Where too little matches as typed, [`SlipSearch`] forgives slips: in base
//! names, and, which takes longer, anywhere in a path.
//!
//! # Ranking
//! A score is a tier and, within it, a quality; see [`Tier`] for the order of the tiers. Within a tier shorter names
//! and better alignments come first. Scores of different queries do not compare.

mod align;
mod automaton;
mod fold;
mod index;
mod lay;
mod name;
mod query;
mod score;
mod search;
mod slips;

pub use index::Index;
pub use query::{MAX_BYTES, MAX_PIECES, Query};
pub use score::Tier;
pub use search::{Search, Verdict};
pub use slips::SlipSearch;

/// Parts of this crate for the fuzz targets.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::align::fuzzing::{Alignment, best_alignment, score_of};
}
