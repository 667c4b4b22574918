//! Glob over a snapshot.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::Metadata;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::Ordered;
use cairn_walk::{Detail, Kind, ScanOptions, Snapshot, from_bytes};

use crate::engine::{Engine, Scope, StopReason, fit_paths};
use crate::error::SearchError;
use crate::pattern::{Anchoring, GlobPattern, mentions_node_modules};

/// Entries matched per chunk. Large enough that a chunk outweighs handing it over, small enough to share a tree of
/// ten thousand entries between two threads.
const CHUNK: usize = 4096;
/// A matching loop looks at its token every so many entries.
const CHECK_EVERY: usize = 1024;

/// What to look for.
#[derive(Clone, Debug)]
pub struct GlobOptions {
    /// The glob: `*` and `?` stop at `/`, `**` does not; `[…]`, `{a,b}` and a backslash as in gitignore(5). Empty is `*`.
    pub pattern: String,
    /// Where to look.
    pub scope: Scope,
    /// Only entries of this kind. A symbolic link counts as the kind of its target. Default: all.
    pub kind: Option<Kind>,
    /// A pattern without `/` matches at any depth. Default: true.
    pub recursive: bool,
    /// At most so many hits. Default: all.
    pub max_results: Option<usize>,
    /// Newest first instead of path order. Default: false.
    pub sort_by_mtime: bool,
    /// Look into `node_modules`. Default: if the pattern mentions it.
    pub include_node_modules: Option<bool>,
}

impl GlobOptions {
    /// All entries below `path` that match `pattern`.
    #[must_use]
    pub fn new(pattern: impl Into<String>, path: impl Into<std::path::PathBuf>) -> Self {
        Self {
            pattern: pattern.into(),
            scope: Scope::new(path),
            kind: None,
            recursive: true,
            max_results: None,
            sort_by_mtime: false,
            include_node_modules: None,
        }
    }
}

/// One hit. The path is the snapshot's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobHit {
    /// The entry's index in the snapshot, which has fewer than 2^32.
    pub entry: u32,
    /// Its kind; for a link that was asked for by kind, that of its target.
    pub kind: Kind,
}

/// What is known of a hit beside its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobDetails {
    /// Modification time in milliseconds since the epoch.
    pub mtime_ms: Option<f64>,
    /// Size in bytes, for regular files.
    pub size: Option<u64>,
}

/// All hits.
#[derive(Clone, Debug, Default)]
pub struct GlobOutcome {
    /// What was searched; `None` when nothing had to be.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The hits in path order, or newest first.
    pub hits: Vec<GlobHit>,
    /// The details of each hit, when sorting by modification time; else empty.
    pub details: Vec<GlobDetails>,
    /// How many entries matched; with a limit in path order no more are counted than were returned.
    pub total: usize,
    /// Why hits may be missing.
    pub stop_reason: Option<StopReason>,
}

/// Finds the entries that match a glob.
///
/// Uncached, only the part of the tree that can match is walked. Cached, a pattern that begins with directories is
/// looked up by binary search.
///
/// # Errors
/// [`SearchError`]: the root, the pattern, or the caller's end of the search.
pub fn glob(engine: Engine<'_>, options: &GlobOptions, cancel: &CancelToken) -> Result<GlobOutcome, SearchError> {
    let scope = &options.scope;
    let root = scope.root()?;
    let anchoring = if options.recursive { Anchoring::Recursive } else { Anchoring::Rooted };
    let pattern = GlobPattern::compile(&options.pattern, [&root, &scope.path], anchoring)?;
    if options.max_results == Some(0) {
        return Ok(GlobOutcome { stop_reason: Some(StopReason::Limit), ..GlobOutcome::default() });
    }
    let include_node_modules = options.include_node_modules.unwrap_or_else(|| mentions_node_modules(&options.pattern));
    let scan = ScanOptions {
        include_hidden: scope.include_hidden,
        use_gitignore: scope.use_gitignore,
        skip_node_modules: !include_node_modules,
        follow_links: false,
        detail: if options.sort_by_mtime { Detail::Full } else { Detail::Minimal },
    };
    let filter = Arc::new(Filter { pattern, kind: options.kind, full: options.sort_by_mtime });
    let request = scope.request(&root, scan);
    let part = filter.pattern.scope();
    if !scope.use_cache && !part.is_whole_tree() {
        let snapshot = engine.cache.scan_subtree(&request, part, engine.pool, cancel)?;
        return evaluate(engine, options, &filter, &snapshot, cancel);
    }
    engine.on_snapshot(
        scope,
        &request,
        cancel,
        |snapshot| evaluate(engine, options, &filter, snapshot, cancel),
        |outcome| outcome.hits.is_empty(),
    )
}

