//! Paths that a caller lists itself.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cairn_walk::{Cut, Kind, Snapshot};

/// How many paths are read, sorted or merged between two checks for cancellation.
const CHECK_EVERY: usize = 1 << 15;

/// Paths to rank instead of the entries below a directory. Prepared by the first search, and then as fast as a cached scan.
#[derive(Debug)]
pub struct PathList {
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// The paths, each with a NUL after it.
    Given(Arc<Vec<u8>>),
    Prepared(Arc<PreparedList>),
}

/// A list in the form of a scan.
#[derive(Debug)]
pub(super) struct PreparedList {
    pub(super) snapshot: Arc<Snapshot>,
    /// For each entry, which of the given paths it is.
    pub(super) places: Arc<[u32]>,
}

/// A path without slashes at its end, whether it had one, and which of the given paths it is.
type Given<'a> = (&'a [u8], Kind, u32);

impl Default for PathList {
    fn default() -> Self {
        Self { state: Mutex::new(State::Given(Arc::default())) }
    }
}

impl PathList {
    /// Adds paths, each with a NUL after it; a directory's ends with `/`. A path given twice is found once. Returns `false`,
    /// and adds nothing, if the list was searched.
    #[must_use]
    pub fn add(&self, paths: &[u8]) -> bool {
        match &mut *self.lock() {
            State::Given(text) => {
                Arc::make_mut(text).extend_from_slice(paths);
                true
            }
            State::Prepared(_) => false,
        }
    }

    /// Returns the list in the form of a scan; paths beyond the first `max_entries` are left out.
    pub(super) fn prepared<E>(
        &self,
        max_entries: usize,
        check: &impl Fn() -> Result<(), E>,
    ) -> Result<Arc<PreparedList>, E> {
        let text = match &*self.lock() {
            State::Given(text) => Arc::clone(text),
            State::Prepared(prepared) => return Ok(Arc::clone(prepared)),
        };
        let prepared = Arc::new(PreparedList::new(&text, max_entries, check)?);
        *self.lock() = State::Prepared(Arc::clone(&prepared));
        Ok(prepared)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PreparedList {
    fn new<E>(text: &[u8], max_entries: usize, check: &impl Fn() -> Result<(), E>) -> Result<Self, E> {
        let mut paths: Vec<Given<'_>> = Vec::new();
        let mut cut = None;
        let mut start = 0;
        for end in memchr::memchr_iter(0, text) {
            if paths.len().is_multiple_of(CHECK_EVERY) {
                check()?;
            }
            // The offsets of a snapshot are numbers of 32 bits.
            if paths.len() == max_entries || u32::try_from(end).is_err() {
                cut = Some(Cut::Budget);
                break;
            }
            paths.push(given(&text[start..end], paths.len() as u32));
            start = end + 1;
        }
        let mut paths = sorted(paths, check)?;
        paths.dedup_by_key(|&mut (path, kind, _)| (path, kind));
        let places = paths.iter().map(|&(_, _, place)| place).collect();
        let snapshot = Snapshot::of_paths(paths.iter().map(|&(path, kind, _)| (path, kind)), cut);
        Ok(Self { snapshot: Arc::new(snapshot), places })
    }
}

fn given(path: &[u8], place: u32) -> Given<'_> {
    let slashes = path.iter().rev().take_while(|&&byte| byte == b'/').count();
    let kind = if slashes > 0 { Kind::Dir } else { Kind::File };
    (&path[..path.len() - slashes], kind, place)
}

/// Sorts part by part, so that a caller need not wait for all of it.
fn sorted<'a, E>(mut paths: Vec<Given<'a>>, check: &impl Fn() -> Result<(), E>) -> Result<Vec<Given<'a>>, E> {
    if paths.is_sorted() {
        return Ok(paths);
    }
    for part in paths.chunks_mut(CHECK_EVERY) {
        check()?;
        part.sort_unstable();
    }
    let mut parts: Vec<_> = paths.chunks(CHECK_EVERY).map(|part| part.iter().copied()).collect();
    let mut next: BinaryHeap<_> =
        parts.iter_mut().enumerate().filter_map(|(part, paths)| Some(Reverse((paths.next()?, part)))).collect();
    let mut merged = Vec::with_capacity(paths.len());
    while let Some(mut first) = next.peek_mut() {
        if merged.len().is_multiple_of(CHECK_EVERY) {
            check()?;
        }
        let Reverse((path, part)) = *first;
        merged.push(path);
        match parts[part].next() {
            Some(path) => *first = Reverse((path, part)),
            None => drop(std::collections::binary_heap::PeekMut::pop(first)),
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of paths, prepared, with at most `max_entries` of them.
    fn prepared(paths: &[String], max_entries: usize) -> (PathList, Arc<PreparedList>) {
        let list = PathList::default();
        let text = paths.join("\0") + "\0";
        assert!(list.add(text.as_bytes()));
        let prepared = list.prepared(max_entries, &|| Ok::<_, ()>(())).expect("no one stops");
        (list, prepared)
    }

    #[test]
    fn a_long_list_in_any_order_is_sorted_and_each_entry_is_the_first_of_its_paths() {
        // More than two parts, in an order that differs from the order of the paths; some are given twice.
        let given: Vec<String> = (0..100_000_usize)
            .map(|at| at * 77_777 % 90_001)
            .map(|number| format!("{number}{}", if number.is_multiple_of(7) { "//" } else { "" }))
            .collect();
        let (_, prepared) = prepared(&given, usize::MAX);
        let mut expected: Vec<(&str, bool, usize)> =
            given.iter().enumerate().map(|(at, path)| (path.trim_end_matches('/'), path.ends_with('/'), at)).collect();
        expected.sort_unstable();
        expected.dedup_by_key(|&mut (path, is_directory, _)| (path, is_directory));
        let snapshot = &prepared.snapshot;
        let found: Vec<(&str, bool, usize)> = (0..snapshot.len())
            .map(|entry| {
                let path = std::str::from_utf8(snapshot.path(entry)).expect("ASCII");
                (path, snapshot.kind(entry) == Kind::Dir, prepared.places[entry] as usize)
            })
            .collect();
        assert!(found == expected && snapshot.cut().is_none());
    }

    #[test]
    fn a_file_and_a_directory_of_one_name_are_two_entries() {
        let (_, prepared) = prepared(&["a", "a/", "a", "a//"].map(str::to_owned), 4);
        assert_eq!((&prepared.places[..], prepared.snapshot.cut()), (&[0, 1][..], None));
    }

    #[test]
    fn paths_beyond_the_maximum_are_left_out_and_reported() {
        let given = ["c", "b", "a"].map(str::to_owned);
        for (max_entries, places, cut) in [(3, vec![2, 1, 0], None), (2, vec![1, 0], Some(Cut::Budget))] {
            let (list, prepared) = prepared(&given, max_entries);
            assert_eq!((prepared.places.to_vec(), prepared.snapshot.cut()), (places, cut));
            assert!(!list.add(b"d\0"), "a list that was searched cannot grow");
        }
    }
}
