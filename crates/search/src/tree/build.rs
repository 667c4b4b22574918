//! The tree that a summary shows parts of: the entries of a snapshot that are shown, and the counts of the others.

use std::path::Path;

use cairn_cancel::Stopped;
use cairn_walk::{Kind, Snapshot, from_bytes};

use super::names::{NameSet, Secrets};

/// How many entries are classified between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// The number of the root in a list of parents.
pub(super) const ROOT: u32 = u32::MAX;

/// The rules for which entries are shown.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) include_hidden: bool,
    pub(super) exclude: NameSet,
    pub(super) allow: NameSet,
    pub(super) secrets: Secrets,
}

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
    name_start: u32,
    name_len: u16,
    pub(super) kind: Kind,
    pub(super) folded: Option<Folded>,
    /// The numbers of its children are from here; there are `children` of them.
    pub(super) first_child: u32,
    pub(super) children: u32,
}

/// All entries that are shown, level by level, the children of a directory together and in the byte order of their names.
#[derive(Debug, Default)]
pub(super) struct Tree {
    names: Vec<u8>,
    pub(super) nodes: Vec<Node>,
    /// How many nodes are on the first level.
    pub(super) root_children: u32,
    /// The targets of links, by node.
    targets: Vec<(u32, Box<[u8]>)>,
    pub(super) excluded: u64,
    pub(super) secrets: u64,
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
        let mut digest = Digest([0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344]);
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
        u128::from(digest.0[0]) << 64 | u128::from(digest.0[1])
    }

    pub(super) fn bytes(&self) -> usize {
        self.names.capacity()
            + self.nodes.capacity() * size_of::<Node>()
            + self.targets.iter().map(|(_, target)| size_of::<(u32, Box<[u8]>)>() + target.len()).sum::<usize>()
    }
}

/// Tells whether two trees are equal. Fast, and not for hostile input: at worst a changed tree keeps its generation.
struct Digest([u64; 2]);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.add_word(u64::from_ne_bytes(word.try_into().unwrap_or_default()));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        self.add_word(u64::from_ne_bytes(last));
        self.add_word(bytes.len() as u64);
    }

    fn add_word(&mut self, word: u64) {
        let [first, second] = &mut self.0;
        let product = u128::from(*first ^ word) * 0x9E37_79B9_7F4A_7C15;
        *first = (product >> 64) as u64 ^ product as u64;
        *second = (second.rotate_left(23) ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
}

type Check<'a> = &'a dyn Fn() -> Result<(), Stopped>;

pub(super) fn build(snapshot: &Snapshot, rules: &Rules, check: Check<'_>) -> Result<Tree, Stopped> {
    let mut builder =
        Builder { rules, check, names: Vec::new(), kept: Vec::new(), targets: Vec::new(), tree: Tree::default() };
    builder.names.reserve(snapshot.len() * 12);
    builder.kept.reserve(snapshot.len());
    builder.add(snapshot)?;
    builder.finish()
}

/// A shown entry, in the order in which it was found.
struct Kept {
    parent: u32,
    name_start: u32,
    name_len: u16,
    kind: Kind,
    folded: Option<Folded>,
}

struct Builder<'a> {
    rules: &'a Rules,
    check: Check<'a>,
    names: Vec<u8>,
    kept: Vec<Kept>,
    targets: Vec<(u32, Box<[u8]>)>,
    tree: Tree,
}

/// How an entry is shown or counted.
enum Class {
    /// It is shown; a directory with its contents.
    Open,
    Folded(Folded),
    Excluded,
    Secret,
    /// It is left out and not counted.
    Nothing,
}

/// A directory of a snapshot with entries still to come.
struct Directory {
    entry: usize,
    /// `None`: its contents are not shown.
    kept: Option<u32>,
}

