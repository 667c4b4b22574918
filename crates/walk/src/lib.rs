//! Directory scans for search tools: what is in a tree, under ignore rules, sorted, immutable, cached.
//!
//! [`ScanCache::get_or_scan`] gives a [`Snapshot`] of a root, from the cache when it may, by a parallel scan when it
//! must. What to do with the entries (glob, fuzzy matching, reading files) is the business of the crates above.
//! This crate never reads a file that is no ignore file, and never writes.

mod cache;
mod error;
mod evidence;
mod excludes;
mod gitignore;
mod listing;
mod options;
mod paths;
mod rules;
mod snapshot;
mod walker;

pub use cache::{CacheStats, CachedSnapshot, Clock, Scan, ScanCache, ScanRequest};
pub use error::WalkError;
pub use options::{Detail, Policy, ScanOptions, Scope};
pub use paths::{from_bytes, resolve_existing, resolve_root};
pub use snapshot::{Cut, Kind, Snapshot};
