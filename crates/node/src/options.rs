//! The options that the searches share.

use std::path::{Path, PathBuf};
use std::time::Instant;

use cairn_pool::Pool;
use cairn_search::{Engine, Scope, StopReason};
use cairn_walk::ScanCache;

/// The engine of the process.
pub(crate) fn engine() -> Engine<'static> {
    Engine { cache: ScanCache::global(), pool: Pool::global() }
}

/// The scope of a call made now. The working directory is that of now, not of when a worker gets to it.
pub(crate) fn scope(path: &str, base: &Scope, given: GivenScope) -> Scope {
    Scope {
        path: absolute(path),
        include_hidden: given.hidden.unwrap_or(base.include_hidden),
        use_gitignore: given.gitignore.unwrap_or(base.use_gitignore),
        use_cache: given.cache.unwrap_or(base.use_cache),
        partial_on_timeout: given.partial_on_timeout.unwrap_or(base.partial_on_timeout),
        asked: Instant::now(),
    }
}

/// The shared options as given.
#[derive(Clone, Copy, Default)]
pub(crate) struct GivenScope {
    pub(crate) hidden: Option<bool>,
    pub(crate) gitignore: Option<bool>,
    pub(crate) cache: Option<bool>,
    pub(crate) partial_on_timeout: Option<bool>,
}

fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| Path::new(path).to_owned())
}

/// A whole number that JavaScript sent as a double. The facade has checked its range.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, as a limit should")]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// The same, as a size.
pub(crate) fn size(number: f64) -> usize {
    usize::try_from(whole(number)).unwrap_or(usize::MAX)
}

/// The number a stop reason crosses as; 0 is none.
pub(crate) fn stop_code(reason: Option<StopReason>) -> u64 {
    match reason {
        None => 0,
        Some(StopReason::Limit) => 1,
        Some(StopReason::Timeout) => 2,
        Some(StopReason::Budget) => 3,
    }
}
