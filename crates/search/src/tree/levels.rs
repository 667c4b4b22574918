//! Puts the entries of a tree in its order: level by level.

use cairn_walk::Kind;

use super::nodes::{Folded, Node, ROOT};

/// A shown entry, in the order in which it was found.
pub(super) struct Kept {
    pub(super) parent: u32,
    pub(super) name_start: u32,
    pub(super) name_len: u16,
    pub(super) kind: Kind,
    pub(super) folded: Option<Folded>,
}

/// The nodes of a tree.
pub(super) struct Levels {
    pub(super) nodes: Vec<Node>,
    /// The number of the node of each kept entry.
    pub(super) numbers: Vec<u32>,
    /// How many nodes are on the first level.
    pub(super) root_children: u32,
}

/// The nodes of the kept entries. The children of an entry stay in the order in which they were found.
pub(super) fn in_levels(kept: &[Kept]) -> Levels {
    // The children of each entry, the root at the end, as positions in `order`.
    let all = kept.len();
    let slot = |parent: u32| if parent == ROOT { all } else { parent as usize };
    let mut starts = vec![0_u32; all + 2];
    for entry in kept {
        starts[slot(entry.parent) + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut order = vec![0_u32; all];
    for (index, entry) in kept.iter().enumerate() {
        let place = &mut next[slot(entry.parent)];
        order[*place as usize] = index as u32;
        *place += 1;
    }
    let children = |index: usize| &order[starts[index] as usize..starts[index + 1] as usize];
    // Level by level.
    let mut numbers = vec![0_u32; all];
    let mut queue: Vec<u32> = Vec::with_capacity(all);
    queue.extend_from_slice(children(all));
    let root_children = queue.len() as u32;
    let mut nodes = Vec::with_capacity(all);
    let mut at = 0;
    while let Some(&index) = queue.get(at) {
        let entry = &kept[index as usize];
        numbers[index as usize] = at as u32;
        let below = children(index as usize);
        let parent = if entry.parent == ROOT { ROOT } else { numbers[entry.parent as usize] };
        nodes.push(Node {
            parent,
            name_start: entry.name_start,
            name_len: entry.name_len,
            kind: entry.kind,
            folded: entry.folded,
            first_child: queue.len() as u32,
            children: below.len() as u32,
        });
        queue.extend_from_slice(below);
        at += 1;
    }
    Levels { nodes, numbers, root_children }
}
