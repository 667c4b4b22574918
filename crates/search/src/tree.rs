//! A summary of a tree: the entries that a bounded, breadth-first view of it shows, and how many there are.

mod build;
mod changes;
mod classify;
mod dependencies;
mod git_index;
mod levels;
mod names;
mod nodes;
mod select;
mod tracked;
mod unreadable;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cairn_cancel::{CancelToken, Stopped};
use cairn_walk::{Derived, Detail, Kind, ScanOptions, Snapshot, next_generation};

use crate::context::{Scope, SearchContext, StopReason};
use crate::error::SearchError;

use self::build::{ScanDirectory, build};
pub use self::changes::{TreeChange, TreeChanges};
use self::classify::Rules;
use self::dependencies::Moment;
use self::names::{NameSet, Secrets};
pub use self::nodes::Folded;
use self::nodes::{ROOT, Tree};
pub use self::select::Depth;
use self::select::{find, select};

/// How many trees a snapshot stores: one for each set of rules that callers ask with in turns.
const MAX_TREES: usize = 4;
/// How many generations are remembered, of the trees that were built last.
const MAX_GENERATIONS: usize = 256;

/// The options of a summary.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// The tree. `include_hidden` shows directories with names that begin with a dot; files with such names are always
    /// shown.
    pub scope: Scope,
    /// How many levels are shown. Default: 3.
    pub depth: Depth,
    /// The maximal number of entries. Default: 2,000.
    pub max_entries: usize,
    /// The names of directories that are left out.
    pub exclude: Vec<String>,
    /// Names that are shown though a rule, `exclude` or a dot leaves them out.
    pub allow: Vec<String>,
    /// Patterns of names that are never shown: `*` is any text. A pattern that ends with `/` is for directories, the others
    /// are for files and links. `!` before a pattern makes it an exception, for any kind. Compared without case.
    pub secrets: Vec<String>,
    /// Paths relative to the root that are shown at any depth, with their neighbours and contents.
    pub focus: Vec<String>,
}

impl TreeOptions {
    /// Three levels of the tree at `path`, at most 2,000 entries.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            scope: Scope::new(path),
            depth: Depth::Levels(3),
            max_entries: 2000,
            exclude: Vec::new(),
            allow: Vec::new(),
            secrets: Vec::new(),
            focus: Vec::new(),
        }
    }
}

/// One entry of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEntry<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// The index of its directory in the summary; `None` for the root.
    pub parent: Option<usize>,
    /// What it is.
    pub kind: Kind,
    /// How many entries of a directory are shown or would be; 0 for a folded one.
    pub children: u32,
    /// Why a directory is shown without its contents.
    pub folded: Option<Folded>,
    /// The target of a link, unless it cannot be read.
    pub target: Option<&'a [u8]>,
}

/// A summary.
#[derive(Debug)]
pub struct TreeOutcome {
    /// The snapshot that it was made of.
    pub snapshot: Arc<Snapshot>,
    tree: Arc<Numbered>,
    picked: Vec<u32>,
    /// The depth used.
    pub depth: usize,
    /// The focused paths that do not exist.
    pub missing_focus: Vec<String>,
    /// The places that could not be read and that are not inside the left-out entries.
    pub unreadable_paths: Vec<Vec<u8>>,
    /// Why entries may be missing.
    pub stop_reason: Option<StopReason>,
}

