//! The process-wide cache of snapshots, with single flight and invalidation.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::Pool;
use dashmap::DashMap;

use crate::error::WalkError;
use crate::options::{Policy, ScanOptions, Scope};
use crate::paths;
use crate::snapshot::Snapshot;
use crate::walker::{Plan, ROOT_ATTEMPTS, Walk};

/// Tells the time. Tests pass their own; everyone else uses [`Instant::now`].
pub type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

/// What to scan, and how the caller waits for it.
#[derive(Clone, Debug)]
pub struct ScanRequest<'a> {
    /// The canonical root; see [`crate::resolve_root`].
    pub root: &'a Path,
    /// What to include.
    pub options: ScanOptions,
    /// When the caller asked. A scan that began earlier may have missed what the caller already knows of, so it is
    /// not shared with callers that want a fresh one.
    pub asked: Instant,
    /// When the time runs out, give what was found so far instead of an error.
    pub partial_on_timeout: bool,
}

/// A snapshot and how stale it may be.
#[derive(Clone, Debug)]
pub struct Scan {
    /// What was found.
    pub snapshot: Arc<Snapshot>,
    /// Zero for a scan made for this call; else the time since the snapshot was published, or, when the call joined a
    /// scan already under way, since that scan began.
    pub age: Duration,
}

/// Snapshots of recently scanned roots, shared by every search in the process.
///
/// **Key**: canonical root and all of [`ScanOptions`]. **Bound**: [`Policy::max_snapshots`] and [`Policy::max_bytes`],
/// oldest out first. **Staleness**: a snapshot is served for [`Policy::ttl`] after it was published, without a look at
/// the disk; then it is validated: its directories and ignore files are looked at, those that changed are listed again,
/// and the result is that of a new scan. With [`crate::Detail::Full`], on network file systems and on systems other than
/// Linux the root is scanned again instead. **Invalidation**: by whoever changes files, through
/// [`ScanCache::invalidate`]; a scan that was under way then is not kept.
///
/// Nothing is persisted, and no search result is cached, only what is in the tree.
pub struct ScanCache {
    policy: Policy,
    clock: Clock,
    snapshots: DashMap<ScanKey, Kept>,
    /// Scans under way that may be joined and, when they want it, kept. A scan that is not in here any more when it
    /// ends is not kept. Also the lock under which the cache is changed.
    flights: Mutex<HashMap<ScanKey, Arc<Flight>>>,
    /// How often [`ScanCache::invalidate`] was called. Changed under the `flights` lock.
    invalidated: AtomicU64,
    counters: Counters,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ScanKey {
    root: PathBuf,
    options: ScanOptions,
}

#[derive(Clone, Debug)]
struct Kept {
    snapshot: Arc<Snapshot>,
    published: Instant,
    /// It is served to nobody any more, and only spares the next scan what it can validate.
    invalidated: bool,
}

struct Flight {
    walk: Arc<Walk>,
    began: Instant,
    keep: AtomicBool,
    /// Calls that work on it. Changed under the `flights` lock.
    attached: AtomicUsize,
}

impl std::fmt::Debug for Flight {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Flight").field("began", &self.began).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Counters {
    hits: AtomicU64,
    misses: AtomicU64,
    validations: AtomicU64,
    rescans: AtomicU64,
    invalidations: AtomicU64,
    evictions: AtomicU64,
    joins: AtomicU64,
    directories_listed: AtomicU64,
    checks: AtomicU64,
}

/// What the cache has done since the process began, and what it holds.
#[derive(Clone, Debug, Default)]
pub struct CacheStats {
    /// Calls served from a snapshot within its time to live.
    pub hits: u64,
    /// Calls that found no snapshot, or only one that had been dropped.
    pub misses: u64,
    /// Calls for which an expired or dropped snapshot was validated.
    pub validations: u64,
    /// Calls for which a root was scanned although it was known: forced, or because validation could not tell.
    pub rescans: u64,
    /// Snapshots dropped by [`ScanCache::invalidate`].
    pub invalidations: u64,
    /// Snapshots dropped because the cache was full.
    pub evictions: u64,
    /// Calls that joined a scan under way.
    pub joins: u64,
    /// Directories that were listed, by all scans.
    pub directories_listed: u64,
    /// Directories, followed links and ignore files that were looked at to validate snapshots.
    pub checks: u64,
    /// Memory held, in bytes, with that of dropped snapshots that the next scan will begin with.
    pub bytes: usize,
    /// What is kept, by root.
    pub snapshots: Vec<CachedSnapshot>,
}

/// One kept snapshot.
#[derive(Clone, Debug)]
pub struct CachedSnapshot {
    /// The snapshot itself.
    pub snapshot: Arc<Snapshot>,
    /// Time since it was published.
    pub age: Duration,
}

/// Whether a scan under way will do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Any,
    BegunSinceAsked,
}

