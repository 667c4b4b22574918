//! Fuzzy find over a snapshot.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::Arc;

use cairn_cancel::{CancelToken, Stopped};
use cairn_fuzzy::{Candidate, Matcher, Query, character_mask, fold_into};
use cairn_pool::Ordered;
use cairn_walk::{Detail, Kind, ScanOptions, Snapshot};

use crate::engine::{Engine, Scope, StopReason, fit_paths};
use crate::error::SearchError;

/// Entries scored per chunk; see the same constant of glob.
const CHUNK: usize = 4096;
/// A scoring loop looks at its token every so many entries.
const CHECK_EVERY: usize = 1024;
/// Scores of an empty query: directories above everything else.
const LISTED_DIRECTORY: u32 = 2;
const LISTED_OTHER: u32 = 1;

/// What to look for.
#[derive(Clone, Debug)]
pub struct FindOptions {
    /// What was typed. Empty lists everything.
    pub query: String,
    /// Where to look.
    pub scope: Scope,
    /// At most so many hits. Default: 100.
    pub max_results: usize,
    /// Say which bytes matched. Default: false.
    pub include_positions: bool,
}

impl FindOptions {
    /// The 100 best matches of `query` below `path`.
    #[must_use]
    pub fn new(query: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { query: query.into(), scope: Scope::new(path), max_results: 100, include_positions: false }
    }
}

/// One hit. The path is the snapshot's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindHit {
    /// The entry's index in the snapshot.
    pub entry: usize,
    /// Whether it is a directory, or a link to one.
    pub is_directory: bool,
    /// Higher is better; comparable within one result only.
    pub score: u32,
    /// Offsets of the bytes of the path that matched, ascending; empty unless asked for.
    pub positions: Vec<usize>,
}

/// The best hits.
#[derive(Clone, Debug, Default)]
pub struct FindOutcome {
    /// What was searched; `None` when nothing had to be.
    pub snapshot: Option<Arc<Snapshot>>,
    /// Best first; ties by depth, shallow first, then by path.
    pub hits: Vec<FindHit>,
    /// How many entries matched.
    pub total: usize,
    /// Why hits may be missing.
    pub stop_reason: Option<StopReason>,
}

/// Finds the entries whose paths best match what was typed. Skips `node_modules` and follows links.
///
/// # Errors
/// [`SearchError`]: the root, or the caller's end of the search.
pub fn find(engine: Engine<'_>, options: &FindOptions, cancel: &CancelToken) -> Result<FindOutcome, SearchError> {
    let scope = &options.scope;
    let root = scope.root()?;
    let listing = options.query.trim().is_empty();
    let query = Arc::new(Query::parse(&options.query));
    if options.max_results == 0 {
        return Ok(FindOutcome { stop_reason: Some(StopReason::Limit), ..FindOutcome::default() });
    }
    if query.is_empty() && !listing {
        return Ok(FindOutcome::default());
    }
    let scan = ScanOptions {
        include_hidden: scope.include_hidden,
        use_gitignore: scope.use_gitignore,
        skip_node_modules: true,
        follow_links: true,
        detail: Detail::Minimal,
    };
    let request = scope.request(&root, scan);
    engine.on_snapshot(
        scope,
        &request,
        cancel,
        |snapshot| evaluate(engine, options, &query, snapshot, cancel),
        |outcome| outcome.hits.is_empty() && !listing,
    )
}

fn evaluate(
    engine: Engine<'_>,
    options: &FindOptions,
    query: &Arc<Query>,
    snapshot: &Arc<Snapshot>,
    cancel: &CancelToken,
) -> Result<FindOutcome, SearchError> {
    let cancel = Scope::token_for(snapshot, cancel);
    let index = if query.is_empty() {
        None
    } else {
        let mut built = false;
        let index = snapshot.derived(|snapshot| {
            built = true;
            FuzzyIndex::build(snapshot, &cancel)
        });
        if built {
            engine.cache.enforce_bounds();
        }
        match index {
            Ok(index) => Some(index),
            Err(Stopped::TimedOut) if options.scope.partial_on_timeout => {
                let (snapshot, stop_reason) = (Some(Arc::clone(snapshot)), Some(StopReason::Timeout));
                return Ok(FindOutcome { snapshot, stop_reason, ..FindOutcome::default() });
            }
            Err(stopped) => return Err(stopped.into()),
        }
    };
    let work = Arc::new(Scoring {
        snapshot: Arc::clone(snapshot),
        index: index.clone(),
        query: Arc::clone(query),
        most: options.max_results,
    });
    let mut best = Best::new(options.max_results);
    let mut total = 0;
    let result = engine.ordered(&work, snapshot.len(), CHUNK, &cancel, |chunk| {
        total += chunk.matched;
        chunk.best.heap.into_iter().for_each(|Reverse(ranked)| best.push(ranked));
        ControlFlow::Continue(())
    });
    let timeout = options.scope.settle(result)?;
    let mut matcher = Matcher::new();
    let mut hits: Vec<FindHit> = best
        .into_sorted()
        .into_iter()
        .map(|ranked| {
            let entry = ranked.entry();
            let positions = match &index {
                Some(index) if options.include_positions => matcher.positions(query, index.candidate(snapshot, entry)),
                _ => Vec::new(),
            };
            FindHit { entry, is_directory: snapshot.kind(entry) == Kind::Dir, score: ranked.score, positions }
        })
        .collect();
    let budget = fit_paths(&mut hits, snapshot, |hit| hit.entry).then_some(StopReason::Budget);
    let limit = (total > hits.len()).then_some(StopReason::Limit);
    let stop_reason = timeout.or(budget).or(snapshot.cut().map(StopReason::from)).or(limit);
    Ok(FindOutcome { snapshot: Some(Arc::clone(snapshot)), hits, total, stop_reason })
}

