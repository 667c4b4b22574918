//! The sorted entries of one directory.

use std::cmp::Ordering;

use cairn_cancel::Stopped;

use crate::directory::Meta;
use crate::kind::Kind;

/// How many entries are sorted or merged between two checks for cancellation.
pub(super) const SORTED_PER_CHECK: usize = 4096;

/// The entry has no subtree in the scan.
pub(super) const NO_CHILD: u32 = u32::MAX;

/// The sorted entries of one directory.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The length of the directory's path, including its trailing `/`.
    pub(super) directory_len: usize,
    pub(super) names: Vec<u8>,
    pub(super) entries: Vec<Entry>,
    pub(super) meta: Vec<Option<Meta>>,
    /// Entries and subtrees in the byte order of whole paths.
    pub(super) order: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    name_start: u32,
    name_len: u16,
    pub(super) kind: Kind,
    /// It is left out, but recorded.
    pub(super) excluded: bool,
    /// The index of the subtree's listing, or [`NO_CHILD`].
    pub(super) child: u32,
}

/// An entry, or the subtree of a directory entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) entry: u32,
    pub(super) subtree: bool,
}

impl Listing {
    pub(super) fn push(&mut self, name: &[u8], kind: Kind, excluded: bool) {
        self.entries.push(Entry {
            name_start: self.names.len() as u32,
            name_len: name.len() as u16,
            kind,
            excluded,
            child: NO_CHILD,
        });
        self.names.extend_from_slice(name);
    }

    pub(super) fn name(&self, entry: Entry) -> &[u8] {
        let start = entry.name_start as usize;
        &self.names[start..start + usize::from(entry.name_len)]
    }

    /// Sorts entries by name, and puts each directory's subtree where its paths belong. All of them begin with the name
    /// and `/`, so the order is `a`, `a.c`, `a/b`: `.` is less than `/`. Calls `check` every [`SORTED_PER_CHECK`] steps of
    /// the sort.
    pub(super) fn sort(&mut self, check: &dyn Fn() -> Result<(), Stopped>) -> Result<(), Stopped> {
        // The first bytes decide nearly every comparison, without reading the names.
        let mut order: Vec<(u64, Step)> = Vec::with_capacity(self.entries.len());
        for (index, entry) in self.entries.iter().enumerate() {
            let name = self.name(*entry);
            order.push((first_bytes(name, false), Step { entry: index as u32, subtree: false }));
            if entry.kind == Kind::Dir {
                order.push((first_bytes(name, true), Step { entry: index as u32, subtree: true }));
            }
        }
        let compare = |(first, a): &(u64, Step), (second, b): &(u64, Step)| {
            first.cmp(second).then_with(|| {
                let names = (self.name(self.entries[a.entry as usize]), self.name(self.entries[b.entry as usize]));
                compare_steps(names.0, a.subtree, names.1, b.subtree)
            })
        };
        for part in order.chunks_mut(SORTED_PER_CHECK) {
            if part.len() == SORTED_PER_CHECK {
                check()?;
            }
            part.sort_unstable_by(compare);
        }
        let mut sorted = SORTED_PER_CHECK;
        while sorted < order.len() {
            order = merge_parts(&order, sorted, &compare, check)?;
            sorted *= 2;
        }
        self.order = order.into_iter().map(|(_, step)| step).collect();
        Ok(())
    }
}

/// Merges each two adjacent parts of `sorted` items, which are in order.
fn merge_parts<T: Copy>(
    items: &[T],
    sorted: usize,
    compare: &impl Fn(&T, &T) -> Ordering,
    check: &dyn Fn() -> Result<(), Stopped>,
) -> Result<Vec<T>, Stopped> {
    let mut merged = Vec::with_capacity(items.len());
    for pair in items.chunks(2 * sorted) {
        let (mut left, mut right) = pair.split_at(sorted.min(pair.len()));
        while let (Some(first), Some(second)) = (left.first(), right.first()) {
            if merged.len().is_multiple_of(SORTED_PER_CHECK) {
                check()?;
            }
            let from = if compare(first, second) == Ordering::Greater { &mut right } else { &mut left };
            merged.extend(from.split_off_first());
        }
        merged.extend_from_slice(left);
        merged.extend_from_slice(right);
    }
    Ok(merged)
}

/// Returns the first bytes of a name as a number that compares as they do. A subtree's name ends with `/`.
fn first_bytes(name: &[u8], subtree: bool) -> u64 {
    let mut bytes = [0; 8];
    let length = name.len().min(8);
    bytes[..length].copy_from_slice(&name[..length]);
    if let (true, Some(next)) = (subtree, bytes.get_mut(length)) {
        *next = b'/';
    }
    u64::from_be_bytes(bytes)
}

/// Compares two names. A subtree's name ends with `/`.
pub(super) fn compare_steps(left: &[u8], left_subtree: bool, right: &[u8], right_subtree: bool) -> Ordering {
    let common = left.len().min(right.len());
    left[..common].cmp(&right[..common]).then_with(|| {
        let next = |name: &[u8], subtree: bool| match name.get(common) {
            Some(byte) => u16::from(*byte) + 1,
            None if subtree => u16::from(b'/') + 1,
            None => 0,
        };
        next(left, left_subtree)
            .cmp(&next(right, right_subtree))
            .then_with(|| left.len().cmp(&right.len()))
            .then_with(|| left_subtree.cmp(&right_subtree))
    })
}
