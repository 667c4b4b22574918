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

use crate::context::{Scope, SearchContext, StopReason, fit_hits};
use crate::cost::{GLOB_DETAILS, GLOB_MATCH};
use crate::error::SearchError;
use crate::glob_case::case_hint;
use crate::glob_forms::{closed, hint, regex_hint};
use crate::pattern::{Anchoring, GlobPattern, mentions_node_modules};

/// Entries matched per chunk. Large enough that the work outweighs passing it to a thread, small enough to share a tree of
/// ten thousand entries between two threads.
const CHUNK: usize = 4096;
/// How many entries are matched between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// The options of a glob.
#[derive(Clone, Debug)]
pub struct GlobOptions {
    /// The glob: `*` and `?` stop at `/`, `**` as a whole component does not; `[…]`, `{a,b}` and a backslash as in
    /// gitignore(5). Empty is `*`.
    pub pattern: String,
    /// The entries to search.
    pub scope: Scope,
    /// Only entries of this kind. A symbolic link counts as the kind of its target. Default: all.
    pub kind: Option<Kind>,
    /// A pattern without `/` matches at any depth. Default: true.
    pub recursive: bool,
    /// The maximal number of hits. Default: no limit.
    pub max_results: Option<usize>,
    /// Newest first instead of path order. Default: false.
    pub sort_by_mtime: bool,
    /// Include the contents of `node_modules`. Default: whether the pattern mentions it.
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
    /// The repair of an open brace; or, if nothing matched, what the options may have meant.
    pub hint: Option<String>,
}

/// Finds the entries that match a glob.
///
/// Without the cache, only the part of the tree that can match is scanned. With it, the matches of a pattern that begins with
/// directories are found by binary search.
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
        record_excluded: false,
        follow_links: false,
        detail: if options.sort_by_mtime { Detail::Full } else { Detail::Minimal },
    };
    let filter = Arc::new(Filter { pattern, kind: options.kind, full: options.sort_by_mtime });
    let request = scope.request(&root, scan);
    let part = filter.pattern.scope();
    let mut outcome = if !scope.use_cache && !part.is_whole_tree() {
        let snapshot = context.cache.scan_subtree(&request, part, context.pool, cancel)?;
        evaluate(context, options, &filter, &snapshot, cancel)?
    } else {
        context.on_snapshot(
            scope,
            &request,
            cancel,
            |snapshot| evaluate(context, options, &filter, snapshot, cancel),
            |outcome| outcome.hits.is_empty(),
        )?
    };
    outcome.hint = closed(&options.pattern);
    if outcome.total == 0 && outcome.stop_reason.is_none() {
        let in_other_case = |snapshot: &Arc<Snapshot>| {
            let fits = |entry| filter.wanted().is_none_or(|wanted| wanted == snapshot.kind(entry));
            case_hint(&options.pattern, [&root, &scope.path], anchoring, snapshot, fits)
        };
        let hint = outcome.hint.take().or_else(|| hint_for(options, &filter));
        outcome.hint = hint.or_else(|| outcome.snapshot.as_ref().and_then(in_other_case));
    }
    Ok(outcome)
}