fn evaluate(
    engine: Engine<'_>,
    options: &GlobOptions,
    filter: &Arc<Filter>,
    snapshot: &Arc<Snapshot>,
    cancel: &CancelToken,
) -> Result<GlobOutcome, SearchError> {
    let range = filter.range(snapshot);
    let work = Arc::new(Matching {
        filter: Arc::clone(filter),
        snapshot: Arc::clone(snapshot),
        first: range.start,
        keep: options.sort_by_mtime.then_some(options.max_results.unwrap_or(usize::MAX)),
    });
    let limit = options.max_results.unwrap_or(usize::MAX);
    let mut total = 0;
    let mut hits: Vec<GlobHit> = Vec::new();
    let mut newest = Newest::new(limit);
    let cancel = Scope::token_for(snapshot, cancel);
    let result = engine.ordered(&work, range.len(), CHUNK, &cancel, |found| {
        if options.sort_by_mtime {
            total += found.matched;
            found.newest.into_iter().for_each(|hit| newest.push(hit));
        } else {
            hits.extend_from_slice(&found.hits);
            // One hit more than asked for shows that there is more.
            if hits.len() > limit {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    let timeout = options.scope.settle(result)?;
    let mut details = Vec::new();
    let limited = if options.sort_by_mtime {
        (hits, details) = newest.into_sorted().into_iter().map(|Ranked { hit, details }| (hit, details)).unzip();
        total > hits.len()
    } else {
        let over = hits.len() > limit;
        hits.truncate(limit);
        total = hits.len();
        over
    };
    let budget = fit_paths(&mut hits, snapshot, |hit| hit.entry as usize).then_some(StopReason::Budget);
    details.truncate(hits.len());
    let stop_reason =
        timeout.or(budget).or(snapshot.cut().map(StopReason::from)).or(limited.then_some(StopReason::Limit));
    Ok(GlobOutcome { snapshot: Some(Arc::clone(snapshot)), hits, details, total, stop_reason })
}

#[derive(Debug)]
struct Filter {
    pattern: GlobPattern,
    kind: Option<Kind>,
    full: bool,
}

impl Filter {
    /// The entries that can match, by binary search.
    fn range(&self, snapshot: &Snapshot) -> Range<usize> {
        if self.pattern.only_directories() && self.kind.is_some_and(|kind| kind != Kind::Dir) {
            return 0..0;
        }
        match self.pattern.only_path() {
            Some(path) => snapshot.find(&path).map_or(0..0, |entry| entry..entry + 1),
            None => snapshot.with_prefix(self.pattern.prefix()),
        }
    }

    /// The kind asked for.
    fn wanted(&self) -> Option<Kind> {
        if self.pattern.only_directories() { Some(Kind::Dir) } else { self.kind }
    }

    /// What an entry is whose path matches, with its details, if it is of the kind asked for.
    fn hit(&self, snapshot: &Snapshot, entry: u32) -> Option<Ranked> {
        let index = entry as usize;
        let kind = snapshot.kind(index);
        let details = || GlobDetails { mtime_ms: snapshot.mtime_ms(index), size: snapshot.size(index) };
        match self.wanted() {
            Some(wanted) if wanted != kind => {
                if kind != Kind::Symlink {
                    return None;
                }
                let (target, metadata) = target_of(&snapshot.root().join(from_bytes(snapshot.path(index))))?;
                (target == wanted).then(|| Ranked {
                    hit: GlobHit { entry, kind: wanted },
                    details: GlobDetails {
                        mtime_ms: if self.full { mtime_ms(&metadata) } else { None },
                        size: (self.full && metadata.is_file()).then_some(metadata.len()),
                    },
                })
            }
            _ => Some(Ranked { hit: GlobHit { entry, kind }, details: details() }),
        }
    }
}

/// The kind of what a link leads to; `None` when that is missing or neither file nor directory.
fn target_of(link: &Path) -> Option<(Kind, Metadata)> {
    let metadata = link.metadata().ok()?;
    let kind = if metadata.is_file() {
        Kind::File
    } else if metadata.is_dir() {
        Kind::Dir
    } else {
        return None;
    };
    Some((kind, metadata))
}

fn mtime_ms(metadata: &Metadata) -> Option<f64> {
    let since_epoch = metadata.modified().ok()?.duration_since(UNIX_EPOCH);
    Some(match since_epoch {
        Ok(after) => after.as_millis() as f64,
        Err(before) => -(before.duration().as_millis() as f64),
    })
}

struct Matching {
    filter: Arc<Filter>,
    snapshot: Arc<Snapshot>,
    first: usize,
    /// With modification times, how many of the newest can matter.
    keep: Option<usize>,
}

struct Found {
    /// Without modification times, the hits.
    hits: Vec<GlobHit>,
    /// With them, the newest.
    newest: Vec<Ranked>,
    matched: usize,
}

impl Ordered for Matching {
    /// The entries whose paths match, of those looked at together.
    type State = Vec<u32>;
    type Output = Found;

    fn state(&self) -> Vec<u32> {
        Vec::new()
    }

    fn chunk(
        &self,
        selected: &mut Vec<u32>,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Found, Stopped> {
        let (filter, snapshot) = (&self.filter, &*self.snapshot);
        let mut newest = self.keep.map(Newest::new);
        let mut found = Found { hits: Vec::new(), newest: Vec::new(), matched: 0 };
        let range = self.first + range.start..self.first + range.end;
        for start in range.clone().step_by(CHECK_EVERY) {
            check()?;
            let entries = start..range.end.min(start + CHECK_EVERY);
            selected.clear();
            filter.pattern.select(snapshot.arena(), snapshot.spans(entries.clone()), entries.start as u32, selected);
            if let Some(newest) = &mut newest {
                for hit in selected.iter().filter_map(|&entry| filter.hit(snapshot, entry)) {
                    found.matched += 1;
                    newest.push(hit);
                }
            } else if filter.wanted().is_none() {
                let hit = |&entry: &u32| GlobHit { entry, kind: snapshot.kind(entry as usize) };
                found.hits.extend(selected.iter().map(hit));
            } else {
                let hit = |&entry: &u32| Some(filter.hit(snapshot, entry)?.hit);
                found.hits.extend(selected.iter().filter_map(hit));
            }
        }
        found.newest = newest.map(Newest::into_sorted).unwrap_or_default();
        Ok(found)
    }
}

/// The newest so many hits; memory grows with their number, not with how many were seen.
struct Newest {
    most: usize,
    /// The oldest of those kept is on top.
    heap: BinaryHeap<Ranked>,
}

/// A hit with what it is ranked by.
struct Ranked {
    hit: GlobHit,
    details: GlobDetails,
}

impl Newest {
    fn new(most: usize) -> Self {
        Self { most, heap: BinaryHeap::new() }
    }

    fn push(&mut self, hit: Ranked) {
        self.heap.push(hit);
        if self.heap.len() > self.most {
            self.heap.pop();
        }
    }

    /// Newest first, ties by path; entries whose time is unknown last.
    fn into_sorted(self) -> Vec<Ranked> {
        self.heap.into_sorted_vec()
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let time = |ranked: &Self| ranked.details.mtime_ms.unwrap_or(f64::NEG_INFINITY);
        time(other).total_cmp(&time(self)).then(self.hit.entry.cmp(&other.hit.entry))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}
