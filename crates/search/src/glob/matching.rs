//! Matches the entries of a snapshot, chunk by chunk on many threads.

use std::ops::Range;
use std::sync::Arc;

use cairn_cancel::Stopped;
use cairn_pool::Ordered;
use cairn_walk::Snapshot;

use crate::glob_pattern::GlobPattern;

use super::GlobHit;
use super::filter::{Filter, Selection, is_directory};
use super::newest::{Newest, Ranked};

/// Entries matched per chunk. Large enough that the work outweighs passing it to a thread, small enough to share a tree of
/// ten thousand entries between two threads.
pub(super) const CHUNK: usize = 4096;
/// How many entries are matched between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// The entries to match, and how.
pub(super) struct Matching {
    pub(super) filter: Arc<Filter>,
    pub(super) snapshot: Arc<Snapshot>,
    /// The first entry.
    pub(super) first: usize,
    /// Whether the paths of all of them begin with the prefix of the pattern.
    pub(super) has_prefix: bool,
    /// With `sort_by_mtime`, how many of the newest hits to keep.
    pub(super) keep: Option<usize>,
}

/// The hits of a chunk.
pub(super) struct Found {
    /// Without `sort_by_mtime`, the hits.
    pub(super) hits: Vec<GlobHit>,
    /// With it, the newest hits.
    pub(super) newest: Vec<Ranked>,
    /// With it, how many entries matched.
    pub(super) matched: usize,
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use cairn_cancel::CancelToken;
    use cairn_pool::Pool;
    use cairn_walk::{Policy, ScanCache};

    use crate::context::SearchContext;
    use crate::glob::{GlobOptions, glob};

    use super::*;

    #[test]
    fn matching_checks_its_token_every_thousand_entries() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for number in 0..3000 {
            std::fs::write(directory.path().join(format!("e\u{301}{number}")), "").expect("a file");
        }
        let (cache, pool) = (ScanCache::new(Policy::default()), Pool::new(1));
        let context = SearchContext::new(&cache, &pool);
        let options = GlobOptions::new("[é]*7", directory.path());
        let outcome = glob(context, &options, &CancelToken::new()).expect("a result");
        assert_eq!(outcome.hits.len(), 300);
        let root = directory.path().to_owned();
        let filter = Filter::new(&options, [&root, &root]).expect("a filter");
        let work = Matching {
            filter: Arc::new(filter),
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
