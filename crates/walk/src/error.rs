//! The errors of a scan. A single entry that cannot be read is counted, and is not an error.

use std::io;
use std::path::PathBuf;

use cairn_cancel::Stopped;
use thiserror::Error;

/// Why a scan returned no snapshot.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The root does not exist or cannot be read.
    #[error("cannot find {}", path.display())]
    NotFound {
        /// The path as resolved against the working directory.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The root exists and is not a directory.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// The path as resolved against the working directory.
        path: PathBuf,
    },
    /// The caller cancelled the scan, or its time ran out.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A worker panicked during the scan.
    #[error("a worker panicked while scanning {}", path.display())]
    WorkerFailed {
        /// The root of the scan.
        path: PathBuf,
    },
}

impl WalkError {
    /// Whether the caller ended the scan: by cancelling it, or by its deadline.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped(_))
    }

    /// Whether the root is missing.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}
