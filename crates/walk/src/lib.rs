//! Directory scans for search tools: the entries of a tree under ignore rules, sorted, immutable and cached.
//!
//! [`ScanCache::get_or_scan`] returns a [`Snapshot`] of a root, from the cache when it is new enough, otherwise from a
//! parallel scan. The crates above decide what to do with the entries (glob, fuzzy matching, reading files). This crate
//! reads no files except ignore files and git's configuration, and never writes.

mod cache;
mod compose;
mod directory;
mod error;
mod fingerprint;
mod generation;
mod kind;
mod options;
mod paths;
mod rules;
mod snapshot;
mod unread;
mod variables;
mod walker;

pub use cache::{Base, CacheStats, CachedSnapshot, Clock, Policy, PublishError, Scan, ScanCache, ScanRequest};
pub use compose::{composed, offsets_before_composition};
pub use directory::are_times_settled;
#[cfg(target_os = "linux")]
pub use directory::{has_reliable_times, open_without_links};
pub use error::WalkError;
pub use generation::next_generation;
pub use kind::Kind;
pub use options::{Detail, ScanOptions, Subtree};
pub use paths::{from_bytes, is_own_temporary, require_canonical, resolve_existing, resolve_root, to_bytes};
pub use snapshot::{Cut, Decomposed, Derived, Head, Snapshot};
pub use variables::Variables;

/// Parts of this crate for the fuzz targets.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::rules::fuzzing::{hides, hides_by_every_rule};
}
