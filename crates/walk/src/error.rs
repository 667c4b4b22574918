//! What can go wrong with a scan as a whole. Single entries that cannot be read are counted, not errors.

use std::io;
use std::path::PathBuf;

use cairn_cancel::Stopped;
use thiserror::Error;

/// Why a scan gave no snapshot.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The root does not exist, or may not even be looked up.
    #[error("cannot look up {}", path.display())]
    NotFound {
        /// The path as resolved against the working directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The root exists and is no directory.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// The path as resolved against the working directory.
        path: PathBuf,
    },
    /// The caller cancelled, or its time ran out.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A worker panicked while it scanned.
    #[error("a worker failed while it scanned {}", path.display())]
    WorkerFailed {
        /// The root of the scan.
        path: PathBuf,
    },
}

impl WalkError {
    /// Whether the caller itself ended the scan.
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
