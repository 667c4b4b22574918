//! Fuzzy find over a snapshot.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cairn_cancel::{CancelToken, Stopped};
use cairn_fuzzy::{FzfQuery, Index, Line, Query, Search, Terms, Tier, TypoSearch};
use cairn_walk::{Detail, Kind, ScanOptions, Snapshot, composed, offsets_before_composition, to_bytes};

use crate::context::{Scope, SearchContext, StopReason, fit_hits};
use crate::cost::{FIND_MATCH, FIND_POSITION, FIND_POSITIONS};
use crate::error::SearchError;

mod best;
mod filter;
mod list;
mod recent;
mod scoring;

use best::{Best, Ranked};
use filter::Filter;
pub use list::PathList;
use recent::{Entries, Recent, Survivors};
use scoring::{CHUNK, Matching, Prepared, Scoring};

/// How many entries are processed between two checks for cancellation.
const CHECK_EVERY: usize = 1024;
/// Typos in directories are accepted only if fewer entries than this match in a better way: these fill a screen.
const ENOUGH: usize = 10;
/// How many hits are marked between two checks for cancellation.
const MARK_EVERY: usize = 128;
/// Added to the score of a path that holds a term with its signs: more than any score.
const LITERAL: u32 = 2 * Tier::Exact as u32 * 1000;

/// The syntax of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuerySyntax {
    /// Words.
    #[default]
    Plain,
    /// Words and terms with signs: see [`FzfQuery`].
    Fzf,
}

/// The options of a fuzzy find.
#[derive(Clone, Debug)]
pub struct FindOptions {
    /// The query as the user typed it. An empty one lists everything. A path of it that begins with the root is relative to
    /// the root.
    pub query: String,
    /// The syntax of `query`. Default: [`QuerySyntax::Plain`].
    pub syntax: QuerySyntax,
    /// The entries to search.
    pub scope: Scope,
    /// The paths to search instead of the entries below the path of `scope`.
    pub list: Option<Arc<PathList>>,
    /// Only entries of this kind. Links are of the kind of their target.
    pub kind: Option<Kind>,
    /// Only entries with one of these extensions, in any case, with or without a dot before them. Empty: all entries.
    pub extensions: Vec<String>,
    /// The maximal number of hits. Default: 100.
    pub max_results: usize,
    /// Also return which bytes matched. Default: false.
    pub include_positions: bool,
}

impl FindOptions {
    /// The 100 best matches of `query` below `path`.
    #[must_use]
    pub fn new(query: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            query: query.into(),
            syntax: QuerySyntax::Plain,
            scope: Scope::new(path),
            list: None,
            kind: None,
            extensions: Vec::new(),
            max_results: 100,
            include_positions: false,
        }
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
    /// For each entry of the snapshot of a [`PathList`], which of the given paths it is.
    pub places: Option<Arc<[u32]>>,
    /// Best first; among equal scores shallow before deep, then files before directories, then by path.
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
    let root = if options.list.is_none() { Some(scope.root()?) } else { None };
    // Letters and their marks are compared in one form.
    let query = composed(options.query.as_bytes());
    let mut query = String::from_utf8_lossy(&query).into_owned();
    for root in root.iter().flat_map(|root| [&scope.path, root]) {
        query = below_root(&query, root, options.syntax);
    }
    if Query::is_too_long(&query) {
        return Err(SearchError::QueryTooLong);
    }
    let wanted = Wanted::new(&query, options);
    if options.max_results == 0 {
        return Ok(FindOutcome { stop_reason: Some(StopReason::Limit), ..FindOutcome::default() });
    }
    if wanted.rankings.is_empty() && !wanted.has_unranked {
        return Ok(FindOutcome::default());
    }
    let Some(root) = root else { return find_in_list(context, options, &wanted, cancel) };
    let scan = ScanOptions {
        include_hidden: scope.include_hidden,
        use_gitignore: scope.use_gitignore,
        skip_node_modules: true,
        record_excluded: false,
        follow_links: true,
        detail: Detail::Minimal,
    };
    let request = scope.request(&root, scan);
    let lists_all = wanted.rankings.is_empty() && wanted.filter.is_open();
    context.on_snapshot(
        scope,
        &request,
        cancel,
        |snapshot| evaluate(context, options, &wanted, snapshot, cancel),
        |outcome| outcome.hits.is_empty() && !lists_all,
    )
}

