//! The error of a search.

use cairn_cancel::Stopped;
use cairn_pool::Interrupted;
use cairn_walk::WalkError;
use thiserror::Error;

/// Why a search failed. A file that cannot be searched does not fail it: the result counts such files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The root cannot be scanned, or the caller ended the scan.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The caller ended the search.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The glob is not valid, or cannot match anything below the root.
    #[error("cannot use the glob {pattern:?}: {reason}")]
    InvalidGlob {
        /// The glob as given.
        pattern: String,
        /// Why it is not valid.
        reason: String,
    },
    /// The value of an option is not valid.
    #[error("cannot use {value:?} as {option}: {reason}")]
    InvalidOption {
        /// The name of the option.
        option: &'static str,
        /// The value as given.
        value: String,
        /// Why it is not valid.
        reason: String,
    },
    /// The regular expression is not valid for any engine.
    #[error("cannot use the regular expression {pattern:?}: {reason}")]
    InvalidRegex {
        /// The expression as given.
        pattern: String,
        /// Why it is not valid.
        reason: String,
        /// Where the fault is, in bytes from the beginning of the pattern.
        offset: Option<usize>,
    },
    /// The query has more than [`cairn_fuzzy::MAX_BYTES`] bytes, or [`cairn_fuzzy::MAX_PIECES`] words and segments.
    #[error(
        "the query is too long; use at most {} bytes, and {} words and path segments",
        cairn_fuzzy::MAX_BYTES,
        cairn_fuzzy::MAX_PIECES
    )]
    QueryTooLong,
    /// A worker panicked.
    #[error("a worker failed during the search")]
    WorkerFailed,
}

impl SearchError {
    /// How the caller ended the search, if it did.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        match self {
            Self::Stopped(stopped) | Self::Walk(WalkError::Stopped(stopped)) => Some(*stopped),
            _ => None,
        }
    }
}

impl From<Interrupted> for SearchError {
    fn from(interrupted: Interrupted) -> Self {
        match interrupted {
            Interrupted::Stopped(stopped) => Self::Stopped(stopped),
            Interrupted::WorkerFailed => Self::WorkerFailed,
        }
    }
}
