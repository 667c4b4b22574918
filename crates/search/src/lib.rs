//! The searches: glob and fuzzy find over a snapshot, grep over the files it lists.
//!
//! Each search takes an [`Engine`], which says where snapshots come from and who helps, and its options; each gives
//! results in a fixed order, whatever the number of threads, and says when something is missing from them. Nothing
//! here writes to the disk or keeps anything between calls but the snapshots.

mod engine;
mod error;
mod find;
#[cfg(fuzzing)]
pub mod fuzzing;
mod glob;
mod glob_syntax;
mod grep;
mod pattern;
mod types;

pub use engine::{Engine, Scope, StopReason};
pub use error::SearchError;
pub use find::{FindHit, FindOptions, FindOutcome, find};
pub use glob::{GlobDetails, GlobHit, GlobOptions, GlobOutcome, glob};
pub use grep::{
    Candidates, ContextLine, Exclude, Excluded, GrepMode, GrepOptions, GrepOutcome, LineMatch, MAX_SUBMATCHES,
    RegexEngine, Skipped, Submatch, grep, grep_candidates,
};
