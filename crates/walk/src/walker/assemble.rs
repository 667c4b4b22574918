//! Builds a snapshot from the listings of a scan.

use std::sync::Arc;

use cairn_cancel::Stopped;

use crate::error::WalkError;
use crate::options::Detail;
use crate::snapshot::{Cut, Snapshot, SnapshotBuilder, SnapshotHead};

use super::listing::Listing;

/// Concatenates sorted directories in path order, up to `max_entries`.
pub(super) fn assemble(
    outputs: &[Option<Arc<Listing>>],
    max_entries: usize,
    head: SnapshotHead,
    check: &dyn Fn() -> Result<(), Stopped>,
) -> Result<Snapshot, WalkError> {
    let listings = || outputs.iter().flatten();
    let entries = listings().map(|listing| listing.entries.len()).sum();
    let bytes = listings().map(|listing| listing.names.len() + listing.entries.len() * listing.directory_len).sum();
    let mut builder = SnapshotBuilder::new(entries, bytes, head.options.detail == Detail::Full);
    let mut head = head;
    let mut prefix: Vec<u8> = Vec::new();
    // For each open directory: its listing, its next step, and the length of the prefix without its name.
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
            check()?;
        }
        let depth = stack.len();
        if seen > max_entries || !builder.push(&prefix, listing.name(entry), depth, entry.kind, entry.excluded) {
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