/// How a call leaves a scan.
enum Land {
    /// It is done: keep the snapshot, if anybody wants it kept and nothing was invalidated meanwhile.
    Publish(Arc<Snapshot>),
    /// The call does not wait any longer; others may.
    Leave,
    /// It failed, or its root is another directory by now: nobody joins it any more.
    Discard,
}

/// Leaves a scan when dropped, by a panic too.
struct Landing<'a> {
    cache: &'a ScanCache,
    key: &'a ScanKey,
    flight: &'a Arc<Flight>,
    how: Land,
}

impl Drop for Landing<'_> {
    fn drop(&mut self) {
        self.cache.land(self.key, self.flight, &self.how);
    }
}

/// How a call gets its snapshot.
enum Boarding {
    /// Another call has published one meanwhile.
    Kept(Kept),
    /// By working on this scan. Whether another call began it.
    Flight(Arc<Flight>, bool),
}

impl ScanCache {
    /// An empty cache.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self::with_clock(policy, Arc::new(Instant::now))
    }

    /// An empty cache that takes the time from `clock`.
    #[must_use]
    pub fn with_clock(policy: Policy, clock: Clock) -> Self {
        Self {
            policy,
            clock,
            snapshots: DashMap::new(),
            flights: Mutex::default(),
            invalidated: AtomicU64::new(0),
            counters: Counters::default(),
        }
    }

    /// The cache of the process, with [`Policy::from_env`] as read at the first use.
    #[must_use]
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<ScanCache> = OnceLock::new();
        GLOBAL.get_or_init(|| Self::new(Policy::from_env()))
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// A snapshot of the root, at most [`Policy::ttl`] old. A hit is one look-up; identical calls at the same time
    /// share one scan.
    ///
    /// # Errors
    /// [`WalkError`]; nothing is kept then.
    pub fn get_or_scan(&self, request: &ScanRequest<'_>, pool: &Pool, cancel: &CancelToken) -> Result<Scan, WalkError> {
        cancel_check(request, cancel)?;
        if self.policy.ttl.is_zero() {
            return self.scan(request, false, Join::BegunSinceAsked, pool, cancel);
        }
        let key = request.key();
        if let Some(kept) = self.fresh(&key) {
            return Ok(self.hit(kept));
        }
        self.scan(request, true, Join::Any, pool, cancel)
    }

    fn fresh(&self, key: &ScanKey) -> Option<Kept> {
        let kept = self.snapshots.get(key).map(|kept| kept.value().clone());
        kept.filter(|kept| !kept.invalidated && self.age(kept) < self.policy.ttl)
    }

    fn hit(&self, kept: Kept) -> Scan {
        count(&self.counters.hits);
        Scan { age: self.age(&kept), snapshot: kept.snapshot }
    }

    fn age(&self, kept: &Kept) -> Duration {
        (self.clock)().saturating_duration_since(kept.published)
    }

    /// Scans the root whatever is cached, and drops what is. Only with `store` the new snapshot is kept.
    ///
    /// # Errors
    /// [`WalkError`]; nothing is kept then.
    pub fn force_rescan(
        &self,
        request: &ScanRequest<'_>,
        store: bool,
        pool: &Pool,
        cancel: &CancelToken,
    ) -> Result<Scan, WalkError> {
        cancel_check(request, cancel)?;
        count(&self.counters.rescans);
        let store = store && !self.policy.ttl.is_zero();
        self.scan(request, store, Join::BegunSinceAsked, pool, cancel)
    }

    /// Scans a part of the tree for one caller, beside the cache: neither reads nor changes it.
    ///
    /// # Errors
    /// [`WalkError`].
    pub fn scan_part(
        &self,
        request: &ScanRequest<'_>,
        scope: Scope,
        pool: &Pool,
        cancel: &CancelToken,
    ) -> Result<Arc<Snapshot>, WalkError> {
        cancel_check(request, cancel)?;
        let walk = Walk::new(Plan {
            root: request.root.to_owned(),
            options: request.options,
            scope,
            max_entries: self.policy.max_scan_entries,
            keep_evidence: false,
            base: None,
        })?;
        let result = walk.run(pool, cancel);
        walk.abandon();
        self.count_effort(&walk);
        or_partial(result, request, &walk)
    }

    fn scan(
        &self,
        request: &ScanRequest<'_>,
        store: bool,
        join: Join,
        pool: &Pool,
        cancel: &CancelToken,
    ) -> Result<Scan, WalkError> {
        let key = request.key();
        let mut attempt = 1;
        loop {
            let (flight, joined) = match self.board(&key, request, store, join)? {
                Boarding::Kept(kept) => return Ok(self.hit(kept)),
                Boarding::Flight(flight, joined) => (flight, joined),
            };
            let mut landing = Landing { cache: self, key: &key, flight: &flight, how: Land::Discard };
            let result = flight.walk.run(pool, cancel);
            let replaced = if result.is_ok() { flight.walk.root_was_replaced() } else { Ok(false) };
            let result = match (result, replaced) {
                (_, Err(gone)) => Err(gone),
                (Ok(_), Ok(true)) if attempt < ROOT_ATTEMPTS => {
                    attempt += 1;
                    continue;
                }
                (Ok(snapshot), Ok(false)) => {
                    landing.how = Land::Publish(Arc::clone(&snapshot));
                    Ok(snapshot)
                }
                (Err(WalkError::Stopped(stopped)), _) => {
                    landing.how = Land::Leave;
                    Err(stopped.into())
                }
                (result, _) => result,
            };
            drop(landing);
            let age = if joined { request.asked.saturating_duration_since(flight.began) } else { Duration::ZERO };
            return Ok(Scan { snapshot: or_partial(result, request, &flight.walk)?, age });
        }
    }

    /// Finds a snapshot published meanwhile, attaches to a scan under way that will do, or begins one.
    fn board(&self, key: &ScanKey, request: &ScanRequest<'_>, store: bool, join: Join) -> Result<Boarding, WalkError> {
        let find = |flights: &HashMap<ScanKey, Arc<Flight>>| {
            if join == Join::Any
                && let Some(kept) = self.fresh(key)
            {
                return Some(Boarding::Kept(kept));
            }
            // A validation is no scan of everything, which whoever insists on a fresh one asked for.
            let will_do = |flight: &&Arc<Flight>| flight.began >= request.asked && !flight.walk.validates();
            let flight = flights.get(key).filter(|flight| join == Join::Any || will_do(flight))?;
            flight.attached.fetch_add(1, Ordering::Relaxed);
            flight.keep.fetch_or(store, Ordering::Relaxed);
            count(&self.counters.joins);
            Some(Boarding::Flight(Arc::clone(flight), true))
        };
        loop {
            let invalidated = {
                let flights = lock(&self.flights);
                if let Some(found) = find(&flights) {
                    return Ok(found);
                }
                self.invalidated.load(Ordering::Relaxed)
            };
            // Reads ignore files above the root: not under the lock, which `invalidate` takes on the caller's thread.
            let began = (self.clock)();
            let expired = self.snapshots.get(key).map(|kept| kept.value().clone());
            let walk = Walk::new(Plan {
                root: key.root.clone(),
                options: key.options,
                scope: Scope::default(),
                max_entries: self.policy.max_scan_entries,
                keep_evidence: store,
                base: expired.as_ref().filter(|_| join == Join::Any).map(|kept| Arc::clone(&kept.snapshot)),
            })?;
            let mut flights = lock(&self.flights);
            if let Some(found) = find(&flights) {
                return Ok(found);
            }
            if self.invalidated.load(Ordering::Relaxed) != invalidated {
                // What was read may be what the invalidation was about.
                continue;
            }
            let keep = AtomicBool::new(store);
            let flight = Arc::new(Flight { walk, began, keep, attached: AtomicUsize::new(1) });
            match (join, &expired) {
                // A forced scan has been counted by whoever forced it, and drops what is kept first.
                (Join::BegunSinceAsked, _) => _ = self.snapshots.remove(key),
                (Join::Any, None | Some(Kept { invalidated: true, .. })) => count(&self.counters.misses),
                (Join::Any, Some(_)) if flight.walk.validates() => {}
                (Join::Any, Some(_)) => count(&self.counters.rescans),
            }
            if flight.walk.validates() {
                count(&self.counters.validations);
            }
            flights.insert(key.clone(), Arc::clone(&flight));
            return Ok(Boarding::Flight(flight, false));
        }
    }

    /// Detaches from a scan.
    fn land(&self, key: &ScanKey, flight: &Arc<Flight>, how: &Land) {
        let mut flights = lock(&self.flights);
        let listed = flights.get(key).is_some_and(|other| Arc::ptr_eq(other, flight));
        let left = flight.attached.fetch_sub(1, Ordering::Relaxed) - 1;
        if left == 0 {
            flight.walk.abandon();
            self.count_effort(&flight.walk);
        }
        if !listed {
            return;
        }
        if matches!(how, Land::Discard) {
            self.snapshots.remove(key);
        }
        if left == 0 || !matches!(how, Land::Leave) {
            flights.remove(key);
        }
        if let Land::Publish(snapshot) = how
            && flight.keep.load(Ordering::Relaxed)
        {
            let kept = Kept { snapshot: Arc::clone(snapshot), published: (self.clock)(), invalidated: false };
            self.snapshots.insert(key.clone(), kept);
            self.evict();
        }
    }

    fn count_effort(&self, walk: &Walk) {
        let effort = walk.effort();
        self.counters.directories_listed.fetch_add(effort.listed, Ordering::Relaxed);
        self.counters.checks.fetch_add(effort.checked, Ordering::Relaxed);
        self.counters.rescans.fetch_add(u64::from(effort.rescanned), Ordering::Relaxed);
    }

    /// Drops the oldest snapshots until the rest fits. Call it when a kept snapshot has grown by what was derived from
    /// it.
    pub fn enforce_bounds(&self) {
        let _flights = lock(&self.flights);
        self.evict();
    }

    /// Drops the oldest snapshots until the rest fits. Called under the `flights` lock.
    fn evict(&self) {
        let mut all: Vec<(ScanKey, Kept, usize)> = self
            .snapshots
            .iter()
            .map(|entry| (entry.key().clone(), entry.value().clone(), entry.value().snapshot.bytes()))
            .collect();
        all.sort_unstable_by_key(|(_, kept, _)| (!kept.invalidated, kept.published, kept.snapshot.generation()));
        let mut bytes: usize = all.iter().map(|(.., bytes)| bytes).sum();
        let mut count_left = all.len();
        for (key, kept, entry_bytes) in all {
            if count_left <= self.policy.max_snapshots && bytes <= self.policy.max_bytes {
                break;
            }
            self.snapshots.remove(&key);
            if !kept.invalidated {
                count(&self.counters.evictions);
            }
            count_left -= 1;
            bytes -= entry_bytes;
        }
    }

    /// Drops every snapshot that a change at `path` may have made wrong, and keeps scans under way from being kept.
    /// `None` drops everything. Never fails, and never waits for a scan.
    ///
    /// A snapshot with evidence is served no more either, but the next scan of its root begins by validating it: the
    /// usual change is one file, and finding that takes a tenth of the time.
    ///
    /// A snapshot is dropped when its root is the target or contains it; when the target was reached through a link
    /// it followed; when the target is an ignore file and the root lies below the directory it rules; and when the
    /// target is, or was, a directory that contains the root.
    pub fn invalidate(&self, path: Option<&Path>) {
        let targets = path.map(paths::resolve_target);
        let mut flights = lock(&self.flights);
        self.invalidated.fetch_add(1, Ordering::Relaxed);
        let affected: Vec<ScanKey> = self
            .snapshots
            .iter()
            .filter(|entry| {
                targets.as_ref().is_none_or(|targets| {
                    targets.iter().any(|target| {
                        affects_root(target, entry.key()) || affects_outside(target, &entry.value().snapshot)
                    })
                })
            })
            .map(|entry| entry.key().clone())
            .collect();
        for key in affected {
            let keeps = |kept: &Kept| path.is_some() && kept.snapshot.evidence().is_some();
            if let Some(mut kept) = self.snapshots.get_mut(&key)
                && keeps(&kept)
            {
                if !std::mem::replace(&mut kept.invalidated, true) {
                    count(&self.counters.invalidations);
                }
                continue;
            }
            if self.snapshots.remove(&key).is_some_and(|(_, kept)| !kept.invalidated) {
                count(&self.counters.invalidations);
            }
        }
        // What a scan under way that follows links will have reached is not known before it ends.
        flights.retain(|key, flight| {
            targets.as_ref().is_some_and(|targets| {
                targets.iter().all(|target| {
                    !key.options.follow_links && !affects_root(target, key) && !flight.walk.is_ruled_by(target)
                })
            })
        });
    }

    /// What the cache has done and holds now.
    #[must_use]
    pub fn stats(&self) -> CacheStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut snapshots: Vec<CachedSnapshot> = self
            .snapshots
            .iter()
            .filter(|entry| !entry.value().invalidated)
            .map(|entry| CachedSnapshot { snapshot: Arc::clone(&entry.value().snapshot), age: self.age(entry.value()) })
            .collect();
        snapshots.sort_unstable_by(|a, b| {
            let key = |kept: &CachedSnapshot| (kept.snapshot.root().to_owned(), kept.snapshot.generation());
            key(a).cmp(&key(b))
        });
        CacheStats {
            hits: read(&self.counters.hits),
            misses: read(&self.counters.misses),
            validations: read(&self.counters.validations),
            rescans: read(&self.counters.rescans),
            invalidations: read(&self.counters.invalidations),
            evictions: read(&self.counters.evictions),
            joins: read(&self.counters.joins),
            directories_listed: read(&self.counters.directories_listed),
            checks: read(&self.counters.checks),
            bytes: self.snapshots.iter().map(|entry| entry.value().snapshot.bytes()).sum(),
            snapshots,
        }
    }
}

