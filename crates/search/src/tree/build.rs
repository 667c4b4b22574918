//! Builds the tree of a snapshot: goes through its entries and the entries of the ignored directories that are shown.

use std::borrow::Cow;
use std::fs::FileType;
use std::path::Path;
use std::sync::Arc;

use cairn_cancel::Stopped;
use cairn_walk::{Kind, Snapshot, from_bytes, is_own_temporary, to_bytes};

use crate::error::SearchError;

use super::classify::{Class, Classifier, Contents, Rules};
use super::dependencies::Moment;
use super::levels::{Kept, in_levels};
use super::nodes::{Folded, ROOT, Tree};
use super::tracked::FileState;
use super::unreadable::Unreadable;

/// How many entries are classified between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

type Check<'a> = &'a dyn Fn() -> Result<(), Stopped>;
/// Scans the directory at a canonical path as the root was scanned.
pub(super) type ScanDirectory<'a> = &'a dyn Fn(&Path) -> Result<Arc<Snapshot>, SearchError>;

/// Builds the tree of a snapshot, as it is from `moment` on. `scan` is used for directories that the ignore rules leave out of it and that are shown.
pub(super) fn build(
    snapshot: &Snapshot,
    rules: &Rules,
    moment: Moment,
    scan: ScanDirectory<'_>,
    check: Check<'_>,
) -> Result<Tree, SearchError> {
    let mut builder = Builder {
        classifier: Classifier::new(rules, snapshot.root(), moment),
        check,
        root: snapshot.root(),
        names: Vec::with_capacity(snapshot.len() * 12),
        kept: Vec::with_capacity(snapshot.len()),
        targets: Vec::new(),
        pending: Vec::new(),
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

struct Builder<'a> {
    classifier: Classifier<'a>,
    check: Check<'a>,
    root: &'a Path,
    names: Vec<u8>,
    kept: Vec<Kept>,
    targets: Vec<(u32, Box<[u8]>)>,
    pending: Vec<Pending>,
    tree: Tree,
}

/// A directory that is shown though a rule ignores it, and the path of it relative to the root.
struct Pending {
    kept: u32,
    path: Vec<u8>,
    contents: Contents,
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
            let mut class = self.classifier.classify(&full, name, kind, snapshot.is_excluded(entry));
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
                    && let Some(target) = self.classifier.take_target()
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
            let class = self.classifier.classify(&full, &name, kind, true);
            self.place(kept, &full, &name, kind, &class);
        }
        Ok(())
    }

    /// Puts the entries in the order of the tree.
    fn finish(self) -> Result<Tree, Stopped> {
        let Self { check, classifier, root, names, kept, targets, mut tree, .. } = self;
        check()?;
        let levels = in_levels(&kept);
        let (tracked, links) = classifier.into_dependencies();
        if let Some(tracked) = tracked {
            if let Some(file) = tracked.unreadable() {
                tree.unreadable += 1;
                tree.unreadable_paths.push(to_bytes(file).into_owned());
            }
            tree.dependencies.tracked = Some((root.to_owned(), tracked));
        }
        tree.dependencies.links = links;
        tree.names = names;
        tree.nodes = levels.nodes;
        tree.root_children = levels.root_children;
        tree.targets = targets.into_iter().map(|(index, target)| (levels.numbers[index as usize], target)).collect();
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
