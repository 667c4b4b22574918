//! The searches: glob and fuzzy find over a snapshot, grep over a list of candidate files.
//!
//! Each search takes an [`SearchContext`], the source of snapshots and threads, and its options. The order of results does not
//! depend on the number of threads, and a result states whether something is missing. Nothing here writes to the disk, and
//! only snapshots are kept between calls.

mod content;
mod context;
mod cost;
mod depth;
mod error;
mod find;
#[cfg(fuzzing)]
pub mod fuzzing;
mod glob;
mod glob_pattern;
mod grep;
mod open;
mod tree;
mod types;

pub use cairn_fuzzy::Guess;
pub use content::{ContentIndexes, Freshness, IndexOff, IndexPolicy, IndexStats};
pub use context::{Scope, SearchContext, StopReason};
pub use error::SearchError;
pub use find::{FindHit, FindOptions, FindOutcome, PathList, QuerySyntax, find};
pub use glob::{GlobDetails, GlobHit, GlobOptions, GlobOutcome, glob};
pub use grep::{
    BatchSink, Binary, ContextLine, CountUnit, GrepBatch, GrepMode, GrepOptions, GrepOutcome, LineMatch,
    MAX_SUBMATCHES, Occurrence, RegexEngine, SearchedPattern, Skipped, Streaming, Submatch, grep, grep_reader,
    grep_stream,
};
pub use tree::{Depth, Folded, TreeChange, TreeChanges, TreeEntry, TreeOptions, TreeOutcome, TreeState, tree_summary};
pub use types::file_types;
