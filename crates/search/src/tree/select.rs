//! Which entries of a tree a summary has.

use std::ops::Range;

use cairn_walk::{Kind, composed};

use super::nodes::{Node, ROOT, Tree};

/// How deep a summary goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// This many levels below the root.
    Levels(usize),
    /// By the number of entries in the root: 4 levels for fewer than 20, 3 for fewer than 100, else 2; and one more below
    /// the root's directories `src`, `docs`, `examples` and `packages`.
    Auto,
}

/// The directories that [`Depth::Auto`] shows one more level of.
const DEEPER: [&[u8]; 4] = [b"src", b"docs", b"examples", b"packages"];

impl Depth {
    pub(super) fn levels(self, root_children: u32) -> usize {
        match self {
            Self::Levels(levels) => levels,
            Self::Auto if root_children < 20 => 4,
            Self::Auto if root_children < 100 => 3,
            Self::Auto => 2,
        }
    }
}

/// Picks at most `limit` nodes, ascending: the first level, directories first; what belongs to `focus`; then level by level,
/// where each directory gets as many children as every other, as far as it has them. A level that does not fit is the
/// last.
pub(super) fn select(tree: &Tree, depth: Depth, limit: usize, focus: &[u32]) -> Vec<u32> {
    let mut picked = Picked { is_picked: vec![false; tree.nodes.len()], left: limit };
    let first = tree.children(ROOT);
    let is_dir = |&node: &u32| tree.nodes[node as usize].kind == Kind::Dir;
    first.clone().filter(is_dir).for_each(|node| picked.pick(node));
    first.clone().filter(|node| !is_dir(node)).for_each(|node| picked.pick(node));
    pick_focus(tree, focus, &mut picked);
    let levels = depth.levels(tree.root_children);
    let mut level = first;
    for at in 1..=levels {
        let goes_on = |node: u32| at < levels || (depth == Depth::Auto && is_below_deeper(tree, node));
        let is_open = |&node: &u32| picked.is_picked[node as usize] && tree.nodes[node as usize].children > 0;
        let parents: Vec<u32> = level.clone().filter(is_open).filter(|&node| goes_on(node)).collect();
        if picked.left == 0 || picked.fill(tree, &parents) {
            break;
        }
        level = next_level(tree, level);
    }
    let nodes = 0..tree.nodes.len() as u32;
    nodes.filter(|&node| picked.is_picked[node as usize]).collect()
}

/// The numbers of all nodes one level below the nodes of `level`.
fn next_level(tree: &Tree, level: Range<u32>) -> Range<u32> {
    // The children of the nodes of a level follow one another.
    let end = |node: &Node| node.first_child + node.children;
    let last = tree.nodes[level.start as usize..level.end as usize].last();
    level.end..last.map_or(level.end, end)
}

fn is_below_deeper(tree: &Tree, mut node: u32) -> bool {
    loop {
        let parent = tree.nodes[node as usize].parent;
        if parent == ROOT {
            return DEEPER.contains(&tree.name(node as usize));
        }
        node = parent;
    }
}

struct Picked {
    is_picked: Vec<bool>,
    left: usize,
}

impl Picked {
    fn pick(&mut self, node: u32) {
        let is_picked = &mut self.is_picked[node as usize];
        if !*is_picked && self.left > 0 {
            *is_picked = true;
            self.left -= 1;
        }
    }

    /// Picks the children of `parents` fairly. Returns whether some do not fit.
    fn fill(&mut self, tree: &Tree, parents: &[u32]) -> bool {
        let rest = |picked: &Self, parent: u32| {
            let children = tree.children(parent);
            children.filter(|&child| !picked.is_picked[child as usize]).count()
        };
        let counts: Vec<usize> = parents.iter().map(|&parent| rest(self, parent)).collect();
        let total: usize = counts.iter().sum();
        let of_each = |k: usize| counts.iter().map(|&count| count.min(k)).sum::<usize>();
        let fits = total <= self.left;
        // The largest number for each directory that fits, and the smallest that does not.
        let (mut share, mut over) = (0, counts.iter().copied().max().unwrap_or(0));
        if fits {
            share = over;
        }
        while share + 1 < over {
            let middle = share + (over - share) / 2;
            if of_each(middle) <= self.left { share = middle } else { over = middle }
        }
        self.pick_some(tree, parents, share);
        if !fits {
            self.pick_some(tree, parents, 1);
        }
        !fits
    }

    /// Picks up to `count` more children of each of `parents`.
    fn pick_some(&mut self, tree: &Tree, parents: &[u32], count: usize) {
        for &parent in parents {
            let mut left = count;
            for child in tree.children(parent) {
                if left == 0 {
                    break;
                }
                if !self.is_picked[child as usize] {
                    self.pick(child);
                    left -= 1;
                }
            }
        }
    }
}

/// Picks the focused nodes with the directories that contain them, then their neighbours, then their contents.
fn pick_focus(tree: &Tree, focus: &[u32], picked: &mut Picked) {
    for &node in focus {
        let mut chain = vec![node];
        while let Some(parent) = chain.last().map(|&node| tree.nodes[node as usize].parent).filter(|&node| node != ROOT)
        {
            chain.push(parent);
        }
        chain.into_iter().rev().for_each(|node| picked.pick(node));
    }
    let siblings: Vec<u32> =
        focus.iter().map(|&node| tree.nodes[node as usize].parent).filter(|&node| node != ROOT).collect();
    for parents in [&siblings[..], focus] {
        let mut parents = parents.to_vec();
        parents.sort_unstable();
        parents.dedup();
        picked.fill(tree, &parents);
    }
}

/// Finds the node at a path relative to the root; `Some(ROOT)` is the root. A `/` or `./` before it and a `/` after it
/// change nothing.
pub(super) fn find(tree: &Tree, path: &str) -> Option<u32> {
    let mut node = ROOT;
    for name in path.split('/').filter(|&name| !matches!(name, "" | ".")) {
        let children = tree.children(node);
        let name_of = |child: u32| tree.name(child as usize);
        let (mut low, mut high) = (children.start, children.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if name_of(middle) < name.as_bytes() { low = middle + 1 } else { high = middle }
        }
        let exact = (low < children.end && name_of(low) == name.as_bytes()).then_some(low);
        let is_same = |&child: &u32| composed(name_of(child)) == composed(name.as_bytes());
        node = exact.or_else(|| children.clone().find(is_same))?;
    }
    Some(node)
}
