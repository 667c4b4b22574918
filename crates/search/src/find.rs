//! Fuzzy find over a snapshot.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cairn_cancel::{CancelToken, Stopped};
use cairn_fuzzy::{Index, Query, Search, Tier, TypoSearch};
use cairn_walk::{Detail, Kind, ScanOptions, Snapshot, composed, offsets_before_composition};

use crate::context::{Scope, SearchContext, StopReason, fit_hits};
use crate::cost::{FIND_MATCH, FIND_POSITION, FIND_POSITIONS};
use crate::error::SearchError;

mod best;
mod recent;
mod scoring;

use best::{Best, Ranked};
use recent::{Entries, Recent, Survivors};
use scoring::{CHUNK, Matching, Scoring};

/// How many entries are processed between two checks for cancellation.
const CHECK_EVERY: usize = 1024;
/// Typos in directories are accepted only if fewer entries than this match in a better way: these fill a screen.
const ENOUGH: usize = 10;
/// How many hits are marked between two checks for cancellation.
const MARK_EVERY: usize = 128;
/// Scores of an empty query: directories above everything else.
const LISTED_DIRECTORY: u32 = 2;
const LISTED_OTHER: u32 = 1;

/// The options of a fuzzy find.
#[derive(Clone, Debug)]
pub struct FindOptions {
    /// The query as the user typed it. An empty one lists everything.
    pub query: String,
    /// The entries to search.
    pub scope: Scope,
    /// The maximal number of hits. Default: 100.
    pub max_results: usize,
    /// Also return which bytes matched. Default: false.
    pub include_positions: bool,
}

impl FindOptions {
    /// The 100 best matches of `query` below `path`.
    #[must_use]
    pub fn new(query: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { query: query.into(), scope: Scope::new(path), max_results: 100, include_positions: false }
    }
}

/// One hit. Its path is in the snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindHit {
    /// The entry's index in the snapshot.
    pub entry: usize,
    /// Whether it is a directory, or a link to one.
    pub is_directory: bool,
    /// Higher is better; comparable within one result only.
    pub score: u32,
    /// Offsets of the bytes of the path that matched, ascending; only with `include_positions`.
    pub positions: Vec<usize>,
}

/// The best hits.
#[derive(Clone, Debug, Default)]
pub struct FindOutcome {
    /// The snapshot that was searched; `None` if no search was needed.
    pub snapshot: Option<Arc<Snapshot>>,
    /// Best first; ties by depth, shallow first, then by path.
    pub hits: Vec<FindHit>,
    /// How many entries matched as typed; if these are not more than `max_results`, also with typos in base names; and if
    /// all of these are few, also with typos anywhere in a path.
    pub total: usize,
    /// How many entries were compared with the query: fewer if it extends an earlier one.
    pub compared: usize,
    /// Why hits may be missing; `None` if the result is complete.
    pub stop_reason: Option<StopReason>,
}

/// Finds the entries with the paths that match a query best. Skips `node_modules` and follows links.
///
/// # Errors
/// [`SearchError`]: the root is not valid, the query is too long, or the caller ended the search.
pub fn find(
    context: SearchContext<'_>,
    options: &FindOptions,
    cancel: &CancelToken,
) -> Result<FindOutcome, SearchError> {
    let scope = &options.scope;
    let root = scope.root()?;
    // Letters and their marks are compared in one form.
    let query = composed(options.query.as_bytes());
    let query = String::from_utf8_lossy(&query);
    if Query::is_too_long(&query) {
        return Err(SearchError::QueryTooLong);
    }
    let listing = query.trim().is_empty();
    let query = Arc::new(Query::parse(&query));
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
        record_excluded: false,
        follow_links: true,
        detail: Detail::Minimal,
    };
    let request = scope.request(&root, scan);
    context.on_snapshot(
        scope,
        &request,
        cancel,
        |snapshot| evaluate(context, options, &query, snapshot, cancel),
        |outcome| outcome.hits.is_empty() && !listing,
    )
}

