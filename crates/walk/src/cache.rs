//! The process-wide cache of snapshots: single flight, invalidation and publication.

mod announced;
mod base;
mod invalidate;
mod join;
mod log;
mod policy;
mod publish;
mod request;
mod source;
mod state;
mod stats;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::Pool;

use crate::error::WalkError;
use crate::options::{ScanOptions, Subtree};
use crate::snapshot::{Cut, Head, Snapshot};
use crate::walker::{Walk, WalkPlan};

pub use self::base::Base;
use self::join::{Freshness, JoinGuard, Joined, ScanEnd};
pub use self::policy::Policy;
pub use self::publish::PublishError;
use self::request::ScanKey;
pub use self::request::{Scan, ScanRequest};
use self::source::Source;
pub use self::state::Clock;
use self::state::{CacheState, StoredSnapshot};
use self::stats::count;
pub use self::stats::{CacheStats, CachedSnapshot};

/// How often a scan is repeated when its root is replaced during the scan.
const MAX_ROOT_ATTEMPTS: usize = 3;

/// Snapshots of recently scanned roots, shared by every search in the process.
///
/// **Key**: the canonical root and all of [`ScanOptions`].
///
/// **Bound**: [`Policy::max_snapshots`] and [`Policy::max_bytes`]. The oldest snapshot is evicted first.
///
/// **Views**: a snapshot also serves requests for fewer of its entries: without hidden names, without `node_modules`,
/// without those that it records as excluded. If nothing in it is a link, it also serves those that follow links.
///
/// **Staleness**: for [`Policy::ttl`] after its publication, a snapshot is returned without reading the disk. Then it is
/// validated: the cache compares its directories and ignore files with the disk and lists the changed ones again. The
/// result equals the result of a new scan. With [`crate::Detail::Full`], on network file systems and on systems other than
/// Linux, the root is scanned again instead.
///
/// **Invalidation**: by the code that changes files, through [`ScanCache::invalidate`]. A scan that runs at that time is
/// not cached when the change may concern it. The next scan checks the places of the changes, and the rest only after its time to live.
///
/// **Publication**: a snapshot enters the cache only through [`ScanCache::publish`], even after a scan.
///
/// Nothing is written to disk. Search results are not cached, only the entries of trees.
pub struct ScanCache {
    state: CacheState,
}