impl Builder<'_> {
    /// Adds the entries of a snapshot.
    fn add(&mut self, snapshot: &Snapshot) -> Result<(), Stopped> {
        let repositories = repositories(snapshot);
        let unreadable = Unreadable::of(snapshot);
        // Directories in path order. In it, what is in `a` may come after `a-b` and what is in that, so a directory is
        // dropped when a path comes that is after all paths in it.
        let mut open: Vec<Directory> = Vec::new();
        let mut entry = 0;
        let mut until_check = 0;
        while entry < snapshot.len() {
            if until_check == 0 {
                (self.check)()?;
                until_check = CHECK_EVERY;
            }
            until_check -= 1;
            let path = snapshot.path(entry);
            let name = snapshot.name(entry);
            let mut parent = ROOT;
            if name.len() < path.len() {
                let directory = &path[..path.len() - name.len() - 1];
                while let Some(last) = open.last()
                    && is_past(path, snapshot.path(last.entry))
                {
                    open.pop();
                }
                let found = open.iter().rev().find(|open| snapshot.path(open.entry) == directory);
                let Some(kept) = found.and_then(|found| found.kept) else {
                    // Nothing in this directory is shown.
                    entry = snapshot.with_prefix(&[directory, b"/"].concat()).end;
                    continue;
                };
                parent = kept;
            }
            let kind = snapshot.kind(entry);
            let is_repository = kind == Kind::Dir && repositories.binary_search(&entry).is_ok();
            let class = self.classify(snapshot, entry, is_repository, &unreadable);
            let mut kept = None;
            match class {
                Class::Open => kept = Some(self.keep(parent, name, kind, None)),
                Class::Folded(folded) => _ = self.keep(parent, name, kind, Some(folded)),
                Class::Excluded => self.tree.excluded += 1,
                Class::Secret => self.tree.secrets += 1,
                Class::Nothing => {}
            }
            if kind == Kind::Dir {
                open.push(Directory { entry, kept });
            }
            entry += 1;
        }
        Ok(())
    }

    fn keep(&mut self, parent: u32, name: &[u8], kind: Kind, folded: Option<Folded>) -> u32 {
        let name_start = self.names.len() as u32;
        self.names.extend_from_slice(name);
        self.kept.push(Kept { parent, name_start, name_len: name.len() as u16, kind, folded });
        (self.kept.len() - 1) as u32
    }

    fn classify(&mut self, snapshot: &Snapshot, entry: usize, is_repository: bool, unreadable: &Unreadable) -> Class {
        let (name, kind) = (snapshot.name(entry), snapshot.kind(entry));
        if name == b".git" {
            return Class::Nothing;
        }
        let is_dir = kind == Kind::Dir;
        if self.rules.secrets.contain(name, is_dir) {
            return Class::Secret;
        }
        if kind == Kind::Symlink {
            let path = snapshot.absolute(entry);
            let target = std::fs::read_link(&path).ok();
            if self.leads_to_secret(&path, name, target.as_deref()) {
                return Class::Secret;
            }
            if snapshot.is_excluded(entry) && !self.rules.allow.contains(name) {
                return Class::Excluded;
            }
            if let Some(target) = target {
                self.targets.push((self.kept.len() as u32, path_bytes(&target)));
            }
            return Class::Open;
        }
        let by_name =
            is_dir && (self.rules.exclude.contains(name) || (!self.rules.include_hidden && name.starts_with(b".")));
        if (snapshot.is_excluded(entry) || by_name) && !self.rules.allow.contains(name) {
            return Class::Excluded;
        }
        if is_repository {
            return Class::Folded(Folded::Repository);
        }
        if is_dir && unreadable.contains(snapshot, entry) {
            return Class::Folded(Folded::Unreadable);
        }
        Class::Open
    }

    /// Whether the target of a link is secret, by its name as the link has it or by its real name.
    fn leads_to_secret(&self, link: &Path, name: &[u8], target: Option<&Path>) -> bool {
        let resolved = link.canonicalize().ok();
        let is_dir = resolved.as_deref().is_some_and(Path::is_dir);
        let is_secret = |path: &Path| {
            path.file_name().is_some_and(|name| self.rules.secrets.contain(name.as_encoded_bytes(), is_dir))
        };
        self.rules.secrets.contain(name, is_dir)
            || target.is_some_and(is_secret)
            || resolved.as_deref().is_some_and(is_secret)
    }

    /// Puts the entries in the order of the tree.
    fn finish(self) -> Result<Tree, Stopped> {
        let Self { check, names, kept, targets, mut tree, .. } = self;
        check()?;
        // The children of each entry, the root at the end, as positions in `order`.
        let root = kept.len();
        let slot = |parent: u32| if parent == ROOT { root } else { parent as usize };
        let mut starts = vec![0_u32; root + 2];
        for entry in &kept {
            starts[slot(entry.parent) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut order = vec![0_u32; root];
        for (index, entry) in kept.iter().enumerate() {
            let place = &mut next[slot(entry.parent)];
            order[*place as usize] = index as u32;
            *place += 1;
        }
        check()?;
        let children = |index: usize| &order[starts[index] as usize..starts[index + 1] as usize];
        // Level by level.
        let mut numbers = vec![0_u32; root];
        let mut queue: Vec<u32> = Vec::with_capacity(root);
        queue.extend_from_slice(children(root));
        tree.root_children = queue.len() as u32;
        tree.nodes.reserve_exact(root);
        let mut at = 0;
        while let Some(&index) = queue.get(at) {
            let entry = &kept[index as usize];
            numbers[index as usize] = at as u32;
            let below = children(index as usize);
            let parent = if entry.parent == ROOT { ROOT } else { numbers[entry.parent as usize] };
            tree.nodes.push(Node {
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
        tree.names = names;
        tree.targets = targets.into_iter().map(|(index, target)| (numbers[index as usize], target)).collect();
        tree.targets.sort_unstable_by_key(|&(node, _)| node);
        Ok(tree)
    }
}

/// Whether `path` comes after every path in the directory at `directory`.
fn is_past(path: &[u8], directory: &[u8]) -> bool {
    let common = path.len().min(directory.len());
    match path[..common].cmp(&directory[..common]) {
        std::cmp::Ordering::Equal => path.get(common).is_some_and(|&byte| byte > b'/'),
        order => order.is_gt(),
    }
}

/// The directories with a `.git` in them, ascending.
fn repositories(snapshot: &Snapshot) -> Vec<usize> {
    let marks = (0..snapshot.len()).filter(|&entry| snapshot.name(entry) == b".git");
    let mut found: Vec<usize> =
        marks.filter_map(|mark| snapshot.find(snapshot.path(mark).strip_suffix(b"/.git")?)).collect();
    found.sort_unstable();
    found
}

/// The directories that a scan could not read.
struct Unreadable {
    /// Ascending.
    named: Vec<usize>,
    /// There are more than those that the snapshot names.
    has_more: bool,
}

impl Unreadable {
    fn of(snapshot: &Snapshot) -> Self {
        let paths = snapshot.unreadable_paths();
        let mut named: Vec<usize> = paths.iter().filter_map(|path| snapshot.find(path)).collect();
        named.sort_unstable();
        Self { named, has_more: snapshot.unreadable() > paths.len() as u64 }
    }

    /// Whether a directory could not be read, and none of its entries is known.
    fn contains(&self, snapshot: &Snapshot, entry: usize) -> bool {
        if self.named.binary_search(&entry).is_err() && !self.has_more {
            return false;
        }
        let path = snapshot.path(entry);
        if !snapshot.with_prefix(&[path, b"/"].concat()).is_empty() {
            return false;
        }
        self.named.binary_search(&entry).is_ok()
            || std::fs::read_dir(snapshot.root().join(from_bytes(path)))
                .is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound)
    }
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Box<[u8]> {
    path.as_os_str().as_encoded_bytes().into()
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Box<[u8]> {
    path.to_string_lossy().replace('\\', "/").into_bytes().into()
}