fn find_in_list(
    context: SearchContext<'_>,
    options: &FindOptions,
    wanted: &Wanted,
    cancel: &CancelToken,
) -> Result<FindOutcome, SearchError> {
    let Some(list) = &options.list else { return Ok(FindOutcome::default()) };
    match list.prepared(context.cache.policy().max_scan_entries, &|| cancel.check()) {
        Ok(prepared) => {
            let outcome = evaluate(context, options, wanted, &prepared.snapshot, cancel)?;
            Ok(FindOutcome { places: Some(Arc::clone(&prepared.places)), ..outcome })
        }
        Err(stopped) => {
            let stop_reason = options.scope.settle(Err(stopped))?;
            Ok(FindOutcome { stop_reason, ..FindOutcome::default() })
        }
    }
}

/// The query, with each path in it that begins with `root` relative to that.
fn below_root(query: &str, root: &Path, syntax: QuerySyntax) -> String {
    let root = to_bytes(root);
    let Ok(root) = std::str::from_utf8(&composed(&root)).map(|root| root.trim_end_matches('/').to_owned()) else {
        return query.to_owned();
    };
    let begins = |before: Option<char>| {
        before.is_none_or(|one| one.is_whitespace() || (syntax == QuerySyntax::Fzf && matches!(one, '!' | '^' | '\'')))
    };
    let mut relative = String::with_capacity(query.len());
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        if begins(relative.chars().next_back())
            && let Some(below) = rest.strip_prefix(root.as_str())
            && below.chars().next().is_none_or(|next| next == '/' || next.is_whitespace())
        {
            rest = below.trim_start_matches('/');
            // Not the beginning of another path.
            if let Some(first) = rest.chars().next() {
                relative.push(first);
                rest = &rest[first.len_utf8()..];
            }
            continue;
        }
        relative.push(first);
        rest = &rest[first.len_utf8()..];
    }
    relative
}

/// What a query asks for.
struct Wanted {
    /// The queries that rank a match; the best of them counts.
    rankings: Vec<Query>,
    /// Whether entries that none of them match are matches too.
    has_unranked: bool,
    /// What a match must pass in any case.
    filter: Arc<Filter>,
    /// The conditions of the filter that have positions.
    terms: Terms,
    /// The words that have positions beside these conditions, unless they are the only ranking.
    words: Option<Query>,
}

impl Wanted {
    fn new(query: &str, options: &FindOptions) -> Self {
        let is_blank = query.trim().is_empty();
        let (rankings, has_unranked, terms, words) = match options.syntax {
            QuerySyntax::Plain => {
                let query = Query::parse(query);
                let rankings = if query.is_empty() { Vec::new() } else { vec![query] };
                (rankings, is_blank, Terms::default(), None)
            }
            QuerySyntax::Fzf => {
                let FzfQuery { words, terms, rankings, has_unranked } = FzfQuery::parse(query);
                let words = (!terms.is_empty()).then_some(words);
                (rankings, has_unranked, terms, words)
            }
        };
        let filter = Arc::new(Filter::new(options, terms.clone()));
        Self { rankings, has_unranked, filter, terms, words }
    }
}

