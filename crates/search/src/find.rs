//! Fuzzy find over a snapshot.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cairn_cancel::{CancelToken, Stopped};
use cairn_fuzzy::{Index, Query, Search, SlipSearch, Tier};
use cairn_walk::{Detail, Kind, ScanOptions, Snapshot};

use crate::engine::{Engine, Scope, StopReason, fit_paths};
use crate::error::SearchError;

mod best;
mod recent;
mod scoring;

use best::{Best, Ranked};
use recent::{Entries, Recent, Survivors};
use scoring::{CHUNK, Looking, Scoring};

/// The index is built with a look at the token every so many entries.
const CHECK_EVERY: usize = 1024;
/// Slips in directories are forgiven only when no entry matches well as typed and fewer than this with slips in base
/// names: what a screen shows first is then better already.
const FEW: usize = 10;
/// Positions are looked for with a look at the token every so many hits.
const MARK_EVERY: usize = 128;
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
    /// How many entries matched: as typed; when those are not more than was asked for, with slips in base names; and
    /// when these are still few, with slips anywhere in a path.
    pub total: usize,
    /// How many entries were compared with the query; fewer when it extends an earlier one.
    pub looked_at: usize,
    /// Why hits may be missing.
    pub stop_reason: Option<StopReason>,
}

/// Finds the entries whose paths best match what was typed. Skips `node_modules` and follows links.
///
/// # Errors
/// [`SearchError`]: the root, the caller's end of the search, or a query that is too long.
pub fn find(engine: Engine<'_>, options: &FindOptions, cancel: &CancelToken) -> Result<FindOutcome, SearchError> {
    let scope = &options.scope;
    let root = scope.root()?;
    if Query::is_too_long(&options.query) {
        return Err(SearchError::QueryTooLong);
    }
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
    query: &Query,
    snapshot: &Arc<Snapshot>,
    cancel: &CancelToken,
) -> Result<FindOutcome, SearchError> {
    let cancel = Scope::token_for(snapshot, cancel);
    if query.is_empty() {
        return list(options, snapshot, &cancel);
    }
    let ready = derive(engine, snapshot, &cancel).and_then(|derived| {
        let search = Search::new(query, &derived.index, &|| cancel.check())?;
        Ok((derived, Arc::new(search)))
    });
    let (derived, search) = match ready {
        Ok(ready) => ready,
        Err(Stopped::TimedOut) if options.scope.partial_on_timeout => {
            let (snapshot, stop_reason) = (Some(Arc::clone(snapshot)), Some(StopReason::Timeout));
            return Ok(FindOutcome { snapshot, stop_reason, ..FindOutcome::default() });
        }
        Err(stopped) => return Err(stopped.into()),
    };
    let mut pass = Pass {
        engine,
        options,
        snapshot,
        derived: &derived,
        search: &search,
        cancel: &cancel,
        best: Best::new(options.max_results),
        looked_at: 0,
        timeout: None,
    };
    let among =
        derived.recent.narrowed(query).map_or_else(|| Entries::all(snapshot.len()), |known| known.typed.clone());
    let (typed, mut settled) = pass.run(Looking::Typed, among, Tier::NameSlip.ceiling())?;
    let matches_well = settled.count() > 0;
    let mut matched = typed.clone();
    let (mut in_names, mut in_paths) = (None, None);
    // Slips are forgiven where that can change anything. Then no clean match has been passed over without a score.
    let is_decided = pass.best.floor() >= Tier::NameSlip.ceiling() && typed.count() > options.max_results;
    if !is_decided && pass.timeout.is_none() && query.slips() > 0 {
        let mut found = Entries::none(snapshot.len());
        if let Some(slips) = SlipSearch::in_names(query, &search) {
            let mut among = derived.recent.narrowed_in_names(query).unwrap_or_else(|| Entries::all(snapshot.len()));
            among.remove_all(&settled);
            let named;
            (found, named) = pass.run(Looking::Slipped(slips), among, Tier::PathSlip.ceiling())?;
            settled.insert_all(&named);
        }
        matched.insert_all(&found);
        in_names = Some(found);
    }
    if in_names.is_some()
        && pass.timeout.is_none()
        && !matches_well
        && settled.count() < FEW
        && let Some(slips) = SlipSearch::in_paths(query, &search, &derived.index)
    {
        let mut among = derived.recent.narrowed_in_paths(query).unwrap_or_else(|| Entries::all(snapshot.len()));
        among.remove_all(&settled);
        let (found, _) = pass.run(Looking::Slipped(slips), among, Tier::PathSlip.ceiling())?;
        matched.insert_all(&found);
        in_paths = Some(found);
    }
    let total = matched.count();
    let Pass { best, looked_at, timeout, .. } = pass;
    if timeout.is_none() {
        derived.recent.remember(Survivors { query: query.clone(), typed, in_names, in_paths });
    }
    let mut hits = hits(best, snapshot);
    let marking = if options.include_positions {
        mark(&mut hits, &cancel, |entry| search.positions(&derived.index, entry, snapshot.path(entry)))
    } else {
        Ok(())
    };
    let stop_reason = options.scope.settle(marking)?.or(timeout);
    Ok(finish(FindOutcome { hits, total, looked_at, stop_reason, ..FindOutcome::default() }, snapshot))
}

