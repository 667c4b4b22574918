//! The differences between two states of a tree.

use std::cmp::Ordering;
use std::ops::Range;

use cairn_walk::Kind;

use super::TreeState;
use super::nodes::{Folded, ROOT, Tree};

/// An entry that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// Its path relative to the root.
    pub path: Vec<u8>,
    /// Whether it is in the later state; else it is in the earlier one.
    pub appeared: bool,
    /// What it is.
    pub kind: Kind,
    /// Why a directory that came is shown without its contents.
    pub folded: Option<Folded>,
    /// The target of a link that came, unless it cannot be read.
    pub target: Option<Vec<u8>>,
}

/// The differences between two states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeChanges {
    /// The first of them, in path order. A directory that went stands for everything that was in it.
    pub listed: Vec<TreeChange>,
    /// How many there are.
    pub total: u64,
}

/// Two directories with the same path, one in each tree, and the children that are still to be compared.
struct Pair {
    before: Range<u32>,
    after: Range<u32>,
    /// The length of the path of both, with its `/`.
    prefix: usize,
}

impl TreeState {
    /// The memory that it holds, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.tree.bytes()
    }

    /// Returns the differences of a later state, at most `max_listed` entries of it. Both are of one root and the same rules.
    ///
    /// An entry that became something else (another kind, another target, a directory that is shown without its contents)
    /// went and came. Takes time linear in the size of both trees.
    #[must_use]
    pub fn changes_until(&self, after: &Self, max_listed: usize) -> TreeChanges {
        let (old, new) = (&self.0.tree, &after.0.tree);
        let mut changes = TreeChanges::default();
        if self.0.generation == after.0.generation {
            return changes;
        }
        let mut path = Vec::new();
        let mut open = vec![Pair { before: old.children(ROOT), after: new.children(ROOT), prefix: 0 }];
        while let Some(pair) = open.last_mut() {
            path.truncate(pair.prefix);
            let order = match (pair.before.is_empty(), pair.after.is_empty()) {
                (true, true) => {
                    open.pop();
                    continue;
                }
                (false, true) => Ordering::Less,
                (true, false) => Ordering::Greater,
                (false, false) => old.name(pair.before.start as usize).cmp(new.name(pair.after.start as usize)),
            };
            let before = if order == Ordering::Greater { None } else { pair.before.next() };
            let after = if order == Ordering::Less { None } else { pair.after.next() };
            let is_same = before.zip(after).is_some_and(|(before, after)| is_same(old, before, new, after));
            let name = after.map(|node| new.name(node as usize)).or(before.map(|node| old.name(node as usize)));
            path.extend_from_slice(name.unwrap_or_default());
            if let Some(node) = before.filter(|_| !is_same) {
                changes.add(old, node, &path, false, max_listed);
            }
            let Some(node) = after else { continue };
            if !is_same {
                changes.add(new, node, &path, true, max_listed);
            }
            if new.nodes[node as usize].kind == Kind::Dir {
                path.push(b'/');
                let known = before.filter(|_| is_same).map_or(0..0, |node| old.children(node));
                open.push(Pair { before: known, after: new.children(node), prefix: path.len() });
            }
        }
        changes
    }
}

impl TreeChanges {
    fn add(&mut self, tree: &Tree, node: u32, path: &[u8], appeared: bool, max_listed: usize) {
        self.total += 1;
        if self.listed.len() >= max_listed {
            return;
        }
        let found = tree.nodes[node as usize];
        self.listed.push(TreeChange {
            path: path.to_vec(),
            appeared,
            kind: found.kind,
            folded: found.folded.filter(|_| appeared),
            target: tree.target(node as usize).filter(|_| appeared).map(Into::into),
        });
    }
}

/// Whether two nodes of one path are shown alike, their contents aside.
fn is_same(old: &Tree, before: u32, new: &Tree, after: u32) -> bool {
    let (one, other) = (old.nodes[before as usize], new.nodes[after as usize]);
    one.kind == other.kind
        && one.folded == other.folded
        && (one.kind != Kind::Symlink || old.target(before as usize) == new.target(after as usize))
}