fn evaluate(
    context: SearchContext<'_>,
    options: &FindOptions,
    wanted: &Wanted,
    snapshot: &Arc<Snapshot>,
    cancel: &CancelToken,
) -> Result<FindOutcome, SearchError> {
    let cancel = Scope::token_for(snapshot, cancel);
    let mut evaluation = Evaluation {
        context,
        options,
        wanted,
        snapshot,
        cancel: &cancel,
        best: Best::new(options.max_results),
        matched: Entries::none(snapshot.len()),
        compared: 0,
        timeout: None,
        marking: None,
    };
    match evaluation.rank_all() {
        Err(SearchError::Stopped(Stopped::TimedOut)) if options.scope.partial_on_timeout => {
            evaluation.timeout = Some(StopReason::Timeout);
        }
        result => result?,
    }
    let total = evaluation.matched.count();
    let Evaluation { best, compared, timeout, marking, .. } = evaluation;
    let mut hits = hits(best, snapshot);
    let marking = if options.include_positions {
        let mut line = Line::default();
        mark(&mut hits, &cancel, |hit| {
            let (path, composed) = (snapshot.path(hit.entry), snapshot.composed_path(hit.entry));
            let mut positions = marking.as_ref().map_or_else(Vec::new, |Prepared { derived, search }| {
                search.positions(&derived.index, hit.entry, composed)
            });
            if !wanted.terms.is_empty() {
                line.read(composed, hit.is_directory);
                wanted.terms.mark(&line, &mut positions);
                // The slash after the path of a directory is in no path.
                positions.retain(|&position| position < composed.len());
                positions.sort_unstable();
                positions.dedup();
            }
            if path == composed { positions } else { offsets_before_composition(path, &positions) }
        })
    } else {
        Ok(())
    };
    let stop_reason = options.scope.settle(marking)?.or(timeout);
    Ok(finish(FindOutcome { hits, total, compared, stop_reason, ..FindOutcome::default() }, options, snapshot))
}

/// Sets the positions of each hit. If it is stopped, it removes the hits without positions.
fn mark(
    hits: &mut Vec<FindHit>,
    cancel: &CancelToken,
    mut positions: impl FnMut(&FindHit) -> Vec<usize>,
) -> Result<(), Stopped> {
    for at in 0..hits.len() {
        // The first hits are marked in any case, so that a search that timed out has something to show.
        if at > 0
            && at.is_multiple_of(MARK_EVERY)
            && let Err(stopped) = cancel.check()
        {
            hits.truncate(at);
            return Err(stopped);
        }
        hits[at].positions = positions(&hits[at]);
    }
    Ok(())
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
    wanted: &'a Wanted,
    snapshot: &'a Arc<Snapshot>,
    cancel: &'a CancelToken,
    best: Best,
    matched: Entries,
    compared: usize,
    timeout: Option<StopReason>,
    /// The words that have positions.
    marking: Option<Prepared>,
}

