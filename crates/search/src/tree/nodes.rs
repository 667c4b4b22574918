//! The tree that a summary shows parts of: the entries of a snapshot that are shown, and the counts of the others.

use cairn_walk::{Cut, Kind};

use super::dependencies::{Dependencies, Digest};

/// The number of the root in a list of parents.
pub(super) const ROOT: u32 = u32::MAX;

/// Why a directory is shown without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Folded {
    /// It has an excluded name, and git tracks files in it.
    Excluded = 1,
    /// It is another repository.
    Repository = 2,
    /// It cannot be read.
    Unreadable = 3,
}

/// One entry that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) name_start: u32,
    pub(super) name_len: u16,
    pub(super) kind: Kind,
    pub(super) folded: Option<Folded>,
    /// The numbers of its children are from here; there are `children` of them.
    pub(super) first_child: u32,
    pub(super) children: u32,
}

/// All entries that are shown, level by level, the children of a directory together and in the byte order of their names.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) names: Vec<u8>,
    pub(super) nodes: Vec<Node>,
    /// How many nodes are on the first level.
    pub(super) root_children: u32,
    /// The targets of links, by node.
    pub(super) targets: Vec<(u32, Box<[u8]>)>,
    pub(super) excluded: u64,
    pub(super) secrets: u64,
    /// Why entries may be missing.
    pub(super) cut: Option<Cut>,
    /// How many places could not be read, and the first of them.
    pub(super) unreadable: u64,
    pub(super) unreadable_paths: Vec<Vec<u8>>,
    /// What it depends on besides the snapshot.
    pub(super) dependencies: Dependencies,
}

impl Tree {
    pub(super) fn name(&self, node: usize) -> &[u8] {
        let node = self.nodes[node];
        &self.names[node.name_start as usize..][..usize::from(node.name_len)]
    }

    pub(super) fn target(&self, node: usize) -> Option<&[u8]> {
        let at = self.targets.binary_search_by_key(&(node as u32), |&(node, _)| node).ok()?;
        Some(&self.targets[at].1)
    }

    /// The numbers of the children of `node`, which may be [`ROOT`].
    pub(super) fn children(&self, node: u32) -> std::ops::Range<u32> {
        if node == ROOT {
            return 0..self.root_children;
        }
        let node = self.nodes[node as usize];
        node.first_child..node.first_child + node.children
    }

    /// A digest of everything in the tree.
    pub(super) fn digest(&self) -> u128 {
        let mut digest = Digest::default();
        digest.add(&self.names);
        for node in &self.nodes {
            let folded = node.folded.map_or(0, |folded| folded as u64);
            let small = u64::from(node.name_len) << 16 | (node.kind as u64) << 8 | folded;
            digest.add_word(u64::from(node.parent) << 32 | u64::from(node.name_start));
            digest.add_word(small << 32 | u64::from(node.children));
        }
        for (node, target) in &self.targets {
            digest.add_word(u64::from(*node));
            digest.add(target);
        }
        digest.add_word(self.excluded);
        digest.add_word(self.secrets);
        digest.value()
    }

    pub(super) fn bytes(&self) -> usize {
        self.names.capacity()
            + self.nodes.capacity() * size_of::<Node>()
            + self.dependencies.bytes()
            + self.targets.iter().map(|(_, target)| size_of::<(u32, Box<[u8]>)>() + target.len()).sum::<usize>()
    }
}