impl ScanCache {
    /// Makes an empty cache.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self::with_clock(policy, Arc::new(Instant::now))
    }

    /// Makes an empty cache that reads the time from `clock`.
    #[must_use]
    pub fn with_clock(policy: Policy, clock: Clock) -> Self {
        Self { state: CacheState::new(policy, clock) }
    }

    /// Returns the cache of the process, with [`Policy::from_env`] as read at the first use.
    #[must_use]
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<ScanCache> = OnceLock::new();
        GLOBAL.get_or_init(|| Self::new(Policy::from_env()))
    }

    /// Returns the policy of this cache.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.state.policy
    }

    /// Returns a snapshot of the root, at most [`Policy::ttl`] old, or one that was compared with the disk after
    /// [`ScanRequest::asked`] with [`ScanRequest::validate`]. A hit is one lookup. Concurrent identical calls
    /// share one scan.
    ///
    /// # Errors
    /// [`WalkError`]; nothing is cached then.
    pub fn get_or_scan(&self, request: &ScanRequest<'_>, pool: &Pool, cancel: &CancelToken) -> Result<Scan, WalkError> {
        check_before_start(request, cancel)?;
        if self.state.policy.ttl.is_zero() {
            return self.scan(request, false, Freshness::SinceAsked, pool, cancel);
        }
        if let Some(stored) = self.state.fresh(&request.key(), request) {
            return Ok(self.hit(stored));
        }
        if let Some(scan) = self.view(request, pool, cancel)? {
            return Ok(scan);
        }
        self.scan(request, true, Freshness::Any, pool, cancel)
    }

    /// Serves the request from a snapshot with more entries. One that is fresh needs no scan. One that is not is updated
    /// first, unless the snapshot of the request itself can be.
    fn view(&self, request: &ScanRequest<'_>, pool: &Pool, cancel: &CancelToken) -> Result<Option<Scan>, WalkError> {
        let key = request.key();
        let (scan, is_known) = match self.state.source(&key, request) {
            Some(Source::Fresh(stored, is_known)) => (self.hit(stored), is_known),
            Some(Source::Other(options)) if self.state.stored(&key).is_none() => {
                let request = ScanRequest { options, ..request.clone() };
                (self.scan(&request, true, Freshness::Any, pool, cancel)?, false)
            }
            _ => return Ok(None),
        };
        // The entries are there: a call that accepts a partial result does not lose them.
        let cancel = if request.partial_on_timeout { cancel.without_deadline() } else { cancel.clone() };
        let view = scan.snapshot.view(request.options, &|| cancel.check())?;
        if !is_known {
            self.enforce_bounds();
        }
        Ok(view.map(|snapshot| Scan { snapshot, age: scan.age }))
    }

    /// Scans the root without using the cache, and drops the cached snapshot. Caches the new one only with `store`.
    ///
    /// # Errors
    /// [`WalkError`]; nothing is cached then.
    pub fn force_rescan(
        &self,
        request: &ScanRequest<'_>,
        store: bool,
        pool: &Pool,
        cancel: &CancelToken,
    ) -> Result<Scan, WalkError> {
        check_before_start(request, cancel)?;
        count(&self.state.counters.rescans);
        let store = store && !self.state.policy.ttl.is_zero();
        self.scan(request, store, Freshness::SinceAsked, pool, cancel)
    }

    /// Scans a part of the tree for one caller. Neither reads nor changes the cache.
    ///
    /// # Errors
    /// [`WalkError`].
    pub fn scan_subtree(
        &self,
        request: &ScanRequest<'_>,
        subtree: Subtree,
        pool: &Pool,
        cancel: &CancelToken,
    ) -> Result<Arc<Snapshot>, WalkError> {
        check_before_start(request, cancel)?;
        let walk = self.walk_once(request, subtree, false)?;
        let result = walk.run(pool, cancel, request.partial_on_timeout);
        walk.abandon();
        self.state.count_effort(&walk);
        result
    }

    /// Scans the first directories of a part of the tree in path order, on the calling thread, so that a caller can begin with
    /// them. Neither reads nor changes the cache. Links are not followed.
    ///
    /// # Errors
    /// [`WalkError`].
    pub fn scan_head(
        &self,
        request: &ScanRequest<'_>,
        subtree: Subtree,
        cancel: &CancelToken,
    ) -> Result<Head, WalkError> {
        check_before_start(request, cancel)?;
        let walk = self.walk_once(request, subtree, true)?;
        let result = walk.run_alone(cancel, request.partial_on_timeout);
        self.state.count_effort(&walk);
        result
    }

    /// A walk for one caller.
    fn walk_once(&self, request: &ScanRequest<'_>, subtree: Subtree, only_head: bool) -> Result<Arc<Walk>, WalkError> {
        Walk::new(WalkPlan {
            root: request.root.to_owned(),
            options: request.options,
            subtree,
            only_head,
            max_entries: self.state.policy.max_scan_entries,
            record_fingerprint: false,
            base: None,
            places: None,
        })
    }

    /// Takes the starting point for a new snapshot of `root` with `options`. Call it before reading the disk, then pass
    /// it to [`ScanCache::publish`] with the new snapshot.
    #[must_use]
    pub fn base(&self, root: &Path, options: ScanOptions) -> Base {
        // Not under the lock.
        let taken = self.state.now();
        self.state.base(&self.state.lock(), ScanKey { root: root.to_owned(), options }, taken)
    }

    /// Caches `snapshot` in place of the one that `base` was taken from. From then on [`ScanCache::get_or_scan`] returns
    /// it for [`Policy::ttl`].
    ///
    /// This is for code that learns of changes by other means than a search, such as a file watcher. The caller
    /// guarantees that the snapshot shows the tree as it was at some moment after `base` was taken. Its
    /// [`Snapshot::generation`] is higher than the generation of the base, because its scan began later; the snapshot of the base
    /// itself is also accepted, which extends its life.
    ///
    /// No invalidation is lost: the cache rejects the snapshot when a change that may concern it was invalidated after
    /// `base` was taken. It also rejects it when another snapshot was published in the meantime: the first one wins.
    /// Take a new base and start again then.
    ///
    /// ```
    /// # use cairn_walk::{Policy, ScanCache, ScanOptions, ScanRequest, Subtree, resolve_root};
    /// # use cairn_cancel::CancelToken;
    /// # let (pool, cancel) = (cairn_pool::Pool::new(1), CancelToken::new());
    /// # let directory = tempfile::tempdir()?;
    /// let cache = ScanCache::new(Policy::default());
    /// let root = resolve_root(directory.path())?;
    /// let options = ScanOptions::default();
    /// let base = cache.base(&root, options);
    /// let asked = std::time::Instant::now();
    /// let request = ScanRequest { root: &root, options, asked, validate: false, partial_on_timeout: false };
    /// let snapshot = cache.scan_subtree(&request, Subtree::default(), &pool, &cancel)?;
    /// cache.publish(base, &snapshot)?;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PublishError`]; the cache is unchanged then.
    #[allow(clippy::needless_pass_by_value, reason = "a base is used for one snapshot")]
    pub fn publish(&self, base: Base, snapshot: &Arc<Snapshot>) -> Result<(), PublishError> {
        // Only a scan of the cache itself can have validated it since.
        if base.is_invalidated() && base.snapshot.as_ref().is_some_and(|stale| Arc::ptr_eq(stale, snapshot)) {
            return Err(PublishError::Outdated { root: snapshot.root().to_owned() });
        }
        self.state.publish(&self.state.lock(), &base, snapshot, self.state.now(), false)
    }

    /// Drops every snapshot that a change at `path` may have made wrong, and prevents running scans that it may concern
    /// from being cached. `None` drops everything. Never fails, and never waits for a scan.
    ///
    /// A dropped snapshot is no longer returned. When it has a fingerprint, the next scan of its root begins by
    /// validating it: the usual change is one file, and finding it that way takes a tenth of the time of a scan. Within the
    /// time to live, it compares only the directories on the way to `path` and below it, the rule files in them, and those
    /// outside the root. The rest stays as old as it is: changes elsewhere are noticed when it expires, if they are not
    /// announced.
    ///
    /// A snapshot is dropped when
    /// - its root is the target or contains it,
    /// - it reached the target through a link,
    /// - the target is an ignore file that applies to its root, or
    /// - the target is, or was, a directory that contains its root.
    pub fn invalidate(&self, path: Option<&Path>) {
        self.state.invalidate(path);
    }

    /// Returns a number that rises with every invalidation: what was read from the disk before it rose may be out of date.
    #[must_use]
    pub fn last_invalidation(&self) -> u64 {
        self.state.lock().log.position()
    }

    /// Drops the oldest snapshots until the rest fits. Call it when [`Snapshot::derived`] has made a cached snapshot
    /// larger.
    pub fn enforce_bounds(&self) {
        let _running = self.state.lock();
        self.state.evict();
    }

    /// Returns the statistics and the current content of the cache.
    #[must_use]
    pub fn stats(&self) -> CacheStats {
        let (snapshots, bytes) = self.state.contents();
        CacheStats { bytes, snapshots, ..self.state.counters.read() }
    }

    fn hit(&self, stored: StoredSnapshot) -> Scan {
        count(&self.state.counters.hits);
        Scan { age: self.state.age(&stored), snapshot: stored.snapshot }
    }

    fn scan(
        &self,
        request: &ScanRequest<'_>,
        store: bool,
        freshness: Freshness,
        pool: &Pool,
        cancel: &CancelToken,
    ) -> Result<Scan, WalkError> {
        let key = request.key();
        let mut attempt = 1;
        loop {
            let (scan, joined) = match self.state.join(&key, request, store, freshness)? {
                Joined::Cached(stored) => return Ok(self.hit(stored)),
                Joined::Running(scan) => (scan, true),
                Joined::Started(scan) => (scan, false),
            };
            let mut guard = JoinGuard { state: &self.state, key: &key, scan: &scan, end: ScanEnd::Failed };
            let result = scan.walk.run(pool, cancel, request.partial_on_timeout);
            let is_finished = result.as_ref().is_ok_and(|snapshot| snapshot.cut() != Some(Cut::Timeout));
            let replaced = if is_finished { scan.walk.root_was_replaced() } else { Ok(false) };
            let result = match (result, replaced) {
                (_, Err(missing)) => Err(missing),
                (Ok(_), Ok(true)) if attempt < MAX_ROOT_ATTEMPTS => {
                    attempt += 1;
                    continue;
                }
                (Ok(partial), _) if !is_finished => {
                    guard.end = ScanEnd::Stopped;
                    Ok(partial)
                }
                (Ok(snapshot), Ok(false)) => {
                    guard.end = ScanEnd::Finished(Arc::clone(&snapshot));
                    Ok(snapshot)
                }
                (Err(WalkError::Stopped(stopped)), _) => {
                    guard.end = ScanEnd::Stopped;
                    Err(stopped.into())
                }
                (result, _) => result,
            };
            drop(guard);
            let age = match CacheState::checked_at(&scan) {
                Some(checked) => self.state.now().saturating_duration_since(checked),
                None if joined => request.asked.saturating_duration_since(scan.began),
                None => Duration::ZERO,
            };
            return Ok(Scan { snapshot: result?, age });
        }
    }
}

/// Fails when the call is already stopped. A call that accepts a partial result may start without time left.
fn check_before_start(request: &ScanRequest<'_>, cancel: &CancelToken) -> Result<(), WalkError> {
    match cancel.check() {
        Err(Stopped::TimedOut) if request.partial_on_timeout => Ok(()),
        other => Ok(other?),
    }
}

#[cfg(test)]
mod tests;