impl Evaluation<'_> {
    fn rank_all(&mut self) -> Result<(), SearchError> {
        let all = Entries::all(self.snapshot.len());
        if self.wanted.rankings.is_empty() {
            self.snapshot.decomposed(&|| self.cancel.check())?;
            self.rank_literals(None)?;
        }
        for query in &self.wanted.rankings {
            let prepared = self.prepare(query)?;
            if self.options.include_positions && self.marking.is_none() {
                self.marking = match &self.wanted.words {
                    None => Some(prepared.clone()),
                    Some(words) if words.is_empty() => None,
                    Some(words) => Some(self.prepare(words)?),
                };
            }
            self.rank_literals(Some(&prepared))?;
            if self.timeout.is_none() {
                self.rank(query, &prepared)?;
            }
        }
        if self.wanted.has_unranked && self.timeout.is_none() {
            let mut others = all;
            others.remove_all(&self.matched);
            self.run(Matching::Listed, others, 0, 0)?;
        }
        Ok(())
    }

    fn prepare(&self, query: &Query) -> Result<Prepared, SearchError> {
        let derived = derive(self.context, self.snapshot, self.cancel)?;
        let search = Arc::new(Search::new(query, &derived.index, &|| self.cancel.check())?);
        Ok(Prepared { derived, search })
    }

    /// Ranks the entries that match a query, and if these are few, those that match with typos.
    fn rank(&mut self, query: &Query, prepared: &Prepared) -> Result<(), SearchError> {
        let Prepared { derived, search } = prepared;
        let filter = &self.wanted.filter;
        let entries = self.snapshot.len();
        let known = derived.recent.narrowed(query, filter);
        let among = known.map_or_else(|| Entries::all(entries), |known| known.typed.clone());
        let as_typed = Matching::AsTyped(prepared.clone());
        let (typed, mut settled) = self.run(as_typed, among, Tier::NameTypo.ceiling(), 0)?;
        let matches_well = settled.count() > 0;
        let (mut in_names, mut in_paths) = (None, None);
        // Typos are accepted only if that can change the result. In that case every match as typed has a score.
        let is_decided = self.best.floor() >= Tier::NameTypo.ceiling() && typed.count() > self.options.max_results;
        if !is_decided && self.timeout.is_none() && query.typos() > 0 {
            let mut found = Entries::none(entries);
            if let Some(typos) = TypoSearch::in_names(query, search) {
                let known = derived.recent.narrowed_in_names(query, filter);
                let mut among = known.unwrap_or_else(|| Entries::all(entries));
                among.remove_all(&settled);
                let with_typos = Matching::WithTypos(prepared.clone(), typos);
                let named;
                (found, named) = self.run(with_typos, among, Tier::PathTypo.ceiling(), 0)?;
                settled.insert_all(&named);
            }
            in_names = Some(found);
        }
        if in_names.is_some()
            && self.timeout.is_none()
            && !matches_well
            && settled.count() < ENOUGH
            && let Some(typos) = TypoSearch::in_paths(query, search, &derived.index)
        {
            let known = derived.recent.narrowed_in_paths(query, filter);
            let mut among = known.unwrap_or_else(|| Entries::all(entries));
            among.remove_all(&settled);
            let with_typos = Matching::WithTypos(prepared.clone(), typos);
            let (found, _) = self.run(with_typos, among, Tier::PathTypo.ceiling(), 0)?;
            in_paths = Some(found);
        }
        if self.timeout.is_none() {
            let (query, filter) = (query.clone(), Arc::clone(filter));
            derived.recent.remember(Survivors { query, filter, typed, in_names, in_paths });
        }
        Ok(())
    }

    /// Ranks the entries that hold a term of the query with its signs above all others.
    fn rank_literals(&mut self, prepared: Option<&Prepared>) -> Result<(), SearchError> {
        let literals = self.literals()?;
        if literals.count() == 0 {
            return Ok(());
        }
        if let Some(prepared) = prepared {
            self.run(Matching::AsTyped(prepared.clone()), literals.clone(), 0, LITERAL)?;
        }
        if self.wanted.has_unranked && self.timeout.is_none() {
            let mut others = literals;
            others.remove_all(&self.matched);
            self.run(Matching::Listed, others, 0, LITERAL)?;
        }
        Ok(())
    }

    /// The entries with paths that hold a term of the query with its signs.
    fn literals(&self) -> Result<Entries, Stopped> {
        let snapshot = self.snapshot;
        let mut found = Entries::none(snapshot.len());
        let mut line = Line::default();
        for literal in self.wanted.terms.literals() {
            // Signs are rare in paths.
            let Some(&sign) = literal.iter().find(|byte| b"!^$'".contains(byte)) else { continue };
            let mut end = 0;
            for (count, offset) in memchr::memchr_iter(sign, snapshot.arena()).enumerate() {
                if count.is_multiple_of(CHECK_EVERY) {
                    self.cancel.check()?;
                }
                // The path of an entry that was tested.
                if offset < end {
                    continue;
                }
                let entry = snapshot.entry_at(offset);
                end = snapshot.span(entry).end;
                line.read(snapshot.composed_path(entry), snapshot.kind(entry) == Kind::Dir);
                if memchr::memmem::find(line.folded(), literal).is_some() {
                    found.insert(entry);
                }
            }
        }
        Ok(found)
    }

    /// Scores some entries, with `bonus` added to each score. Returns which of them match, and which of those score at
    /// least `settled`.
    fn run(
        &mut self,
        matching: Matching,
        among: Entries,
        settled: u32,
        bonus: u32,
    ) -> Result<(Entries, Entries), SearchError> {
        let filter = &self.wanted.filter;
        let work = Arc::new(Scoring {
            snapshot: Arc::clone(self.snapshot),
            matching,
            filter: (!filter.is_open()).then(|| Arc::clone(filter)),
            bonus,
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
        self.matched.insert_all(&matched);
        self.timeout = self.options.scope.settle(result)?;
        Ok((matched, settled))
    }
}

#[cfg(test)]
mod tests;
