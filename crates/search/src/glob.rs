//! Glob over a snapshot.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::Metadata;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::Ordered;
use cairn_walk::{Detail, Kind, ScanOptions, Snapshot, Subtree, from_bytes};

use crate::context::{Scope, SearchContext, StopReason, fit_hits};
use crate::cost::{GLOB_DETAILS, GLOB_MATCH};
use crate::error::SearchError;
use crate::glob_case::case_hint;
use crate::glob_forms::{hint, regex_hint};
use crate::glob_list::{GlobList, excluded};
use crate::pattern::{Anchoring, GlobPattern, mentions_node_modules};
use crate::types::TypeList;

/// Entries matched per chunk. Large enough that the work outweighs passing it to a thread, small enough to share a tree of
/// ten thousand entries between two threads.
const CHUNK: usize = 4096;
/// How many entries are matched between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// The options of a glob.
#[derive(Clone, Debug)]
pub struct GlobOptions {
    /// The globs: `*` and `?` stop at `/`, `**` as a whole component does not; `[…]`, `{a,b}` and a backslash as in
    /// gitignore(5). Empty is `*`. A `!` before one excludes, also what is below a directory that matches. The last one that
    /// matches decides.
    pub patterns: Vec<String>,
    /// The entries to search.
    pub scope: Scope,
    /// Only entries of this kind. A symbolic link counts as the kind of its target. Default: all.
    pub kind: Option<Kind>,
    /// Only files of one of these types, as in [`GrepOptions`](crate::GrepOptions). Default: all entries.
    pub file_types: Vec<String>,
    /// No files of these types.
    pub excluded_types: Vec<String>,
    /// The depth of the deepest entries; 1 means only the root's own entries. Default: no limit.
    pub max_depth: Option<usize>,
    /// Follow symbolic links, to each directory once. Default: false.
    pub follow_links: bool,
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
            patterns: vec![pattern.into()],
            scope: Scope::new(path),
            kind: None,
            file_types: Vec::new(),
            excluded_types: Vec::new(),
            max_depth: None,
            follow_links: false,
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
    /// What an exclusion may have meant; or, if nothing matched, what the options may have meant.
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
    let roots = [&root, &scope.path];
    let selection = Selection::compile(&options.patterns, roots, anchoring)?;
    let types = TypeList::new(&options.file_types, &options.excluded_types)?;
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
    let (kind, max_depth, full) = (options.kind, options.max_depth, options.sort_by_mtime);
    let filter = Arc::new(Filter { selection, kind, types, max_depth, full });
    let request = scope.request(&root, scan);
    let part = within_depth(filter.selection.scope(), options.max_depth);
    let search = |snapshot: &Arc<Snapshot>| match filter.types.check_snapshot(snapshot) {
        Ok(()) => evaluate(context, options, &filter, snapshot, cancel).map(Ok),
        // A newer scan may have a file of the type.
        Err(unknown) => Ok(Err(unknown)),
    };
    let outcome = if !scope.use_cache && !part.is_whole_tree() {
        search(&context.cache.scan_subtree(&request, part, context.pool, cancel)?)?
    } else {
        let is_empty = |outcome: &Result<GlobOutcome, _>| outcome.as_ref().map_or(true, |found| found.hits.is_empty());
        context.on_snapshot(scope, &request, cancel, search, is_empty)?
    };
    let mut outcome = outcome?;
    outcome.hint = filter.selection.note().map(ToOwned::to_owned);
    if outcome.total == 0 && outcome.stop_reason.is_none() && outcome.hint.is_none() {
        let mut including = options.patterns.iter().filter(|pattern| excluded(pattern).is_none());
        outcome.hint = including.find_map(|pattern| {
            let in_other_case = |snapshot: &Arc<Snapshot>| {
                let fits = |entry| filter.wanted().is_none_or(|wanted| wanted == snapshot.kind(entry));
                case_hint(pattern, roots, anchoring, snapshot, fits)
            };
            hint_for(options, pattern).or_else(|| outcome.snapshot.as_ref().and_then(in_other_case))
        });
    }
    Ok(outcome)
}

/// A part of a tree, at most `max_depth` deep.
pub(crate) fn within_depth(part: Subtree, max_depth: Option<usize>) -> Subtree {
    Subtree { max_depth: [part.max_depth, max_depth].into_iter().flatten().min(), ..part }
}

/// Whether the entry at `path` is at most `max_depth` deep.
pub(crate) fn is_within_depth(path: &[u8], max_depth: Option<usize>) -> bool {
    max_depth.is_none_or(|max| memchr::memchr_iter(b'/', path).count() < max)
}

