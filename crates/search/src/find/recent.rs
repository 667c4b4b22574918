//! Entries that earlier queries of a snapshot matched: a query that extends one of them compares no others.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cairn_fuzzy::Query;

use super::filter::Filter;

/// How many queries are remembered: for a few callers that type concurrently, and some backspaces of each.
const REMEMBERED: usize = 8;

/// A set of entries, as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entries {
    pub(super) words: Vec<u64>,
}

/// Which entries a query matched.
#[derive(Debug)]
pub(super) struct Survivors {
    pub(super) query: Query,
    /// The conditions on the entries besides the query.
    pub(super) filter: Arc<Filter>,
    /// Those that match as typed.
    pub(super) typed: Entries,
    /// Those that match with typos in base names; `None` if that was not tested.
    pub(super) in_names: Option<Entries>,
    /// Those that match with typos anywhere, without those that rank higher; `None` if that was not tested.
    pub(super) in_paths: Option<Entries>,
}

/// The survivors of the last few queries. Bounded: three bits per entry and query.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// The latest first.
    queries: Mutex<VecDeque<Arc<Survivors>>>,
}

impl Entries {
    /// The number of entries in the set.
    pub(super) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn insert(&mut self, entry: usize) {
        self.words[entry / 64] |= 1 << (entry % 64);
    }

    /// The set of all of `entries` entries.
    pub(super) fn all(entries: usize) -> Self {
        let mut words = vec![u64::MAX; entries.div_ceil(64)];
        if let Some(last) = words.last_mut()
            && !entries.is_multiple_of(64)
        {
            *last = (1 << (entries % 64)) - 1;
        }
        Self { words }
    }

    pub(super) fn insert_all(&mut self, others: &Self) {
        self.words.iter_mut().zip(&others.words).for_each(|(word, others)| *word |= others);
    }

    pub(super) fn remove_all(&mut self, others: &Self) {
        self.words.iter_mut().zip(&others.words).for_each(|(word, others)| *word &= !others);
    }

    /// The empty set, with room for `entries` entries.
    pub(super) fn none(entries: usize) -> Self {
        Self { words: vec![0; entries.div_ceil(64)] }
    }
}

impl Survivors {
    /// Those that match as typed or with typos in base names; `None` if the latter was not tested.
    fn in_names(&self) -> Option<Entries> {
        let mut all = self.typed.clone();
        all.insert_all(self.in_names.as_ref()?);
        Some(all)
    }

    /// Those that match in any way; `None` if typos in paths were not tested.
    fn in_any_way(&self) -> Option<Entries> {
        let mut all = self.in_names()?;
        all.insert_all(self.in_paths.as_ref()?);
        Some(all)
    }

    /// Whether every entry that passes `filter` had the chance to survive.
    fn covers(&self, filter: &Filter) -> bool {
        self.filter.is_open() || *self.filter == *filter
    }

    /// How many kinds of typos were tested.
    fn passes(&self) -> usize {
        usize::from(self.in_names.is_some()) + usize::from(self.in_paths.is_some())
    }
}

impl Recent {
    /// The maximal memory for a snapshot with `entries` entries, in bytes.
    pub(super) fn max_bytes(entries: usize) -> usize {
        REMEMBERED * 3 * entries.div_ceil(8)
    }

    /// The smallest known set that contains all entries that match `query` as typed and pass `filter`. `None` if none is
    /// known.
    pub(super) fn narrowed(&self, query: &Query, filter: &Filter) -> Option<Arc<Survivors>> {
        let queries = self.lock();
        let narrowing = queries.iter().filter(|survivors| survivors.covers(filter) && query.narrows(&survivors.query));
        narrowing.min_by_key(|survivors| survivors.typed.count()).cloned()
    }

    /// The same for entries that match with typos in base names.
    pub(super) fn narrowed_in_names(&self, query: &Query, filter: &Filter) -> Option<Entries> {
        self.narrowed_with_typos(query, filter, Survivors::in_names)
    }

    /// The same for entries that match with typos anywhere.
    pub(super) fn narrowed_in_paths(&self, query: &Query, filter: &Filter) -> Option<Entries> {
        self.narrowed_with_typos(query, filter, Survivors::in_any_way)
    }

    fn narrowed_with_typos(
        &self,
        query: &Query,
        filter: &Filter,
        known: impl Fn(&Survivors) -> Option<Entries>,
    ) -> Option<Entries> {
        let queries = self.lock();
        let narrowing =
            queries.iter().filter(|survivors| survivors.covers(filter) && query.narrows_with_typos(&survivors.query));
        narrowing.filter_map(|survivors| known(survivors)).min_by_key(Entries::count)
    }

    /// Remembers the matches of a query, and forgets the oldest query.
    pub(super) fn remember(&self, survivors: Survivors) {
        let mut queries = self.lock();
        // Matches with typos are worth more than the same query without them.
        let known = queries.iter().position(|other| other.query == survivors.query && other.filter == survivors.filter);
        let known = known.and_then(|at| queries.remove(at));
        let kept = known.filter(|known| known.passes() > survivors.passes());
        queries.push_front(kept.unwrap_or_else(|| Arc::new(survivors)));
        queries.truncate(REMEMBERED);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Survivors>>> {
        self.queries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
