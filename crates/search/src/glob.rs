//! Glob over a snapshot.

use std::ops::ControlFlow;
use std::sync::Arc;

use cairn_cancel::{CancelToken, Stopped};
use cairn_walk::{Detail, Kind, ScanOptions, Snapshot};

use crate::context::{Scope, SearchContext, StopReason, fit_hits};
use crate::cost::{GLOB_DETAILS, GLOB_MATCH};
use crate::error::SearchError;
use crate::glob_pattern::mentions_node_modules;

mod filter;
mod hint;
mod matching;
mod newest;
mod options;

use filter::Filter;
use hint::hint_for;
use matching::{CHUNK, Matching};
use newest::{Newest, Ranked};
pub use options::GlobOptions;

/// One hit. Its path is in the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobHit {
    /// The entry's index in the snapshot, which has fewer than 2^32.
    pub entry: u32,
    /// Its kind; of a link, if `kind` is set, the kind of its target.
    pub kind: Kind,
}

/// The metadata of a hit.
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
    /// The snapshot that was searched; `None` if no search was needed.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The hits in path order, or newest first.
    pub hits: Vec<GlobHit>,
    /// The metadata of each hit with `sort_by_mtime`; otherwise empty.
    pub details: Vec<GlobDetails>,
    /// How many entries matched. In path order the count ends at the limit.
    pub total: usize,
    /// Why hits may be missing; `None` if the result is complete.
    pub stop_reason: Option<StopReason>,
    /// What an exclusion may have meant; or, if nothing matched, what the options may have meant.
    pub hint: Option<String>,
}

/// Finds the entries that match a glob.
///
/// Without the cache, or with links that are followed, only the part of the tree that can match is scanned. With the cache, the
/// matches of a pattern that begins with directories are found by binary search.
///
/// # Errors
/// [`SearchError`]: the root or the pattern is not valid, or the caller ended the search.
pub fn glob(
    context: SearchContext<'_>,
    options: &GlobOptions,
    cancel: &CancelToken,
) -> Result<GlobOutcome, SearchError> {
    let scope = &options.scope;
    let root = scope.root()?;
    let roots = [&root, &scope.path];
    let filter = Arc::new(Filter::new(options, roots)?);
    if options.max_results == Some(0) {
        return Ok(GlobOutcome { stop_reason: Some(StopReason::Limit), ..GlobOutcome::default() });
    }
    let mention = || options.patterns.iter().any(|pattern| mentions_node_modules(pattern));
    let include_node_modules = options.include_node_modules.unwrap_or_else(mention);
    let scan = ScanOptions {
        include_hidden: scope.include_hidden,
        use_gitignore: scope.use_gitignore,
        skip_node_modules: !include_node_modules,
        record_excluded: false,
        follow_links: options.follow_links,
        detail: if options.sort_by_mtime { Detail::Full } else { Detail::Minimal },
    };
    let request = scope.request(&root, scan);
    let part = filter.part();
    let search = |snapshot: &Arc<Snapshot>| match filter.check_types(snapshot) {
        Ok(()) => evaluate(context, options, &filter, snapshot, cancel).map(Ok),
        // A newer scan may have a file of the type.
        Err(unknown) => Ok(Err(unknown)),
    };
    // A snapshot of the whole tree has the target of several links once, which may be outside the part.
    let outcome = if (!scope.use_cache || options.follow_links) && !part.is_whole_tree() {
        search(&context.cache.scan_subtree(&request, part, context.pool, cancel)?)?
    } else {
        let is_empty = |outcome: &Result<GlobOutcome, _>| outcome.as_ref().map_or(true, |found| found.hits.is_empty());
        context.on_snapshot(scope, &request, cancel, search, is_empty)?
    };
    let mut outcome = outcome?;
    let is_empty = outcome.total == 0 && outcome.stop_reason.is_none();
    outcome.hint = filter.note().map(ToOwned::to_owned);
    if is_empty && outcome.hint.is_none() {
        outcome.hint = hint_for(options, &filter, roots, outcome.snapshot.as_deref());
    }
    Ok(outcome)
}

fn evaluate(
    context: SearchContext<'_>,
    options: &GlobOptions,
    filter: &Arc<Filter>,
    snapshot: &Arc<Snapshot>,
    cancel: &CancelToken,
) -> Result<GlobOutcome, SearchError> {
    let cancel = Scope::token_for(snapshot, cancel);
    let decomposed = match snapshot.decomposed(&|| cancel.check()) {
        Err(Stopped::TimedOut) if options.scope.partial_on_timeout => {
            let (snapshot, stop_reason) = (Some(Arc::clone(snapshot)), Some(StopReason::Timeout));
            return Ok(GlobOutcome { snapshot, stop_reason, ..GlobOutcome::default() });
        }
        decomposed => decomposed?,
    };
    // In another form, a path that begins with the prefix is elsewhere in the order.
    let has_prefix = decomposed.is_empty();
    let range = filter.range(snapshot, has_prefix);
    let limit = options.max_results.unwrap_or(usize::MAX);
    let work = Arc::new(Matching {
        filter: Arc::clone(filter),
        snapshot: Arc::clone(snapshot),
        first: range.start,
        has_prefix,
        keep: options.sort_by_mtime.then_some(limit),
    });
    let mut total = 0;
    let mut hits: Vec<GlobHit> = Vec::new();
    let mut newest = Newest::new(limit);
    let result = context.ordered(&work, range.len(), CHUNK, &cancel, |found| {
        if options.sort_by_mtime {
            total += found.matched;
            found.newest.into_iter().for_each(|hit| newest.push(hit));
        } else {
            hits.extend_from_slice(&found.hits);
            // One hit over the limit shows that there are more.
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
    let objects = GLOB_MATCH + if options.sort_by_mtime { GLOB_DETAILS } else { 0 };
    let max_bytes = options.scope.max_result_bytes;
    let is_over = fit_hits(&mut hits, snapshot, max_bytes, |hit| hit.entry as usize, |_| objects);
    let budget = is_over.then_some(StopReason::Budget);
    details.truncate(hits.len());
    let stop_reason =
        timeout.or(budget).or(snapshot.cut().map(StopReason::from)).or(limited.then_some(StopReason::Limit));
    Ok(GlobOutcome { snapshot: Some(Arc::clone(snapshot)), hits, details, total, stop_reason, hint: None })
}
