//! Builds the tree of a snapshot: decides which entries are shown, and counts the others.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fs::FileType;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cairn_cancel::Stopped;
use cairn_walk::{Kind, Snapshot, from_bytes, is_own_temporary, to_bytes};

use crate::error::SearchError;

use super::dependencies::{LinkStates, LinkTarget};
use super::names::{NameSet, NamedKind, Secrets};
use super::nodes::{Folded, Node, ROOT, Tree};
use super::tracked::{FileState, Tracked};

/// How many entries are classified between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// The rules for which entries are shown.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) include_hidden: bool,
    pub(super) exclude: NameSet,
    pub(super) allow: NameSet,
    pub(super) secrets: Secrets,
}

type Check<'a> = &'a dyn Fn() -> Result<(), Stopped>;
/// Scans the directory at a canonical path as the root was scanned.
pub(super) type ScanDirectory<'a> = &'a dyn Fn(&Path) -> Result<Arc<Snapshot>, SearchError>;

/// Builds the tree of a snapshot. `scan` is used for directories that the ignore rules leave out of it and that are shown.
pub(super) fn build(
    snapshot: &Snapshot,
    rules: &Rules,
    scan: ScanDirectory<'_>,
    check: Check<'_>,
) -> Result<Tree, SearchError> {
    let mut builder = Builder {
        rules,
        check,
        root: snapshot.root(),
        tracked: OnceCell::new(),
        names: Vec::with_capacity(snapshot.len() * 12),
        kept: Vec::with_capacity(snapshot.len()),
        targets: Vec::new(),
        pending: Vec::new(),
        links: LinkStates::new(!rules.secrets.is_empty(), snapshot.generation()),
        link: LinkTarget::default(),
        tree: Tree::default(),
    };
    builder.add(snapshot, ROOT, b"")?;
    while let Some(Pending { kept, path, contents }) = builder.pending.pop() {
        match contents {
            Contents::Rules => builder.add_ignored(kept, path, scan)?,
            Contents::Tracked => builder.add_tracked(kept, path)?,
        }
    }
    Ok(builder.finish()?)
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
    root: &'a Path,
    /// Read when an entry is left out that it could show.
    tracked: OnceCell<Tracked>,
    names: Vec<u8>,
    kept: Vec<Kept>,
    targets: Vec<(u32, Box<[u8]>)>,
    pending: Vec<Pending>,
    links: LinkStates,
    /// Where the link that was classified last leads.
    link: LinkTarget,
    tree: Tree,
}

/// A directory that is shown though a rule ignores it, and the path of it relative to the root.
struct Pending {
    kept: u32,
    path: Vec<u8>,
    contents: Contents,
}

/// Which entries of a directory are shown.
#[derive(Clone, Copy)]
enum Contents {
    /// Those that the rules do not leave out.
    Rules,
    /// Those that git tracks.
    Tracked,
}

