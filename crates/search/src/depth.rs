//! The depth of the deepest entries that a search returns.

use cairn_walk::Subtree;

/// A part of a tree, at most `max_depth` deep.
pub(crate) fn within_depth(part: Subtree, max_depth: Option<usize>) -> Subtree {
    Subtree { max_depth: [part.max_depth, max_depth].into_iter().flatten().min(), ..part }
}

/// Whether the entry at `path` is at most `max_depth` deep.
pub(crate) fn is_within_depth(path: &[u8], max_depth: Option<usize>) -> bool {
    max_depth.is_none_or(|max| memchr::memchr_iter(b'/', path).count() < max)
}