/// Says for each hit which bytes matched. When it is stopped, the hits it did not come to are gone.
fn mark(hits: &mut Vec<FindHit>, cancel: &CancelToken, positions: impl Fn(usize) -> Vec<usize>) -> Result<(), Stopped> {
    for at in 0..hits.len() {
        // The first are marked in any case: they are what is to be shown of a search whose time has run out.
        if at > 0
            && at.is_multiple_of(MARK_EVERY)
            && let Err(stopped) = cancel.check()
        {
            hits.truncate(at);
            return Err(stopped);
        }
        hits[at].positions = positions(hits[at].entry);
    }
    Ok(())
}

/// An empty query: everything, directories above the rest.
fn list(options: &FindOptions, snapshot: &Arc<Snapshot>, cancel: &CancelToken) -> Result<FindOutcome, SearchError> {
    let mut best = Best::new(options.max_results);
    let mut timeout = None;
    let mut total = 0;
    for entry in 0..snapshot.len() {
        if entry % CHECK_EVERY == 0 {
            timeout = options.scope.settle(cancel.check())?;
            if timeout.is_some() {
                break;
            }
        }
        let score = if snapshot.kind(entry) == Kind::Dir { LISTED_DIRECTORY } else { LISTED_OTHER };
        best.push(Ranked::new(score, snapshot.depth(entry), entry));
        total += 1;
    }
    let hits = hits(best, snapshot);
    let outcome = FindOutcome { hits, total, looked_at: total, stop_reason: timeout, ..FindOutcome::default() };
    Ok(finish(outcome, snapshot))
}

fn hits(best: Best, snapshot: &Snapshot) -> Vec<FindHit> {
    let hit = |ranked: Ranked| {
        let entry = ranked.entry();
        let is_directory = snapshot.kind(entry) == Kind::Dir;
        FindHit { entry, is_directory, score: ranked.score, positions: Vec::new() }
    };
    best.into_sorted().into_iter().map(hit).collect()
}

/// Drops the hits that do not fit, and says why some are missing, if not because the time ran out.
fn finish(mut outcome: FindOutcome, snapshot: &Arc<Snapshot>) -> FindOutcome {
    let budget = fit_paths(&mut outcome.hits, snapshot, |hit| hit.entry).then_some(StopReason::Budget);
    let limit = (outcome.total > outcome.hits.len()).then_some(StopReason::Limit);
    let cut = snapshot.cut().map(StopReason::from);
    outcome.stop_reason = outcome.stop_reason.or(budget).or(cut).or(limit);
    outcome.snapshot = Some(Arc::clone(snapshot));
    outcome
}

/// What is kept with a snapshot for the next query.
#[derive(Debug)]
struct Derived {
    index: Index,
    recent: Recent,
}

fn derive(engine: Engine<'_>, snapshot: &Snapshot, cancel: &CancelToken) -> Result<Arc<Derived>, Stopped> {
    let mut built = false;
    let derived = snapshot.derived(|snapshot| {
        built = true;
        let mut index = Index::with_capacity(snapshot.len());
        for entry in 0..snapshot.len() {
            if entry % CHECK_EVERY == 0 {
                cancel.check()?;
            }
            let path = snapshot.path(entry);
            index.push(path, path.len() - snapshot.name(entry).len(), snapshot.kind(entry) == Kind::Dir);
        }
        let derived = Derived { index: index.finish(), recent: Recent::default() };
        let bytes = derived.index.bytes() + Recent::most_bytes(snapshot.len());
        Ok((derived, bytes))
    });
    if built {
        engine.cache.enforce_bounds();
    }
    derived
}

/// One evaluation of a query: what it needs, and what it has found.
struct Pass<'a> {
    engine: Engine<'a>,
    options: &'a FindOptions,
    snapshot: &'a Arc<Snapshot>,
    derived: &'a Arc<Derived>,
    search: &'a Arc<Search>,
    cancel: &'a CancelToken,
    best: Best,
    looked_at: usize,
    timeout: Option<StopReason>,
}

impl Pass<'_> {
    /// Scores some entries. Says which of them match, and which of those score at least `settled`.
    fn run(&mut self, looking: Looking, among: Entries, settled: u32) -> Result<(Entries, Entries), SearchError> {
        let work = Arc::new(Scoring {
            snapshot: Arc::clone(self.snapshot),
            index: Arc::clone(self.derived),
            search: Arc::clone(self.search),
            looking,
            among,
            most: self.options.max_results,
            settled,
            floor: AtomicU32::new(self.best.floor()),
        });
        let (mut matched, mut settled) = (Entries::default(), Entries::default());
        let mut best = Best::new(self.options.max_results);
        let result = self.engine.ordered(&work, self.snapshot.len(), CHUNK, self.cancel, |chunk| {
            matched.words.extend_from_slice(&chunk.matched.words);
            settled.words.extend_from_slice(&chunk.settled.words);
            self.looked_at += chunk.looked_at;
            best.absorb(chunk.best);
            ControlFlow::Continue(())
        });
        self.best.absorb_again(best);
        self.timeout = self.options.scope.settle(result)?;
        Ok((matched, settled))
    }
}

#[cfg(test)]
mod tests;