/// What the options may have meant if a glob has no match.
fn hint_for(options: &GlobOptions, pattern: &str) -> Option<String> {
    let only_directories = pattern.len() > 1 && pattern.ends_with('/');
    if only_directories && (options.kind.is_some_and(|kind| kind != Kind::Dir) || !options.file_types.is_empty()) {
        return Some("a glob that ends with / matches only directories, which fileType or type leaves out".to_owned());
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
    hint(pattern)
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

/// The globs of a search.
#[derive(Debug)]
enum Selection {
    /// One that does not exclude. It is tested for many paths at a time.
    One(GlobPattern),
    List(GlobList),
}

impl Selection {
    fn compile(patterns: &[String], roots: [&PathBuf; 2], anchoring: Anchoring) -> Result<Self, SearchError> {
        match patterns {
            [only] if excluded(only).is_none() => GlobPattern::compile(only, roots, anchoring).map(Self::One),
            several => GlobList::compile(several.iter().map(String::as_str), roots, anchoring).map(Self::List),
        }
    }

    fn scope(&self) -> Subtree {
        match self {
            Self::One(pattern) => pattern.scope(),
            Self::List(list) => list.scope(),
        }
    }

    fn note(&self) -> Option<&str> {
        match self {
            Self::One(_) => None,
            Self::List(list) => list.note(),
        }
    }
}

#[derive(Debug)]
struct Filter {
    selection: Selection,
    kind: Option<Kind>,
    types: TypeList,
    max_depth: Option<usize>,
    full: bool,
}

impl Filter {
    /// The entries that can match, by binary search; with `has_prefix`, the paths of all matches begin with the prefix.
    fn range(&self, snapshot: &Snapshot, has_prefix: bool) -> Range<usize> {
        let pattern = match &self.selection {
            Selection::One(pattern) => pattern,
            Selection::List(list) if has_prefix => return snapshot.with_prefix(list.prefix()),
            Selection::List(_) => return 0..snapshot.len(),
        };
        if pattern.only_directories() && self.kind.is_some_and(|kind| kind != Kind::Dir) {
            return 0..0;
        }
        if !has_prefix {
            return 0..snapshot.len();
        }
        match pattern.only_path() {
            Some(path) => snapshot.find(&path).map_or(0..0, |entry| entry..entry + 1),
            None => snapshot.with_prefix(pattern.prefix()),
        }
    }

    /// The only kind that matches.
    fn wanted(&self) -> Option<Kind> {
        match &self.selection {
            Selection::One(pattern) if pattern.only_directories() => Some(Kind::Dir),
            _ => self.kind,
        }
    }

    /// Drops the selected entries that are too deep or not of the types.
    fn restrict(&self, snapshot: &Snapshot, selected: &mut Vec<u32>) {
        if self.types.is_empty() && self.max_depth.is_none() {
            return;
        }
        selected.retain(|&entry| {
            let (path, kind) = (snapshot.path(entry as usize), snapshot.kind(entry as usize));
            is_within_depth(path, self.max_depth)
                && if kind == Kind::Dir { !self.types.needs_type() } else { self.types.selects(path) }
        });
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

/// Whether an entry is a directory, or a link to one.
fn is_directory(snapshot: &Snapshot, entry: usize) -> bool {
    match snapshot.kind(entry) {
        Kind::Dir => true,
        Kind::File => false,
        Kind::Symlink => {
            let target = target_of(&snapshot.root().join(from_bytes(snapshot.path(entry))));
            target.is_some_and(|(kind, _)| kind == Kind::Dir)
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
            match &filter.selection {
                Selection::One(pattern) => {
                    let spans = snapshot.spans(entries.clone());
                    pattern.select(snapshot.arena(), spans, entries.start as u32, self.has_prefix, selected);
                    select_decomposed(pattern, snapshot.decomposed(check)?.within(entries), selected);
                }
                Selection::List(list) => {
                    let selects = |&entry: &usize| list.selects(snapshot.path(entry), || is_directory(snapshot, entry));
                    selected.extend(entries.filter(selects).map(|entry| entry as u32));
                }
            }
            filter.restrict(snapshot, selected);
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
        let selection = Selection::compile(&options.patterns, [&root, &root], Anchoring::Recursive).expect("a glob");
        let types = TypeList::new(&[], &[]).expect("no types");
        let work = Matching {
            filter: Arc::new(Filter { selection, kind: None, types, max_depth: None, full: false }),
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