/// How an entry is shown or counted.
enum Class {
    /// It is shown; a directory with its contents.
    Open,
    /// It is a directory that is shown though a rule ignores it.
    Ignored(Contents),
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
    /// Adds the entries of a snapshot of the directory at `prefix`, which ends with `/`.
    fn add(&mut self, snapshot: &Snapshot, top: u32, prefix: &[u8]) -> Result<(), Stopped> {
        let repositories = repositories(snapshot);
        let unreadable = Unreadable::of(snapshot);
        self.tree.cut = self.tree.cut.or(snapshot.cut());
        self.tree.unreadable += snapshot.unreadable();
        self.tree.unreadable_paths.extend(snapshot.unreadable_paths().iter().map(|path| within(prefix, path)));
        // Directories in path order. In it, what is in `a` may come after `a-b` and what is in that, so a directory is
        // dropped when a path comes that is after all paths in it.
        let mut open: Vec<Directory> = Vec::new();
        // The directory of the entry before, which usually contains this one too.
        let mut last: (&[u8], u32) = (b"", top);
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
            let mut parent = top;
            let directory = &path[..(path.len() - name.len()).saturating_sub(1)];
            if !directory.is_empty() && last.0 == directory {
                parent = last.1;
            } else if !directory.is_empty() {
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
                last = (directory, kept);
            }
            let kind = snapshot.kind(entry);
            let full = if prefix.is_empty() { Cow::Borrowed(path) } else { Cow::Owned([prefix, path].concat()) };
            let mut class = self.classify(&full, name, kind, snapshot.is_excluded(entry));
            if let (Kind::Dir, Class::Open) = (kind, &class) {
                if repositories.binary_search(&entry).is_ok() {
                    class = Class::Folded(Folded::Repository);
                } else if unreadable.contains(snapshot, entry) {
                    class = Class::Folded(Folded::Unreadable);
                }
            }
            let kept = self.place(parent, &full, name, kind, &class);
            if kind == Kind::Dir {
                open.push(Directory { entry, kept });
            }
            entry += 1;
        }
        Ok(())
    }

    /// Shows or counts an entry. Returns its number if it is shown with its contents.
    fn place(&mut self, parent: u32, path: &[u8], name: &[u8], kind: Kind, class: &Class) -> Option<u32> {
        match class {
            Class::Open => {
                let kept = self.keep(parent, name, kind, None);
                if kind == Kind::Symlink
                    && let Some(target) = self.link.target.take()
                {
                    self.targets.push((kept, to_bytes(&target).into()));
                }
                return Some(kept);
            }
            Class::Ignored(contents) => {
                let kept = self.keep(parent, name, kind, None);
                self.pending.push(Pending { kept, path: path.to_vec(), contents: *contents });
            }
            Class::Folded(folded) => _ = self.keep(parent, name, kind, Some(*folded)),
            Class::Excluded => self.tree.excluded += 1,
            Class::Secret => self.tree.secrets += 1,
            Class::Nothing => {}
        }
        None
    }

    fn keep(&mut self, parent: u32, name: &[u8], kind: Kind, folded: Option<Folded>) -> u32 {
        let name_start = self.names.len() as u32;
        self.names.extend_from_slice(name);
        self.kept.push(Kept { parent, name_start, name_len: name.len() as u16, kind, folded });
        (self.kept.len() - 1) as u32
    }

    /// Adds the entries of a directory that the rules ignore and the caller allows. The rules decide about them.
    fn add_ignored(&mut self, kept: u32, mut path: Vec<u8>, scan: ScanDirectory<'_>) -> Result<(), SearchError> {
        let absolute = self.root.join(from_bytes(&path));
        let snapshot = match scan(&absolute) {
            // It was removed or replaced since it was listed, which changed the times of the directory that contains it.
            Err(SearchError::Walk(error)) if !error.is_stopped() => return Ok(()),
            scanned => scanned?,
        };
        self.tree.dependencies.scans.push((absolute, snapshot.generation()));
        if snapshot.find(b".git").is_some() {
            self.kept[kept as usize].folded = Some(Folded::Repository);
        } else if snapshot.is_empty() && snapshot.unreadable() > 0 {
            self.kept[kept as usize].folded = Some(Folded::Unreadable);
            self.tree.unreadable += 1;
            self.tree.unreadable_paths.push(path);
        } else {
            path.push(b'/');
            self.add(&snapshot, kept, &path)?;
        }
        Ok(())
    }

    /// Adds the entries that git tracks of a directory that the rules ignore.
    fn add_tracked(&mut self, kept: u32, mut path: Vec<u8>) -> Result<(), Stopped> {
        (self.check)()?;
        let absolute = self.root.join(from_bytes(&path));
        let state = FileState::of(&absolute);
        self.tree.dependencies.directories.push((absolute.clone(), state));
        let mut listed = Vec::new();
        let read = std::fs::read_dir(&absolute).and_then(|entries| {
            for entry in entries {
                let entry = entry?;
                if let Some(kind) = kind_of(entry.file_type()?) {
                    listed.push((Box::<[u8]>::from(to_bytes(Path::new(&entry.file_name()))), kind));
                }
            }
            Ok(())
        });
        if read.is_err() {
            self.kept[kept as usize].folded = Some(Folded::Unreadable);
            self.tree.unreadable += 1;
            self.tree.unreadable_paths.push(path);
            return Ok(());
        }
        if listed.iter().any(|(name, _)| **name == *b".git") {
            self.kept[kept as usize].folded = Some(Folded::Repository);
            return Ok(());
        }
        listed.sort_unstable();
        path.push(b'/');
        for (index, (name, kind)) in listed.into_iter().enumerate() {
            if index % CHECK_EVERY == 0 {
                (self.check)()?;
            }
            if kind == Kind::File && is_own_temporary(&name) {
                continue;
            }
            let full = [&path[..], &name].concat();
            let class = self.classify(&full, &name, kind, true);
            self.place(kept, &full, &name, kind, &class);
        }
        Ok(())
    }

    /// Decides about the entry at `path`, relative to the root. `is_ignored`: an ignore rule leaves it out.
    fn classify(&mut self, path: &[u8], name: &[u8], kind: Kind, is_ignored: bool) -> Class {
        if name == b".git" {
            return Class::Nothing;
        }
        let rules = self.rules;
        let is_dir = kind == Kind::Dir;
        let named = if is_dir { NamedKind::Directory } else { NamedKind::File };
        if rules.secrets.contain(name, named) || (kind == Kind::Symlink && self.leads_to_secret(path, name)) {
            return Class::Secret;
        }
        let has_excluded_name = is_dir && rules.exclude.contains(name);
        let is_hidden = is_dir && !rules.include_hidden && name.starts_with(b".");
        if !is_ignored && !has_excluded_name && !is_hidden {
            return Class::Open;
        }
        if rules.allow.contains(name) {
            return if is_dir && is_ignored { Class::Ignored(Contents::Rules) } else { Class::Open };
        }
        let tracked = self.tracked.get_or_init(|| Tracked::below(self.root));
        if !is_dir {
            if tracked.contains(path) { Class::Open } else { Class::Excluded }
        } else if has_excluded_name {
            if tracked.contains_below(path) { Class::Folded(Folded::Excluded) } else { Class::Excluded }
        } else if !is_hidden && tracked.contains_below(path) {
            Class::Ignored(Contents::Tracked)
        } else {
            Class::Excluded
        }
    }

    /// Records where a link leads. Returns whether that is secret, or in a secret directory, by the names that the link has
    /// for it or by its real ones. A target that does not exist may be a directory.
    fn leads_to_secret(&mut self, path: &[u8], name: &[u8]) -> bool {
        self.link = self.links.add(self.root.join(from_bytes(path)));
        let LinkTarget { target, resolved, is_dir } = &self.link;
        let secrets = &self.rules.secrets;
        let (may_be_dir, may_be_file) = (*is_dir || resolved.is_none(), !*is_dir);
        let is_secret = |path: &PathBuf| {
            let inside = path.strip_prefix(self.root).unwrap_or(path);
            let names = inside.components().rev().filter_map(|component| match component {
                Component::Normal(name) => Some(name.as_encoded_bytes()),
                _ => None,
            });
            names.enumerate().any(|(above, name)| {
                ((may_be_dir || above > 0) && secrets.contain(name, NamedKind::Directory))
                    || (may_be_file && above == 0 && secrets.contain(name, NamedKind::File))
            })
        };
        (may_be_dir && secrets.contain(name, NamedKind::Directory))
            || target.as_ref().is_some_and(is_secret)
            || resolved.as_ref().is_some_and(is_secret)
    }

    /// Puts the entries in the order of the tree.
    fn finish(self) -> Result<Tree, Stopped> {
        let Self { check, root, tracked, names, kept, targets, links, mut tree, .. } = self;
        check()?;
        // The children of each entry, the root at the end, as positions in `order`.
        let all = kept.len();
        let slot = |parent: u32| if parent == ROOT { all } else { parent as usize };
        let mut starts = vec![0_u32; all + 2];
        for entry in &kept {
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
        check()?;
        let children = |index: usize| &order[starts[index] as usize..starts[index + 1] as usize];
        // Level by level.
        let mut numbers = vec![0_u32; all];
        let mut queue: Vec<u32> = Vec::with_capacity(all);
        queue.extend_from_slice(children(all));
        tree.root_children = queue.len() as u32;
        tree.nodes.reserve_exact(all);
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
        if let Some(tracked) = tracked.into_inner() {
            if let Some(file) = tracked.unreadable() {
                tree.unreadable += 1;
                tree.unreadable_paths.push(to_bytes(file).into_owned());
            }
            tree.dependencies.tracked = Some((root.to_owned(), tracked));
        }
        tree.dependencies.links = links;
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

/// The kind of an entry that scans list.
fn kind_of(file_type: FileType) -> Option<Kind> {
    if file_type.is_symlink() {
        Some(Kind::Symlink)
    } else if file_type.is_dir() {
        Some(Kind::Dir)
    } else {
        file_type.is_file().then_some(Kind::File)
    }
}

/// A path that a scan of the directory at `prefix` could not read. `.` is the directory, and other paths may be absolute.
fn within(prefix: &[u8], path: &[u8]) -> Vec<u8> {
    if path.starts_with(b"/") || prefix.is_empty() { path.to_vec() } else { [prefix, path].concat() }
}
