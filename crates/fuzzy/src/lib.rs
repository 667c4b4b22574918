//! Fuzzy matching of paths: does a query name this path, and how well?
//!
//! Pure functions over bytes: no file system, no threads, no cache. A caller folds its paths once ([`fold_into`]),
//! keeps a [`character_mask`] for each, and asks a [`Matcher`] about the candidates whose mask covers the query's.
//!
//! # Ranking
//! A score is a tier and, within it, a quality; see [`Tier`] for the order of the tiers. Within a tier shorter names
//! and better alignments come first. Scores of different queries do not compare.

mod align;
mod fold;
mod query;
mod score;

pub use fold::{character_mask, fold_into};
pub use query::Query;
pub use score::{Candidate, Matcher, Tier};
