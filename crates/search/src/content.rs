//! Indexes of the contents of trees, so that a search opens only files that may have a match.
//!
//! An index holds a signature of each file (see `cairn_content_index`) and the stamp that the file had. A file is left out of a
//! search only if its stamp, read within the call, is the one that was indexed. Any other file is searched: one that is not
//! indexed yet, that has changed, or that cannot be indexed. So an index changes the time of a search and nothing else.
//!
//! Indexes are in memory only. The second search of a large tree begins one in the background.

mod budget;
mod build;
mod exclusion;
mod live;
mod policy;
mod root;
mod stamp;
mod start;
mod stats;
mod watch;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use cairn_content_index::{Detail, Query};
use cairn_pool::{Pool, Shared};
use cairn_walk::{Kind, ScanOptions, Snapshot, to_bytes};

use self::budget::Budget;
use self::build::Build;
pub(crate) use self::exclusion::{Claim, Exclusion, Nul, Reading};
use self::live::{Count, Live};
pub use self::policy::IndexPolicy;
use self::root::RootIndex;
use self::start::Start;
pub use self::stats::{Freshness, IndexOff, IndexStats};
use self::watch::{Bits, Watcher};

/// How many trees are remembered.
const MAX_ROOTS: usize = 64;
/// An index is made again when it has twice the files of its tree and this number more.
const MIN_BLOAT: usize = 10_000;
/// How many snapshots of a tree are trusted: with other options, or of parts of it.
const MAX_TREES: usize = 4;
/// The search of a tree that begins its index.
const FIRST_USE: u32 = 2;
/// An index that was not used for this long gives its memory to others.
const IDLE: Duration = Duration::from_secs(300);

/// An index that was full goes on when this part of the memory is free again.
const ROOM_PART: usize = 8;

/// The indexes of a process, one for each large tree that is searched repeatedly.
pub struct ContentIndexes(Arc<Inner>);

struct Inner {
    policy: IndexPolicy,
    budget: Arc<Budget>,
    roots: Mutex<HashMap<PathBuf, Root>>,
    /// The work in the background.
    live: Arc<Count>,
    watcher: Mutex<Watcher>,
}

/// The state of a watched tree when a search began.
pub(crate) struct Watching {
    index: Arc<RootIndex>,
    sequence: u64,
    version: u64,
    trusted: Bits,
    /// The snapshot of the tree, if it needs no comparison with the disk.
    pub(crate) tree: Option<Arc<Snapshot>>,
}

/// The record of a tree that was searched.
struct Root {
    /// The number of searches of each list of files that the tree has.
    uses: HashMap<ScanOptions, u32>,
    last_used: Instant,
    state: State,
}

enum State {
    New,
    /// Whether it gets an index is being decided.
    Starting,
    /// It has none; the number of entries that it had.
    Off(IndexOff, usize),
    On(Arc<RootIndex>),
}

impl ContentIndexes {
    /// Makes an empty set.
    #[must_use]
    pub fn new(policy: IndexPolicy) -> Self {
        let budget = Arc::new(Budget::new(policy.max_bytes));
        Self(Arc::new(Inner {
            policy,
            budget,
            roots: Mutex::default(),
            live: Arc::default(),
            watcher: Mutex::new(Watcher::new(policy.max_watches)),
        }))
    }