impl ScanRequest<'_> {
    fn key(&self) -> ScanKey {
        ScanKey { root: self.root.to_owned(), options: self.options }
    }
}

/// Whether a change at `target` concerns snapshots of the key's root. By path component: `/a/b` does not contain
/// `/a/bc`.
fn affects_root(target: &Path, key: &ScanKey) -> bool {
    let root = &key.root;
    if target.starts_with(root) {
        return true;
    }
    let rules = [".gitignore", ".ignore", ".git", ".git/info/exclude"];
    let rules_above = key.options.use_gitignore
        && rules.iter().any(|name| {
            let directory = target.ends_with(name).then(|| target.ancestors().nth(Path::new(name).iter().count()));
            directory.flatten().is_some_and(|directory| root.starts_with(directory))
        });
    // A file contains no root: what is at the target now, or was, is a directory.
    rules_above || root.starts_with(target)
}

/// Whether a change at `target` reaches the snapshot from outside its root.
fn affects_outside(target: &Path, snapshot: &Snapshot) -> bool {
    let outside = snapshot.outside();
    outside.rule_files.iter().any(|file| file == target)
        || outside.link_targets.iter().any(|linked| target.starts_with(linked) || linked.starts_with(target))
}

/// A call whose time is already up does not start, unless it will take what there is.
fn cancel_check(request: &ScanRequest<'_>, cancel: &CancelToken) -> Result<(), WalkError> {
    match cancel.check() {
        Err(Stopped::TimedOut) if request.partial_on_timeout => Ok(()),
        other => Ok(other?),
    }
}

fn or_partial(
    result: Result<Arc<Snapshot>, WalkError>,
    request: &ScanRequest<'_>,
    walk: &Walk,
) -> Result<Arc<Snapshot>, WalkError> {
    match result {
        Err(WalkError::Stopped(Stopped::TimedOut)) if request.partial_on_timeout => Ok(walk.partial()),
        other => other,
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