impl TreeOutcome {
    /// The entries, level by level; the children of a directory are together and in the byte order of their names.
    #[must_use]
    pub fn entries(&self) -> impl ExactSizeIterator<Item = TreeEntry<'_>> {
        let tree = &self.tree.tree;
        self.picked.iter().map(move |&node| {
            let at = node as usize;
            let found = tree.nodes[at];
            TreeEntry {
                name: tree.name(at),
                parent: self.picked.binary_search(&found.parent).ok(),
                kind: found.kind,
                children: found.children,
                folded: found.folded,
                target: if found.kind == Kind::Symlink { tree.target(at) } else { None },
            }
        })
    }

    /// The whole tree, to compare a later one with.
    #[must_use]
    pub fn state(&self) -> TreeState {
        TreeState(Arc::clone(&self.tree))
    }

    /// How many entries of the root are shown.
    #[must_use]
    pub fn root_children(&self) -> u32 {
        self.tree.tree.root_children
    }

    /// How many entries of the whole tree are shown, or would be with more levels and entries.
    #[must_use]
    pub fn total(&self) -> usize {
        self.tree.tree.nodes.len()
    }

    /// How many entries the rules leave out; a directory counts once.
    #[must_use]
    pub fn excluded(&self) -> u64 {
        self.tree.tree.excluded
    }

    /// How many entries are secret.
    #[must_use]
    pub fn secrets(&self) -> u64 {
        self.tree.tree.secrets
    }

    /// How many places could not be read.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.tree.tree.unreadable
    }

    /// A number that rises when anything in a summary of this tree with these rules changed.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.tree.generation
    }
}

/// Summarises a tree.
///
/// # Errors
/// [`SearchError`]: the root is not valid, or the caller ended the call.
pub fn tree_summary(
    context: SearchContext<'_>,
    options: &TreeOptions,
    cancel: &CancelToken,
) -> Result<TreeOutcome, SearchError> {
    let scope = &options.scope;
    let root = scope.root()?;
    let has_node_modules = |names: &[String]| names.iter().any(|name| name == "node_modules");
    let scan = ScanOptions {
        include_hidden: true,
        use_gitignore: scope.use_gitignore,
        skip_node_modules: has_node_modules(&options.exclude) && !has_node_modules(&options.allow),
        record_excluded: true,
        follow_links: false,
        detail: Detail::Minimal,
    };
    context.on_snapshot(
        scope,
        &scope.request(&root, scan),
        cancel,
        |snapshot| summarise(context, options, snapshot, scan, cancel),
        |outcome| outcome.snapshot.is_empty(),
    )
}

fn summarise(
    context: SearchContext<'_>,
    options: &TreeOptions,
    snapshot: &Arc<Snapshot>,
    scan: ScanOptions,
    cancel: &CancelToken,
) -> Result<TreeOutcome, SearchError> {
    // The rest takes milliseconds: a caller that accepts a partial result waits for it.
    let cancel = if options.scope.partial_on_timeout { cancel.without_deadline() } else { cancel.clone() };
    let scan_directory = |directory: &Path| -> Result<Arc<Snapshot>, SearchError> {
        let request = options.scope.request(directory, scan);
        let scan = if options.scope.use_cache {
            context.cache.get_or_scan(&request, context.pool, &cancel)
        } else {
            context.cache.force_rescan(&request, false, context.pool, &cancel)
        };
        Ok(scan?.snapshot)
    };
    let tree = tree_of(context, options, snapshot, &scan_directory, &|| cancel.check())?;
    let mut missing_focus = Vec::new();
    let mut focus = Vec::new();
    for path in &options.focus {
        match find(&tree.tree, path) {
            Some(ROOT) => {}
            Some(node) => focus.push(node),
            None => missing_focus.push(path.clone()),
        }
    }
    let picked = select(&tree.tree, options.depth, options.max_entries, &focus);
    let is_shown = |path: &[u8]| match std::str::from_utf8(path) {
        Ok(path) => path.starts_with('/') || find(&tree.tree, path).is_some(),
        Err(_) => false,
    };
    Ok(TreeOutcome {
        depth: options.depth.levels(tree.tree.root_children),
        unreadable_paths: tree.tree.unreadable_paths.iter().filter(|path| is_shown(path)).cloned().collect(),
        stop_reason: tree.tree.cut.map(StopReason::from),
        snapshot: Arc::clone(snapshot),
        tree,
        picked,
        missing_focus,
    })
}

/// A whole tree as it was at the time of a summary. Cloning is cheap. It holds the memory of the tree.
#[derive(Clone, Debug)]
pub struct TreeState(Arc<Numbered>);

/// A tree with its generation.
#[derive(Debug)]
struct Numbered {
    tree: Tree,
    generation: u64,
}