/// What makes a snapshot quick to match: its arena in lower case, and a character mask per entry.
#[derive(Debug)]
struct FuzzyIndex {
    folded: Box<[u8]>,
    masks: Box<[u64]>,
}

impl FuzzyIndex {
    fn build(snapshot: &Snapshot, cancel: &CancelToken) -> Result<(Self, usize), Stopped> {
        let mut folded = Vec::with_capacity(snapshot.arena().len());
        let mut masks = Vec::with_capacity(snapshot.len());
        for entry in 0..snapshot.len() {
            if entry % CHECK_EVERY == 0 {
                cancel.check()?;
            }
            let start = folded.len();
            // Path by path: a character never reaches over the end of its path, whatever the bytes.
            fold_into(snapshot.path(entry), &mut folded);
            masks.push(character_mask(&folded[start..]));
        }
        let index = Self { folded: folded.into_boxed_slice(), masks: masks.into_boxed_slice() };
        let bytes = index.folded.len() + size_of_val(&*index.masks);
        Ok((index, bytes))
    }

    fn candidate<'a>(&'a self, snapshot: &'a Snapshot, entry: usize) -> Candidate<'a> {
        let path = snapshot.path(entry);
        Candidate {
            path,
            folded: &self.folded[snapshot.span(entry)],
            name_start: path.len() - snapshot.name(entry).len(),
            is_directory: snapshot.kind(entry) == Kind::Dir,
        }
    }
}

struct Scoring {
    snapshot: Arc<Snapshot>,
    /// `None` lists everything.
    index: Option<Arc<FuzzyIndex>>,
    query: Arc<Query>,
    most: usize,
}

struct Chunk {
    best: Best,
    matched: usize,
}

impl Ordered for Scoring {
    type State = Matcher;
    type Output = Chunk;

    fn state(&self) -> Matcher {
        Matcher::new()
    }

    fn chunk(
        &self,
        matcher: &mut Matcher,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Chunk, Stopped> {
        let mut chunk = Chunk { best: Best::new(self.most), matched: 0 };
        let wanted = self.query.mask();
        for entry in range {
            if entry % CHECK_EVERY == 0 {
                check()?;
            }
            let score = match &self.index {
                Some(index) if wanted & !index.masks[entry] != 0 => None,
                Some(index) => matcher.score(&self.query, index.candidate(&self.snapshot, entry)),
                None if self.snapshot.kind(entry) == Kind::Dir => Some(LISTED_DIRECTORY),
                None => Some(LISTED_OTHER),
            };
            if let Some(score) = score {
                chunk.matched += 1;
                let depth = self.snapshot.depth(entry);
                chunk.best.push(Ranked { score, order: Reverse((depth, entry)) });
            }
        }
        Ok(chunk)
    }
}

/// A hit that sorts best last. Entries are in path order, so their index stands for the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    score: u32,
    order: Reverse<(usize, usize)>,
}

impl Ranked {
    fn entry(self) -> usize {
        self.order.0.1
    }
}

/// The best so many hits.
struct Best {
    most: usize,
    /// The worst of those kept is on top.
    heap: BinaryHeap<Reverse<Ranked>>,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { most, heap: BinaryHeap::new() }
    }

    fn push(&mut self, ranked: Ranked) {
        if self.heap.len() < self.most {
            self.heap.push(Reverse(ranked));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && ranked.cmp(&worst.0) == Ordering::Greater
        {
            *worst = Reverse(ranked);
        }
    }

    fn into_sorted(self) -> Vec<Ranked> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(ranked)| ranked).collect()
    }
}
