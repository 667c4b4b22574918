//! Why a search has no result.

use cairn_cancel::Stopped;
use cairn_pool::Interrupted;
use cairn_walk::WalkError;
use thiserror::Error;

/// Why a search has no result. A file that cannot be searched is counted in the result instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The root cannot be scanned, or the caller ended the scan.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The caller ended the search.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A glob does not parse, or cannot match anything below the root.
    #[error("cannot use the glob {pattern:?}: {reason}")]
    InvalidGlob {
        /// The glob as given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A regular expression that no engine takes.
    #[error("cannot use the regular expression {pattern:?}: {reason}")]
    InvalidRegex {
        /// The expression as given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
        /// Where, in bytes from the beginning of the pattern.
        offset: Option<usize>,
    },
    /// A query of [`cairn_fuzzy::MAX_BYTES`] bytes, or [`cairn_fuzzy::MAX_PIECES`] words and segments, and more.
    #[error(
        "the query is too long: at most {} bytes, and {} words and path segments, are looked for",
        cairn_fuzzy::MAX_BYTES,
        cairn_fuzzy::MAX_PIECES
    )]
    QueryTooLong,
    /// A worker panicked.
    #[error("a worker failed while it searched")]
    WorkerFailed,
}

impl SearchError {
    /// Why the caller ended the search, if it did.
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
