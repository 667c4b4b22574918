//! Decides how an entry is shown or counted.

use std::cell::OnceCell;
use std::path::{Component, Path, PathBuf};

use cairn_walk::{Kind, from_bytes};

use super::dependencies::{LinkStates, LinkTarget, Moment};
use super::names::{NameSet, NamedKind, Secrets};
use super::nodes::Folded;
use super::tracked::Tracked;

/// The rules for which entries are shown.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) include_hidden: bool,
    pub(super) exclude: NameSet,
    pub(super) allow: NameSet,
    pub(super) secrets: Secrets,
}

/// Which entries of a directory are shown.
#[derive(Clone, Copy)]
pub(super) enum Contents {
    /// Those that the rules do not leave out.
    Rules,
    /// Those that git tracks.
    Tracked,
}

/// How an entry is shown or counted.
pub(super) enum Class {
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

/// Decides about the entries of a tree.
pub(super) struct Classifier<'a> {
    rules: &'a Rules,
    root: &'a Path,
    /// Read when an entry is left out that it could show.
    tracked: OnceCell<Tracked>,
    links: LinkStates,
    /// Where the link that was classified last leads.
    link: LinkTarget,
}

impl<'a> Classifier<'a> {
    pub(super) fn new(rules: &'a Rules, root: &'a Path, moment: Moment) -> Self {
        let links = LinkStates::new(!rules.secrets.is_empty(), moment);
        Self { rules, root, tracked: OnceCell::new(), links, link: LinkTarget::default() }
    }

    /// The target of the link that was classified last, unless it cannot be read.
    pub(super) fn take_target(&mut self) -> Option<PathBuf> {
        self.link.target.take()
    }

    /// What the decisions depend on: the index of git, if it was read, and the links.
    pub(super) fn into_dependencies(self) -> (Option<Tracked>, LinkStates) {
        (self.tracked.into_inner(), self.links)
    }

    /// Decides about the entry at `path`, relative to the root. `is_ignored`: an ignore rule leaves it out.
    pub(super) fn classify(&mut self, path: &[u8], name: &[u8], kind: Kind, is_ignored: bool) -> Class {
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
}