/// The options that a tree depends on, as the caller gave them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TreeKey {
    include_hidden: bool,
    exclude: Vec<String>,
    allow: Vec<String>,
    secrets: Vec<String>,
}

/// The trees that were built of a snapshot, the newest last.
#[derive(Debug, Default)]
struct Trees(Mutex<Vec<(TreeKey, Arc<Numbered>)>>);

impl Derived for Trees {
    fn bytes(&self) -> usize {
        let trees = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        trees.iter().map(|(_, numbered)| numbered.tree.bytes()).sum()
    }
}

fn tree_of(
    context: SearchContext<'_>,
    options: &TreeOptions,
    snapshot: &Arc<Snapshot>,
    scan: ScanDirectory<'_>,
    check: &dyn Fn() -> Result<(), Stopped>,
) -> Result<Arc<Numbered>, SearchError> {
    let key = TreeKey {
        include_hidden: options.scope.include_hidden,
        exclude: options.exclude.clone(),
        allow: options.allow.clone(),
        secrets: options.secrets.clone(),
    };
    let last_invalidation = context.cache.last_invalidation();
    let moment = Moment { generation: snapshot.generation(), last_invalidation };
    let trees = snapshot.derived(|_| Ok::<_, Stopped>(Trees::default()))?;
    let lock = || trees.0.lock().unwrap_or_else(PoisonError::into_inner);
    // A snapshot does not have the targets of links.
    let ttl = if options.scope.validate { Duration::ZERO } else { context.cache.policy().ttl };
    let known = lock().iter().find(|(other, _)| *other == key).map(|(_, tree)| Arc::clone(tree));
    if let Some(tree) = known
        && is_current(&tree.tree, moment, ttl, scan)?
    {
        return Ok(tree);
    }
    let rules = Rules {
        include_hidden: key.include_hidden,
        exclude: NameSet::new(&key.exclude),
        allow: NameSet::new(&key.allow),
        secrets: Secrets::new(&key.secrets),
    };
    let tree = build(snapshot, &rules, moment, scan, check)?;
    let generation = generation_of(snapshot, &key, tree.digest());
    let tree = Arc::new(Numbered { tree, generation });
    {
        let mut trees = lock();
        trees.retain(|(other, _)| *other != key);
        if trees.len() == MAX_TREES {
            trees.remove(0);
        }
        trees.push((key, Arc::clone(&tree)));
    }
    context.cache.enforce_bounds();
    Ok(tree)
}

/// Whether a tree is what would be built again of the snapshot of `moment`, which has the entries that it was built of.
fn is_current(tree: &Tree, moment: Moment, ttl: Duration, scan: ScanDirectory<'_>) -> Result<bool, SearchError> {
    if !tree.dependencies.are_current(ttl, moment) {
        return Ok(false);
    }
    for (directory, generation) in &tree.dependencies.scans {
        match scan(directory) {
            Ok(snapshot) if snapshot.generation() == *generation => {}
            Err(error) if error.stopped().is_some() => return Err(error),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// The digests and the generations of the trees that were built last, by a digest of their root and rules.
static GENERATIONS: Mutex<Option<HashMap<u64, (u128, u64)>>> = Mutex::new(None);

/// The generation of a tree: the generation of the last one with the same root and rules, if that was equal.
fn generation_of(snapshot: &Snapshot, key: &TreeKey, digest: u128) -> u64 {
    let mut hasher = DefaultHasher::new();
    (snapshot.root(), snapshot.options(), key).hash(&mut hasher);
    let mut known = GENERATIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(&(last, generation)) = known.get(&hasher.finish())
        && last == digest
    {
        return generation;
    }
    if known.len() >= MAX_GENERATIONS {
        // A tree that is forgotten gets a higher generation.
        let oldest = known.iter().min_by_key(|(_, (_, generation))| *generation).map(|(&key, _)| key);
        oldest.map(|oldest| known.remove(&oldest));
    }
    let generation = next_generation();
    known.insert(hasher.finish(), (digest, generation));
    generation
}
