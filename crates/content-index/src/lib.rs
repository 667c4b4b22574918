//! Signatures of texts, and queries that show which texts cannot match a regular expression.
//!
//! A signature is a Bloom filter of the short byte strings ([`Gram`]) in a text. [`plan()`] computes from an expression which
//! grams every match contains. A text whose signature lacks one of them has no match; any other text is a candidate.
//!
//! Both sides ask [`Gram::of`] what a gram is, so a query cannot speak of a gram in another way than a signature.

mod grams;
mod plan;
mod signature;
mod store;

pub use grams::{Detail, Family, Gram};
pub use plan::{Query, plan};
pub use signature::{PIECE_BYTES, Signature, SignatureBuilder, pieces};
pub use store::{Column, Columns, Store};
