//! One evaluation of a query: ranks the entries of a snapshot, pass by pass.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cairn_cancel::{CancelToken, Stopped};
use cairn_fuzzy::{Line, Query, Search, Tier, TypoSearch};
use cairn_walk::{Kind, Snapshot, offsets_before_composition};

use crate::context::{Scope, SearchContext, StopReason, fit_hits};
use crate::cost::{FIND_MATCH, FIND_POSITION, FIND_POSITIONS};
use crate::error::SearchError;

use super::best::{Best, Ranked};
use super::derived::derive;
use super::options::FindOptions;
use super::parsed_query::ParsedQuery;
use super::recent::{Entries, Survivors};
use super::scoring::{CHUNK, Matching, Prepared, Scoring};
use super::{CHECK_EVERY, FindHit, FindOutcome};

/// Typos in directories are accepted only if fewer entries than this match in a better way: these fill a screen.
const ENOUGH: usize = 10;
/// How many hits are marked between two checks for cancellation.
pub(super) const MARK_EVERY: usize = 128;
/// Added to the score of a path that holds a term with its signs: more than any score.
const LITERAL: u32 = 2 * Tier::Exact as u32 * 1000;

/// Ranks the entries of a snapshot.
pub(super) fn evaluate(
    context: SearchContext<'_>,
    options: &FindOptions,
    query: &ParsedQuery,
    snapshot: &Arc<Snapshot>,
    cancel: &CancelToken,
) -> Result<FindOutcome, SearchError> {
    let cancel = Scope::token_for(snapshot, cancel);
    let mut evaluation = Evaluation {
        context,
        options,
        query,
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
    let guesses = query.guesses();
    let marking = if options.include_positions || !guesses.is_empty() {
        let mut line = Line::default();
        mark(&mut hits, &cancel, |hit| {
            let composed = snapshot.composed_path(hit.entry);
            line.read(composed, hit.is_directory);
            hit.guess = guesses.of(&line, hit.score % LITERAL);
            if options.include_positions {
                let path = snapshot.path(hit.entry);
                let positions = positions(query, marking.as_ref(), hit.entry, composed, &line);
                hit.positions = if path == composed { positions } else { offsets_before_composition(path, &positions) };
            }
        })
    } else {
        Ok(())
    };
    let stop_reason = options.scope.settle(marking)?.or(timeout);
    Ok(finish(FindOutcome { hits, total, compared, stop_reason, ..FindOutcome::default() }, options, snapshot))
}

/// The offsets of the bytes of a path that matched.
fn positions(query: &ParsedQuery, marking: Option<&Prepared>, entry: usize, path: &[u8], line: &Line) -> Vec<usize> {
    let mut positions =
        marking.map_or_else(Vec::new, |Prepared { derived, search }| search.positions(&derived.index, entry, path));
    if !query.terms.is_empty() {
        query.terms.mark(line, &mut positions);
        // The slash after the path of a directory is in no path.
        positions.retain(|&position| position < path.len());
        positions.sort_unstable();
        positions.dedup();
    }
    positions
}

/// Calls `complete` with each hit. If it is stopped, it removes the hits that are not complete.
pub(super) fn mark(
    hits: &mut Vec<FindHit>,
    cancel: &CancelToken,
    mut complete: impl FnMut(&mut FindHit),
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
        complete(&mut hits[at]);
    }
    Ok(())
}

fn hits(best: Best, snapshot: &Snapshot) -> Vec<FindHit> {
    let hit = |ranked: Ranked| {
        let entry = ranked.entry();
        let is_directory = snapshot.kind(entry) == Kind::Dir;
        FindHit { entry, is_directory, score: ranked.score, guess: None, positions: Vec::new() }
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

/// One evaluation of a query: its parameters, and the result up to now.
struct Evaluation<'a> {
    context: SearchContext<'a>,
    options: &'a FindOptions,
    query: &'a ParsedQuery,
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
        if self.query.rankings.is_empty() {
            self.snapshot.decomposed(&|| self.cancel.check())?;
            self.rank_literals(None)?;
        }
        for query in &self.query.rankings {
            let prepared = self.prepare(query)?;
            if self.options.include_positions && self.marking.is_none() {
                self.marking = match &self.query.words {
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
        if self.query.has_unranked && self.timeout.is_none() {
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
        let filter = &self.query.filter;
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
        if self.query.has_unranked && self.timeout.is_none() {
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
        for literal in self.query.terms.literals() {
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
        let filter = &self.query.filter;
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
