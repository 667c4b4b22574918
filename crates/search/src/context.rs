//! Parameters that all searches share: snapshots, helpers, and when to stop.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::{Ordered, Pool, ordered_chunks};
use cairn_walk::{
    Cut, Scan, ScanCache, ScanOptions, ScanRequest, Snapshot, WalkError, require_canonical, resolve_root,
};

use crate::content::ContentIndexes;
use crate::cost::{Cost, MAX_RESULT_BYTES};
use crate::error::SearchError;

/// Drops the hits that exceed the budget of a result. `objects` is what a hit costs besides its path. Returns whether there
/// were any.
///
/// Each entry may occur at most once.
pub(crate) fn fit_hits<T>(
    hits: &mut Vec<T>,
    snapshot: &Snapshot,
    max_bytes: usize,
    entry: impl Fn(&T) -> usize,
    objects: impl Fn(&T) -> usize,
) -> bool {
    // Nearly every result fits even if it had all paths of the snapshot.
    let mut most = Cost::default();
    most.add(hits.iter().map(&objects).sum());
    most.add_any_texts(hits.len(), snapshot.arena().len());
    if most.bytes() <= max_bytes {
        return false;
    }
    let mut cost = Cost::default();
    let fitting = hits.iter().take_while(|hit| {
        cost.add(objects(hit));
        cost.add_text(snapshot.path(entry(hit)));
        cost.bytes() <= max_bytes
    });
    let fitting = fitting.count();
    let cut = fitting < hits.len();
    hits.truncate(fitting);
    cut
}

/// The source of snapshots and the threads that do the work.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// The snapshot cache.
    pub cache: &'a ScanCache,
    /// The worker threads.
    pub pool: &'a Pool,
    /// The indexes of the contents of trees. Without them, a grep opens every file.
    pub contents: Option<&'a ContentIndexes>,
}

/// The entries of a search, and how it may get them.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The root, resolved against the working directory.
    pub path: PathBuf,
    /// Include names that begin with a dot.
    pub include_hidden: bool,
    /// Apply ignore files.
    pub use_gitignore: bool,
    /// Resolve symbolic links in `path`. Without it, a link in the path is an error: a caller that has checked the path is
    /// not led elsewhere by a directory that became a link since. Default: true.
    pub resolve_links: bool,
    /// Allow a snapshot from the cache, and keep the one made. Default: false.
    pub use_cache: bool,
    /// Compare a snapshot from the cache with the disk before it is used, whatever its age. Default: false.
    pub validate: bool,
    /// Watch the directories of the tree if it has an index, so that the next searches need not read the state of every file. With a cached
    /// snapshot only. Default: false.
    pub watch: bool,
    /// When the time runs out, return the result up to then with [`StopReason::Timeout`] instead of an error.
    pub partial_on_timeout: bool,
    /// The maximal cost of the result in bytes, as objects and strings of JavaScript. Default: 256 MiB.
    pub max_result_bytes: usize,
    /// The time of the call.
    pub asked: Instant,
}

impl Scope {
    /// The scope of a search below `path`: no hidden names, ignore files applied, no cache.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            include_hidden: false,
            use_gitignore: true,
            resolve_links: true,
            use_cache: false,
            validate: false,
            watch: false,
            partial_on_timeout: false,
            max_result_bytes: MAX_RESULT_BYTES,
            asked: Instant::now(),
        }
    }

    pub(crate) fn root(&self) -> Result<PathBuf, WalkError> {
        let root = resolve_root(&self.path)?;
        self.check_links(&root)?;
        Ok(root)
    }

    /// Checks [`Scope::resolve_links`] for the resolved path.
    pub(crate) fn check_links(&self, resolved: &Path) -> Result<(), WalkError> {
        if self.resolve_links { Ok(()) } else { require_canonical(&self.path, resolved) }
    }

    pub(crate) fn request<'a>(&self, root: &'a Path, options: ScanOptions) -> ScanRequest<'a> {
        ScanRequest {
            root,
            options,
            asked: self.asked,
            validate: self.validate,
            partial_on_timeout: self.partial_on_timeout,
        }
    }

    /// The token for the work on a snapshot. If the time ran out during the scan and the caller accepts a partial result,
    /// the entries found up to then are still matched.
    pub(crate) fn token_for(snapshot: &Snapshot, cancel: &CancelToken) -> CancelToken {
        if snapshot.cut() == Some(Cut::Timeout) { cancel.without_deadline() } else { cancel.clone() }
    }

    /// Turns a timeout into a stop reason if the caller accepts a partial result.
    pub(crate) fn settle(&self, result: Result<(), impl Into<SearchError>>) -> Result<Option<StopReason>, SearchError> {
        match result.map_err(Into::into) {
            Ok(()) => Ok(None),
            Err(SearchError::Stopped(Stopped::TimedOut)) if self.partial_on_timeout => Ok(Some(StopReason::Timeout)),
            Err(error) => Err(error),
        }
    }
}

/// Why a result is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// More entries matched than the limit allows.
    Limit,
    /// The time ran out.
    Timeout,
    /// The tree has more entries than one scan may collect, or the result more bytes than one result may hold.
    Budget,
}

impl From<Cut> for StopReason {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Budget => Self::Budget,
            Cut::Timeout => Self::Timeout,
        }
    }
}

impl<'a> SearchContext<'a> {
    /// A context without indexes of contents.
    #[must_use]
    pub fn new(cache: &'a ScanCache, pool: &'a Pool) -> Self {
        Self { cache, pool, contents: None }
    }
}

impl SearchContext<'_> {
    /// Evaluates a search on a snapshot. With the cache, an empty result on a snapshot older than the recheck
    /// threshold is evaluated once more on a fresh one.
    pub(crate) fn on_snapshot<T>(
        &self,
        scope: &Scope,
        request: &ScanRequest<'_>,
        cancel: &CancelToken,
        mut evaluate: impl FnMut(&Arc<Snapshot>) -> Result<T, SearchError>,
        is_empty: impl Fn(&T) -> bool,
    ) -> Result<T, SearchError> {
        if !scope.use_cache {
            let scan = self.cache.force_rescan(request, false, self.pool, cancel)?;
            return evaluate(&scan.snapshot);
        }
        let Scan { snapshot, age } = self.cache.get_or_scan(request, self.pool, cancel)?;
        let result = evaluate(&snapshot)?;
        // An age of zero is a scan made for this call.
        if is_empty(&result) && !age.is_zero() && age >= self.cache.policy().empty_recheck {
            let scan = self.cache.force_rescan(request, true, self.pool, cancel)?;
            return evaluate(&scan.snapshot);
        }
        Ok(result)
    }

    /// [`ordered_chunks`] on this context's pool.
    pub(crate) fn ordered<W: Ordered>(
        &self,
        work: &Arc<W>,
        items: usize,
        chunk_items: usize,
        cancel: &CancelToken,
        absorb: impl FnMut(W::Output) -> ControlFlow<()>,
    ) -> Result<(), cairn_pool::Interrupted> {
        ordered_chunks(self.pool, work, items, chunk_items, cancel, absorb)
    }
}