    /// Returns the indexes of the process, with [`IndexPolicy::from_env`] as read at the first use.
    #[must_use]
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<ContentIndexes> = OnceLock::new();
        GLOBAL.get_or_init(|| Self::new(IndexPolicy::from_env()))
    }

    /// Whether a tree, or one that contains it, has an index.
    #[must_use]
    pub fn covers(&self, root: &Path) -> bool {
        self.0.index_of(&self.0.lock(), root).is_some()
    }

    /// Returns which files of a snapshot have no match; `None` if that is not known of enough of them.
    pub(crate) fn exclusion(
        &self,
        snapshot: &Arc<Snapshot>,
        entries: Range<usize>,
        query: impl FnOnce(Detail) -> Query,
        reading: Reading,
        watching: Option<&Watching>,
    ) -> Option<Exclusion> {
        let index = self.0.index_of(&self.0.lock(), snapshot.root())?;
        let query = query(index.detail);
        if query == Query::All {
            return None;
        }
        let slots = index.slots(snapshot)?;
        let watched = watching
            .filter(|watching| Arc::ptr_eq(&watching.index, &index) && snapshot.options() == index.options)
            .map(|watching| {
                let mut watcher = self.0.watcher();
                let coverage = watcher.cover(&index, snapshot, &slots);
                let mut trust = index.trust();
                // The snapshot was compared with the disk after the search began, and nothing was reported since.
                let is_trusted = coverage.is_complete
                    && (watcher.version(), trust.sequence) == (watching.version, watching.sequence);
                let is_whole = snapshot.cut().is_none() && snapshot.unreadable() == 0;
                if is_trusted && is_whole && !trust.trees.iter().any(|known| Arc::ptr_eq(known, snapshot)) {
                    trust.trees.truncate(MAX_TREES - 1);
                    trust.trees.insert(0, Arc::clone(snapshot));
                }
                (watching, coverage)
            });
        Exclusion::new(&index, snapshot, entries, &query, reading, slots, watched)
    }

    /// Begins a search of a tree that is to be watched. `None` if the tree has no index. A snapshot that the search uses must be the
    /// one in the result, or be compared with the disk from now on.
    pub(crate) fn begin(&self, root: &Path, options: ScanOptions) -> Option<Watching> {
        let (index, version) = {
            let mut watcher = self.0.watcher();
            // An index that is made after this list cannot trust anything until the watcher is free again.
            let (index, indexes) = {
                let roots = self.0.lock();
                (self.0.index_of(&roots, root)?, indexes_of(&roots))
            };
            watcher.drain(&indexes);
            (index, watcher.version())
        };
        let trust = index.trust();
        let tree = trust.trees.iter().find(|tree| tree.root() == root && tree.options() == options).cloned();
        let (sequence, trusted) = (trust.sequence, trust.files.clone());
        drop(trust);
        let tree = tree.filter(|tree| tree.has_current_rules());
        Some(Watching { index, sequence, version, trusted, tree })
    }

    /// Distrusts the index of a file, for a change that no time and no report shows. For a directory, or `None`, which means all,
    /// the files are compared with the disk again, whether they are watched or not.
    pub fn invalidate(&self, path: Option<&Path>) {
        for index in indexes_of(&self.0.lock()) {
            match path.map(|path| path.strip_prefix(&index.root)) {
                Some(Ok(inside)) if index.forget(&to_bytes(inside)) => {}
                Some(Err(_)) => {}
                Some(Ok(_)) | None => index.trust().withdraw(),
            }
        }
    }

    /// Counts a search of a tree. The second one begins its index.
    pub(crate) fn count_use(&self, snapshot: &Arc<Snapshot>, pool: &Pool) {
        if snapshot.cut().is_some() {
            return;
        }
        let mut roots = self.0.lock();
        if let Some(index) = self.0.index_of(&roots, snapshot.root()) {
            // A tree with many files that came and went.
            let is_bloated = index.root == snapshot.root() && index.size().0 > 2 * snapshot.len() + MIN_BLOAT;
            if let Some(known) = roots.get_mut(&index.root) {
                known.last_used = Instant::now();
                if is_bloated {
                    known.state = State::New;
                }
            }
            return;
        }
        make_room(&mut roots, snapshot.root());
        let new = || Root { uses: HashMap::new(), last_used: Instant::now(), state: State::New };
        let root = roots.entry(snapshot.root().to_owned()).or_insert_with(new);
        let uses = root.uses.entry(snapshot.options()).or_default();
        *uses = uses.saturating_add(1);
        let is_first = *uses < FIRST_USE;
        root.last_used = Instant::now();
        if let State::On(_) = root.state {
            // Any other index would have been found.
            root.state = State::Off(IndexOff::Failed, snapshot.len());
        }
        let is_decided = match root.state {
            State::New => self.0.policy.max_bytes == 0,
            State::Off(_, entries) => snapshot.len().abs_diff(entries) <= entries / 4,
            State::Starting | State::On(_) => true,
        };
        if is_first || is_decided {
            return;
        }
        root.state = State::Starting;
        drop(roots);
        let start = Start::new(&self.0, snapshot, pool);
        pool.offer_background(&(Arc::new(start) as Arc<dyn Shared>));
    }

    /// Indexes the files that a search found to be not indexed as they are.
    pub(crate) fn update(&self, exclusion: &Exclusion, pool: &Pool) {
        exclusion.trust_verified();
        let Exclusion { index, snapshot, slots, .. } = exclusion;
        let entries = exclusion.noted();
        if self.0.budget.left() >= self.0.policy.max_bytes / ROOM_PART {
            index.is_full.store(false, Ordering::Relaxed);
        }
        let is_off = index.is_full.load(Ordering::Relaxed) || index.is_waiting();
        if !entries.is_empty() && !is_off {
            self.0.build(index, snapshot, slots, entries, pool);
        }
    }

    /// Waits until nothing is left to do in the background.
    pub fn wait(&self) {
        self.0.live.wait();
    }

    /// Returns the state of all indexes.
    #[must_use]
    pub fn stats(&self) -> IndexStats {
        // The locks are taken in this order everywhere.
        let watches = self.0.watcher().len();
        let roots = self.0.lock();
        let mut stats = IndexStats { watches, ..IndexStats::default() };
        for root in roots.values() {
            if let State::On(index) = &root.state {
                let (files, indexed, bytes) = index.size();
                stats.files += files;
                stats.indexed += indexed;
                stats.bytes += bytes;
                stats.building |= index.is_building.load(Ordering::Acquire);
            }
            stats.building |= matches!(root.state, State::Starting);
        }
        let last = roots.values().max_by_key(|root| root.last_used).map(|root| &root.state);
        stats.off = match last {
            _ if self.0.policy.max_bytes == 0 => Some(IndexOff::Disabled),
            _ if self.0.policy.settle.is_none() => Some(IndexOff::FileSystem),
            None | Some(State::New) => Some(IndexOff::NotUsed),
            Some(State::Starting) => None,
            Some(State::Off(reason, _)) => Some(*reason),
            Some(State::On(index)) if index.has_failed.load(Ordering::Acquire) => Some(IndexOff::Failed),
            Some(State::On(index)) => index.is_full.load(Ordering::Relaxed).then_some(IndexOff::TooLarge),
        };
        stats
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Root>> {
        // No code panics between two changes that belong together.
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watcher(&self) -> MutexGuard<'_, Watcher> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the index of a tree, or of the nearest one that contains it.
    fn index_of(&self, roots: &HashMap<PathBuf, Root>, root: &Path) -> Option<Arc<RootIndex>> {
        self.policy.settle?;
        root.ancestors().find_map(|directory| match roots.get(directory) {
            Some(Root { state: State::On(index), .. }) if !index.has_failed.load(Ordering::Acquire) => {
                Some(Arc::clone(index))
            }
            _ => None,
        })
    }

    /// Indexes entries of a snapshot in the background, unless the tree is being indexed already.
    fn build(
        &self,
        index: &Arc<RootIndex>,
        snapshot: &Arc<Snapshot>,
        slots: &Arc<[u32]>,
        entries: Vec<u32>,
        pool: &Pool,
    ) {
        if index.is_building.swap(true, Ordering::AcqRel) {
            return;
        }
        let build = Build {
            index: Arc::clone(index),
            snapshot: Arc::clone(snapshot),
            slots: Arc::clone(slots),
            entries,
            settle: self.policy.settle.unwrap_or_default(),
            max_files: self.policy.max_files,
            next: AtomicUsize::new(0),
            left: Mutex::default(),
            unsettled: AtomicUsize::new(0),
            _live: Live::new(&self.live),
        };
        pool.offer_background(&(Arc::new(build) as Arc<dyn Shared>));
    }
}

/// Forgets the tree that was used least recently if there are too many.
fn make_room(roots: &mut HashMap<PathBuf, Root>, next: &Path) {
    if roots.len() < MAX_ROOTS || roots.contains_key(next) {
        return;
    }
    let is_free = |root: &&Root| matches!(root.state, State::New | State::Off(..));
    let oldest = roots.iter().filter(|(_, root)| is_free(root)).min_by_key(|(_, root)| root.last_used);
    if let Some(path) = oldest.map(|(path, _)| path.clone()) {
        roots.remove(&path);
    }
}

fn indexes_of(roots: &HashMap<PathBuf, Root>) -> Vec<Arc<RootIndex>> {
    let index = |root: &Root| if let State::On(index) = &root.state { Some(Arc::clone(index)) } else { None };
    roots.values().filter_map(index).collect()
}

/// The files of a snapshot.
fn files_of(snapshot: &Snapshot) -> impl Iterator<Item = usize> {
    (0..snapshot.len()).filter(|&entry| snapshot.kind(entry) == Kind::File)
}

#[cfg(test)]
mod tests;