fn evaluate(
    context: SearchContext<'_>,
    options: &FindOptions,
    query: &Query,
    snapshot: &Arc<Snapshot>,
    cancel: &CancelToken,
) -> Result<FindOutcome, SearchError> {
    let cancel = Scope::token_for(snapshot, cancel);
    if query.is_empty() {
        return list(options, snapshot, &cancel);
    }
    let ready = derive(context, snapshot, &cancel).and_then(|derived| {
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
    let mut evaluation = Evaluation {
        context,
        options,
        snapshot,
        derived: &derived,
        search: &search,
        cancel: &cancel,
        best: Best::new(options.max_results),
        compared: 0,
        timeout: None,
    };
    let among =
        derived.recent.narrowed(query).map_or_else(|| Entries::all(snapshot.len()), |known| known.typed.clone());
    let (typed, mut settled) = evaluation.run(Matching::AsTyped, among, Tier::NameTypo.ceiling())?;
    let matches_well = settled.count() > 0;
    let mut matched = typed.clone();
    let (mut in_names, mut in_paths) = (None, None);
    // Typos are accepted only if that can change the result. In that case every match as typed has a score.
    let is_decided = evaluation.best.floor() >= Tier::NameTypo.ceiling() && typed.count() > options.max_results;
    if !is_decided && evaluation.timeout.is_none() && query.typos() > 0 {
        let mut found = Entries::none(snapshot.len());
        if let Some(typos) = TypoSearch::in_names(query, &search) {
            let mut among = derived.recent.narrowed_in_names(query).unwrap_or_else(|| Entries::all(snapshot.len()));
            among.remove_all(&settled);
            let named;
            (found, named) = evaluation.run(Matching::WithTypos(typos), among, Tier::PathTypo.ceiling())?;
            settled.insert_all(&named);
        }
        matched.insert_all(&found);
        in_names = Some(found);
    }
    if in_names.is_some()
        && evaluation.timeout.is_none()
        && !matches_well
        && settled.count() < ENOUGH
        && let Some(typos) = TypoSearch::in_paths(query, &search, &derived.index)
    {
        let mut among = derived.recent.narrowed_in_paths(query).unwrap_or_else(|| Entries::all(snapshot.len()));
        among.remove_all(&settled);
        let (found, _) = evaluation.run(Matching::WithTypos(typos), among, Tier::PathTypo.ceiling())?;
        matched.insert_all(&found);
        in_paths = Some(found);
    }
    let total = matched.count();
    let Evaluation { best, compared, timeout, .. } = evaluation;
    if timeout.is_none() {
        derived.recent.remember(Survivors { query: query.clone(), typed, in_names, in_paths });
    }
    let mut hits = hits(best, snapshot);
    let marking = if options.include_positions {
        mark(&mut hits, &cancel, |entry| {
            let (path, composed) = (snapshot.path(entry), snapshot.composed_path(entry));
            let positions = search.positions(&derived.index, entry, composed);
            if path == composed { positions } else { offsets_before_composition(path, &positions) }
        })
    } else {
        Ok(())
    };
    let stop_reason = options.scope.settle(marking)?.or(timeout);
    Ok(finish(FindOutcome { hits, total, compared, stop_reason, ..FindOutcome::default() }, options, snapshot))
}

/// Sets the positions of each hit. If it is stopped, it removes the hits without positions.
fn mark(hits: &mut Vec<FindHit>, cancel: &CancelToken, positions: impl Fn(usize) -> Vec<usize>) -> Result<(), Stopped> {
    for at in 0..hits.len() {
        // The first hits are marked in any case, so that a search that timed out has something to show.
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

/// The hits of an empty query: everything, directories first.
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
        let is_directory = snapshot.kind(entry) == Kind::Dir;
        let score = if is_directory { LISTED_DIRECTORY } else { LISTED_OTHER };
        best.push(Ranked::new(score, snapshot.depth(entry), is_directory, entry));
        total += 1;
    }
    let hits = hits(best, snapshot);
    let outcome = FindOutcome { hits, total, compared: total, stop_reason: timeout, ..FindOutcome::default() };
    Ok(finish(outcome, options, snapshot))
}

fn hits(best: Best, snapshot: &Snapshot) -> Vec<FindHit> {
    let hit = |ranked: Ranked| {
        let entry = ranked.entry();
        let is_directory = snapshot.kind(entry) == Kind::Dir;
        FindHit { entry, is_directory, score: ranked.score, positions: Vec::new() }
    };
    best.into_sorted().into_iter().map(hit).collect()
}

/// Drops the hits that exceed the budget, and sets the stop reason unless it is set.
fn finish(mut outcome: FindOutcome, options: &FindOptions, snapshot: &Arc<Snapshot>) -> FindOutcome {
    let positions = if options.include_positions { FIND_POSITIONS } else { 0 };
    // A character outside of the basic plane has a second position, but at least two bytes for it.
    let objects = |hit: &FindHit| FIND_MATCH + positions + hit.positions.len() * FIND_POSITION;
    let is_over = fit_hits(&mut outcome.hits, snapshot, options.scope.max_result_bytes, |hit| hit.entry, objects);
    let budget = is_over.then_some(StopReason::Budget);
    let limit = (outcome.total > outcome.hits.len()).then_some(StopReason::Limit);
    let cut = snapshot.cut().map(StopReason::from);
    outcome.stop_reason = outcome.stop_reason.or(budget).or(cut).or(limit);
    outcome.snapshot = Some(Arc::clone(snapshot));
    outcome
}

/// The data that is kept with a snapshot for the next query.
#[derive(Debug)]
struct Derived {
    index: Index,
    recent: Recent,
    entries: usize,
}

impl cairn_walk::Derived for Derived {
    fn bytes(&self) -> usize {
        self.index.bytes() + Recent::max_bytes(self.entries)
    }
}

fn derive(context: SearchContext<'_>, snapshot: &Snapshot, cancel: &CancelToken) -> Result<Arc<Derived>, Stopped> {
    let mut built = false;
    let derived = snapshot.derived(|snapshot| {
        built = true;
        snapshot.decomposed(&|| cancel.check())?;
        let mut index = Index::with_capacity(snapshot.len());
        for entry in 0..snapshot.len() {
            if entry % CHECK_EVERY == 0 {
                cancel.check()?;
            }
            let path = snapshot.composed_path(entry);
            let name_start = memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1);
            index.push(path, name_start, snapshot.kind(entry) == Kind::Dir);
        }
        Ok(Derived { index: index.finish(), recent: Recent::default(), entries: snapshot.len() })
    });
    if built {
        context.cache.enforce_bounds();
    }
    derived
}

/// One evaluation of a query: its parameters, and the result up to now.
struct Evaluation<'a> {
    context: SearchContext<'a>,
    options: &'a FindOptions,
    snapshot: &'a Arc<Snapshot>,
    derived: &'a Arc<Derived>,
    search: &'a Arc<Search>,
    cancel: &'a CancelToken,
    best: Best,
    compared: usize,
    timeout: Option<StopReason>,
}

impl Evaluation<'_> {
    /// Scores some entries. Returns which of them match, and which of those score at least `settled`.
    fn run(&mut self, matching: Matching, among: Entries, settled: u32) -> Result<(Entries, Entries), SearchError> {
        let work = Arc::new(Scoring {
            snapshot: Arc::clone(self.snapshot),
            index: Arc::clone(self.derived),
            search: Arc::clone(self.search),
            matching,
            among,
            max_hits: self.options.max_results,
            settled,
            floor: AtomicU32::new(self.best.floor()),
        });
        let (mut matched, mut settled) = (Entries::default(), Entries::default());
        let mut best = Best::new(self.options.max_results);
        let result = self.context.ordered(&work, self.snapshot.len(), CHUNK, self.cancel, |chunk| {
            matched.words.extend_from_slice(&chunk.matched.words);
            settled.words.extend_from_slice(&chunk.settled.words);
            self.compared += chunk.compared;
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
