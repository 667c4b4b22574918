//! Fuzzy find over a snapshot, or over a list of paths.

use std::sync::Arc;

use cairn_cancel::CancelToken;
use cairn_fuzzy::Guess;
use cairn_walk::{Detail, ScanOptions, Snapshot};

use crate::context::{SearchContext, StopReason};
use crate::error::SearchError;

mod best;
mod derived;
mod evaluation;
mod filter;
mod list;
mod options;
mod parsed_query;
mod recent;
mod scoring;

use evaluation::evaluate;
pub use list::PathList;
pub use options::{FindOptions, QuerySyntax};
use parsed_query::ParsedQuery;

/// How many entries are processed between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// One hit. Its path is in the snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindHit {
    /// The entry's index in the snapshot.
    pub entry: usize,
    /// Whether it is a directory, or a link to one.
    pub is_directory: bool,
    /// Higher is better; comparable within one result only.
    pub score: u32,
    /// How it is a guess; `None` if the path contains each word as typed.
    pub guess: Option<Guess>,
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
    let query = ParsedQuery::new(options, root.as_ref())?;
    if options.max_results == 0 {
        return Ok(FindOutcome { stop_reason: Some(StopReason::Limit), ..FindOutcome::default() });
    }
    if query.matches_nothing() {
        return Ok(FindOutcome::default());
    }
    let Some(root) = root else { return find_in_list(context, options, &query, cancel) };
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
        |outcome| outcome.hits.is_empty() && !query.matches_all(),
    )
}

fn find_in_list(
    context: SearchContext<'_>,
    options: &FindOptions,
    query: &ParsedQuery,
    cancel: &CancelToken,
) -> Result<FindOutcome, SearchError> {
    let Some(list) = &options.list else { return Ok(FindOutcome::default()) };
    match list.prepared(context.cache.policy().max_scan_entries, &|| cancel.check()) {
        Ok(prepared) => {
            let outcome = evaluate(context, options, query, &prepared.snapshot, cancel)?;
            Ok(FindOutcome { places: Some(Arc::clone(&prepared.places)), ..outcome })
        }
        Err(stopped) => {
            let stop_reason = options.scope.settle(Err(stopped))?;
            Ok(FindOutcome { stop_reason, ..FindOutcome::default() })
        }
    }
}

#[cfg(test)]
mod tests;
