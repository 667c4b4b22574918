//! The options that the searches share, and parts of their results.

use std::path::{Path, PathBuf};
use std::time::Instant;

use cairn_pool::Pool;
use cairn_search::{ContentIndexes, Scope, SearchContext, StopReason};
use cairn_walk::{Kind, ScanCache, Snapshot};

/// The context of the process.
pub(crate) fn context() -> SearchContext<'static> {
    SearchContext {
        contents: Some(ContentIndexes::global()),
        ..SearchContext::new(ScanCache::global(), Pool::global())
    }
}

/// The scope of a call that is made now. Its working directory is the current one, not the one when a worker starts.
pub(crate) fn scope(path: &str, base: &Scope, given: GivenScope) -> Scope {
    Scope {
        path: absolute(path),
        include_hidden: given.hidden.unwrap_or(base.include_hidden),
        use_gitignore: given.gitignore.unwrap_or(base.use_gitignore),
        resolve_links: given.resolve_links.unwrap_or(base.resolve_links),
        use_cache: given.cache.unwrap_or(base.use_cache),
        validate: given.validate.unwrap_or(base.validate),
        watch: given.watch.unwrap_or(base.watch),
        partial_on_timeout: given.partial_on_timeout.unwrap_or(base.partial_on_timeout),
        max_result_bytes: base.max_result_bytes,
        asked: Instant::now(),
    }
}

/// The shared options of a call.
#[derive(Clone, Copy, Default)]
pub(crate) struct GivenScope {
    pub(crate) hidden: Option<bool>,
    pub(crate) gitignore: Option<bool>,
    pub(crate) resolve_links: Option<bool>,
    pub(crate) cache: Option<bool>,
    pub(crate) validate: Option<bool>,
    pub(crate) watch: Option<bool>,
    pub(crate) partial_on_timeout: Option<bool>,
}

fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| Path::new(path).to_owned())
}

/// A whole number from JavaScript. The facade has checked its range.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, as a limit should")]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// A size from JavaScript, like [`whole`].
pub(crate) fn size(number: f64) -> usize {
    usize::try_from(whole(number)).unwrap_or(usize::MAX)
}

/// The kind with a number of the public `FileType`.
pub(crate) fn kind(number: u32) -> Option<Kind> {
    [Kind::File, Kind::Dir, Kind::Symlink].into_iter().find(|&kind| kind as u32 == number)
}

/// The name of a stop reason in JavaScript.
pub(crate) fn stop_reason(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Limit => "limit",
        StopReason::Timeout => "timeout",
        StopReason::Budget => "budget",
    }
}

/// The bit of a path's flags that marks a path that is not valid UTF-8.
pub(crate) fn lossy_flag(lossy: bool) -> u8 {
    u8::from(lossy) << 3
}

/// The places that a scan could not read, as far as a result names them.
pub(crate) fn unreadable_paths(snapshot: &Snapshot) -> Option<Vec<String>> {
    texts(snapshot.unreadable_paths())
}

/// Paths that a result has only when there are any.
pub(crate) fn texts(paths: &[impl AsRef<[u8]>]) -> Option<Vec<String>> {
    (!paths.is_empty()).then(|| paths.iter().map(|path| String::from_utf8_lossy(path.as_ref()).into_owned()).collect())
}

/// A count that a result has only when it is not zero.
pub(crate) fn nonzero(count: u64) -> Option<f64> {
    (count > 0).then_some(count as f64)
}
