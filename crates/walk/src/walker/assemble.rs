//! The sorted entries of the directories of a tree, and how they are put together in path order.

use std::cmp::Ordering;
use std::sync::Arc;

use cairn_cancel::CancelToken;

use crate::error::WalkError;
use crate::listing::Meta;
use crate::options::Detail;
use crate::snapshot::{Cut, Kind, Snapshot, SnapshotBuilder, SnapshotHead};

/// No directory that was entered.
pub(super) const NO_CHILD: u32 = u32::MAX;

/// The sorted entries of one directory.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// How long the path of the directory is, with its `/`.
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
    pub(super) child: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    entry: u32,
    subtree: bool,
}

impl Listing {
    pub(super) fn push(&mut self, name: &[u8], kind: Kind) {
        self.entries.push(Entry {
            name_start: self.names.len() as u32,
            name_len: name.len() as u16,
            kind,
            child: NO_CHILD,
        });
        self.names.extend_from_slice(name);
    }

    pub(super) fn name(&self, entry: Entry) -> &[u8] {
        let start = entry.name_start as usize;
        &self.names[start..start + usize::from(entry.name_len)]
    }

    /// Orders entries by name, and each directory's subtree where its paths, which all begin with name and `/`,
    /// stand among the others: `a`, `a.c`, `a/b`, because `.` is less than `/`.
    pub(super) fn sort(&mut self) {
        // With its first bytes, which decide nearly every comparison without a look at the names.
        let mut order: Vec<(u64, Step)> = Vec::with_capacity(self.entries.len());
        for (index, entry) in self.entries.iter().enumerate() {
            let name = self.name(*entry);
            order.push((first_bytes(name, false), Step { entry: index as u32, subtree: false }));
            if entry.kind == Kind::Dir {
                order.push((first_bytes(name, true), Step { entry: index as u32, subtree: true }));
            }
        }
        order.sort_unstable_by(|(first, a), (second, b)| {
            first.cmp(second).then_with(|| {
                let names = (self.name(self.entries[a.entry as usize]), self.name(self.entries[b.entry as usize]));
                compare_steps(names.0, a.subtree, names.1, b.subtree)
            })
        });
        let order = order.into_iter().map(|(_, step)| step).collect();
        self.order = order;
    }
}

/// Puts the sorted directories together in path order, up to the budget.
pub(super) fn assemble(
    outputs: &[Option<Arc<Listing>>],
    max_entries: usize,
    head: SnapshotHead,
    cancel: Option<&CancelToken>,
) -> Result<Snapshot, WalkError> {
    let listings = || outputs.iter().flatten();
    let entries = listings().map(|listing| listing.entries.len()).sum();
    let bytes = listings().map(|listing| listing.names.len() + listing.entries.len() * listing.directory_len).sum();
    let mut builder = SnapshotBuilder::new(entries, bytes, head.options.detail == Detail::Full);
    let mut head = head;
    let mut prefix: Vec<u8> = Vec::new();
    // For each open directory: its listing, the next step, and how long the prefix is without it.
    let mut stack: Vec<(&Listing, usize, usize)> = Vec::new();
    stack.extend(outputs.first().and_then(Option::as_deref).map(|root| (root, 0, 0)));
    let mut seen = 0;
    while let Some((listing, next, outer)) = stack.last_mut() {
        let listing: &Listing = listing;
        let Some(step) = listing.order.get(*next) else {
            prefix.truncate(*outer);
            stack.pop();
            continue;
        };
        *next += 1;
        let entry = listing.entries[step.entry as usize];
        if step.subtree {
            if let Some(Some(child)) = outputs.get(entry.child as usize) {
                let outer = prefix.len();
                prefix.extend_from_slice(listing.name(entry));
                prefix.push(b'/');
                stack.push((child, 0, outer));
            }
            continue;
        }
        seen += 1;
        if seen % 4096 == 0 {
            cancel.map_or(Ok(()), CancelToken::check)?;
        }
        let depth = stack.len();
        if seen > max_entries || !builder.push(&prefix, listing.name(entry), depth, entry.kind) {
            head.cut = Some(Cut::Budget);
            break;
        }
        if head.options.detail == Detail::Full {
            let meta = listing.meta.get(step.entry as usize).copied().flatten();
            builder.push_details(meta.map_or(f64::NAN, |meta| meta.mtime_ms), meta.and_then(|meta| meta.size));
        }
    }
    Ok(builder.finish(head))
}

/// The first bytes of a name, a subtree's with a `/` behind it, as a number that compares as they do.
fn first_bytes(name: &[u8], subtree: bool) -> u64 {
    let mut bytes = [0; 8];
    let length = name.len().min(8);
    bytes[..length].copy_from_slice(&name[..length]);
    if let (true, Some(next)) = (subtree, bytes.get_mut(length)) {
        *next = b'/';
    }
    u64::from_be_bytes(bytes)
}

/// Compares two names, a subtree's with a `/` behind it.
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