/// What the options of a glob without a match may have meant.
fn hint_for(options: &GlobOptions, filter: &Filter) -> Option<String> {
    let pattern = options.pattern.as_str();
    if filter.pattern.only_directories() && options.kind.is_some_and(|kind| kind != Kind::Dir) {
        return Some("a glob that ends with / matches only directories, which fileType leaves out".to_owned());
    }
    if options.include_node_modules == Some(false) && mentions_node_modules(pattern) {
        return Some("includeNodeModules leaves out the contents of node_modules".to_owned());
    }
    if let Some(regex) = regex_hint(pattern) {
        return Some(regex);
    }
    let names_hidden =
        || pattern.split('/').any(|name| name.starts_with('.') && !name.starts_with("..") && name != ".");
    if !options.scope.include_hidden && names_hidden() {
        return Some("names that begin with a dot are left out without hidden".to_owned());
    }
    hint(pattern, false)
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
    let work = Arc::new(Matching {
        filter: Arc::clone(filter),
        snapshot: Arc::clone(snapshot),
        first: range.start,
        has_prefix,
        keep: options.sort_by_mtime.then_some(options.max_results.unwrap_or(usize::MAX)),
    });
    let limit = options.max_results.unwrap_or(usize::MAX);
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

#[derive(Debug)]
struct Filter {
    pattern: GlobPattern,
    kind: Option<Kind>,
    full: bool,
}

impl Filter {
    /// The entries that can match, by binary search; with `has_prefix`, the paths of all matches begin with the prefix.
    fn range(&self, snapshot: &Snapshot, has_prefix: bool) -> Range<usize> {
        if self.pattern.only_directories() && self.kind.is_some_and(|kind| kind != Kind::Dir) {
            return 0..0;
        }
        if !has_prefix {
            return 0..snapshot.len();
        }
        match self.pattern.only_path() {
            Some(path) => snapshot.find(&path).map_or(0..0, |entry| entry..entry + 1),
            None => snapshot.with_prefix(self.pattern.prefix()),
        }
    }

    /// The only kind that matches.
    fn wanted(&self) -> Option<Kind> {
        if self.pattern.only_directories() { Some(Kind::Dir) } else { self.kind }
    }

    /// The hit for an entry with a path that matches, if its kind matches too.
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

/// The kind of a link's target; `None` if it does not exist or is neither a file nor a directory.
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
    /// Whether all of them begin with the prefix of the pattern.
    has_prefix: bool,
    /// With `sort_by_mtime`, how many of the newest hits to keep.
    keep: Option<usize>,
}

struct Found {
    /// Without `sort_by_mtime`, the hits.
    hits: Vec<GlobHit>,
    /// With it, the newest hits.
    newest: Vec<Ranked>,
    matched: usize,
}

impl Ordered for Matching {
    /// The entries with paths that match, of one round.
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
            let spans = snapshot.spans(entries.clone());
            filter.pattern.select(snapshot.arena(), spans, entries.start as u32, self.has_prefix, selected);
            select_decomposed(&filter.pattern, snapshot.decomposed(check)?.within(entries), selected);
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

/// Decides again about the selected entries with paths that are not composed.
fn select_decomposed(pattern: &GlobPattern, decomposed: &[(u32, Box<[u8]>)], selected: &mut Vec<u32>) {
    if decomposed.is_empty() {
        return;
    }
    selected.retain(|entry| decomposed.binary_search_by_key(entry, |&(entry, _)| entry).is_err());
    let matching = decomposed.iter().filter(|(_, path)| pattern.matches_composed(path));
    selected.extend(matching.map(|&(entry, _)| entry));
    selected.sort_unstable();
}

/// The newest N hits. Memory grows with N, not with the number of hits.
struct Newest {
    capacity: usize,
    /// The oldest hit is on top.
    heap: BinaryHeap<Ranked>,
}

/// A hit with its modification time.
struct Ranked {
    hit: GlobHit,
    details: GlobDetails,
}

impl Newest {
    fn new(capacity: usize) -> Self {
        Self { capacity, heap: BinaryHeap::new() }
    }

    fn push(&mut self, hit: Ranked) {
        self.heap.push(hit);
        if self.heap.len() > self.capacity {
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use cairn_pool::Pool;
    use cairn_walk::{Policy, ScanCache};

    use super::*;

    #[test]
    fn matching_checks_its_token_every_thousand_entries() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for number in 0..3000 {
            std::fs::write(directory.path().join(format!("e\u{301}{number}")), "").expect("a file");
        }
        let (cache, pool) = (ScanCache::new(Policy::default()), Pool::new(1));
        let context = SearchContext { cache: &cache, pool: &pool };
        let options = GlobOptions::new("[é]*7", directory.path());
        let outcome = glob(context, &options, &CancelToken::new()).expect("a result");
        assert_eq!(outcome.hits.len(), 300);
        let root = directory.path().to_owned();
        let pattern = GlobPattern::compile(&options.pattern, [&root], Anchoring::Recursive);
        let work = Matching {
            filter: Arc::new(Filter { pattern: pattern.expect("a glob"), kind: None, full: false }),
            snapshot: outcome.snapshot.expect("a snapshot"),
            first: 0,
            has_prefix: false,
            keep: None,
        };
        let checks = Cell::new(0);
        let found = work.chunk(&mut Vec::new(), 0..3000, &|| {
            checks.set(checks.get() + 1);
            Ok(())
        });
        assert_eq!((found.expect("no stop").hits.len(), checks.get()), (300, 3000_usize.div_ceil(CHECK_EVERY)));
    }
}
