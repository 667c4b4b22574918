//! Lists one directory and filters its entries.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use cairn_cancel::Stopped;

use crate::compose::composed;
use crate::directory::{DirectoryHandle, EntryType, LinkTarget, Stamp};
use crate::fingerprint::LinkState;
use crate::kind::Kind;
use crate::options::Detail;
use crate::paths::{from_bytes, is_own_temporary, paths_through_links, to_bytes};
use crate::rules::{RuleFiles, Rules, Sources};
use crate::unread::Unread;

use super::listing::{Listing, NO_CHILD};
use super::plan::{CHECK_INTERVAL, WalkPlan};
use super::state::DirectoryTask;

/// The maximum number of names that one directory may list before rules are applied. Twice the budget of the scan, if
/// that is more.
const MAX_RAW_NAMES: usize = 1_000_000;

/// The result of listing one directory.
pub(super) struct Visit {
    pub(super) listing: Listing,
    pub(super) children: Vec<(u32, DirectoryTask)>,
    pub(super) links: Vec<(u32, DirectoryTask)>,
    pub(super) sources: Sources,
    pub(super) link_targets: Vec<PathBuf>,
    pub(super) stamp: Option<Stamp>,
    /// Whether every later change gives another stamp.
    pub(super) settled: bool,
    /// Whether it is on a file system without reliable times.
    pub(super) unreliable_times: bool,
    pub(super) link_states: Vec<LinkState>,
    /// See [`crate::fingerprint::DirectoryState`].
    pub(super) has_undecided_link: bool,
    /// The kind of a `node_modules` that the options leave out.
    pub(super) node_modules: Option<Kind>,
    /// The rules do not leave it out.
    pub(super) skips_node_modules: bool,
    pub(super) rule_files: RuleFiles,
    pub(super) rules: Rules,
    pub(super) unread: Unread,
    pub(super) over_budget: bool,
    /// A deadline ended the listing: more names may follow.
    pub(super) interrupted: bool,
}

/// Remembers for each device of a walk whether its file system has reliable times.
#[derive(Default)]
pub(super) struct Devices(Mutex<Vec<(u64, bool)>>);

/// Lists directories for one walk.
pub(super) struct Visitor<'a> {
    pub(super) plan: &'a WalkPlan,
    pub(super) devices: &'a Devices,
    /// Whether a deadline ends the listing of names, and those listed up to then are the result. Otherwise it ends the visit
    /// without a result.
    pub(super) keeps_part: &'a dyn Fn() -> bool,
}

impl Devices {
    fn has_reliable_times(&self, device: u64, directory: &DirectoryHandle) -> bool {
        let mut devices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, reliable)) = devices.iter().find(|(known, _)| *known == device) {
            return *reliable;
        }
        let reliable = directory.has_reliable_times();
        devices.push((device, reliable));
        reliable
    }
}

impl Visitor<'_> {
    /// Lists one directory and filters its entries.
    pub(super) fn visit(
        &self,
        task: &DirectoryTask,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Visit, Stopped> {
        let mut visit = Visit {
            listing: Listing { directory_len: task.path.len(), ..Listing::default() },
            children: Vec::new(),
            links: Vec::new(),
            sources: Sources::new(self.plan.record_fingerprint),
            link_targets: Vec::new(),
            stamp: None,
            settled: false,
            unreliable_times: false,
            link_states: Vec::new(),
            has_undecided_link: false,
            node_modules: None,
            skips_node_modules: false,
            rule_files: RuleFiles::default(),
            rules: task.rules.clone(),
            unread: Unread::default(),
            over_budget: false,
            interrupted: false,
        };
        let mut path = to_bytes(&self.plan.root).into_owned();
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(&task.path);
        let without_slash = path.len() - usize::from(path.len() > 1);
        let place = from_bytes(&path[..without_slash]);
        let opened = if self.plan.options.follow_links && !task.path.is_empty() {
            DirectoryHandle::open(&place, task.through_link)
        } else {
            DirectoryHandle::open_canonical(&place)
        };
        let directory = match opened {
            Ok(directory) => directory,
            Err(error) => {
                // A directory that was removed or replaced in the meantime is not unreadable.
                if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                    visit.unread.add(task.name());
                }
                return Ok(visit);
            }
        };
        if self.plan.options.follow_links || self.plan.record_fingerprint {
            self.stamp(task, &directory, &mut visit);
        }
        visit.rule_files = match self.list(task, &directory, check, &mut visit) {
            Err(Stopped::TimedOut) if (self.keeps_part)() => {
                visit.interrupted = true;
                // The listing may not have come to the ignore files.
                RuleFiles::present(|name| directory.stamp_at(name, false).is_ok())
            }
            listed => listed?,
        };
        let check = &|| match check() {
            Err(Stopped::TimedOut) if (self.keeps_part)() => Ok(()),
            checked => checked,
        };
        if self.plan.options.use_gitignore && task.known_rule_files != Some(visit.rule_files) {
            visit.rules = task.rules.enter(&from_bytes(&path[..without_slash]), visit.rule_files, &mut visit.sources);
            for path in &visit.sources.unread {
                visit.unread.add(&to_bytes(path.strip_prefix(&self.plan.root).unwrap_or(path)));
            }
        }
        self.filter(task, &directory, &mut path, check, &mut visit)?;
        Ok(visit)
    }

    /// Records the stamp of the directory. Call it before the directory is listed.
    fn stamp(&self, task: &DirectoryTask, directory: &DirectoryHandle, visit: &mut Visit) {
        let Ok(stamp) = directory.stamp() else {
            if self.plan.options.follow_links {
                visit.unread.add(task.name());
            }
            return;
        };
        visit.stamp = Some(stamp);
        visit.settled = stamp.is_settled(SystemTime::now());
        visit.unreliable_times = !self.devices.has_reliable_times(stamp.device, directory);
    }

    /// Reads the names that the options alone do not exclude.
    fn list(
        &self,
        task: &DirectoryTask,
        directory: &DirectoryHandle,
        check: &dyn Fn() -> Result<(), Stopped>,
        visit: &mut Visit,
    ) -> Result<RuleFiles, Stopped> {
        let mut files = RuleFiles::default();
        let wanted = self.plan.subtree.prefix.get(task.depth);
        let mut seen = 0;
        let mut over_budget = false;
        let raw_limit = self.plan.max_entries.saturating_mul(2).max(MAX_RAW_NAMES);
        let listing = &mut visit.listing;
        let mut node_modules = None;
        let listed = directory.for_each(|name, entry_type| {
            seen += 1;
            if seen % CHECK_INTERVAL == 0 {
                check()?;
            }
            files.note(name);
            let EntryType::Known(kind) = entry_type else { return Ok(()) };
            // A record of a file or link with this name is an entry like any other.
            let is_node_modules = name == b"node_modules" && (kind == Kind::Dir || !self.plan.options.record_excluded);
            let excluded = name == b".git"
                || (self.plan.options.skip_node_modules && is_node_modules)
                || (!self.plan.options.include_hidden && name.starts_with(b"."));
            let skipped = (excluded && !self.plan.options.record_excluded)
                || (kind == Kind::File && is_own_temporary(name))
                || wanted.is_some_and(|wanted| wanted != name && (name.is_ascii() || *wanted != *composed(name)));
            if self.plan.options.skip_node_modules && is_node_modules && wanted.is_none_or(|wanted| wanted == name) {
                node_modules = Some(kind);
            }
            if skipped {
                return Ok(());
            }
            // Hidden entries do not count towards the budget. This limit only bounds the memory of one listing.
            if listing.entries.len() > raw_limit {
                over_budget = true;
                return Ok(());
            }
            listing.push(name, kind, excluded);
            Ok(())
        })?;
        if listed.is_err() {
            visit.unread.add(task.name());
            visit.settled = false;
        }
        visit.over_budget = over_budget;
        visit.node_modules = node_modules;
        Ok(files)
    }

    /// Applies the ignore rules, resolves links, reads metadata, and sorts the remaining entries.
    fn filter(
        &self,
        task: &DirectoryTask,
        directory: &DirectoryHandle,
        path: &mut Vec<u8>,
        check: &dyn Fn() -> Result<(), Stopped>,
        visit: &mut Visit,
    ) -> Result<(), Stopped> {
        let (listing, rules) = (&mut visit.listing, &visit.rules);
        let base = path.len();
        let depth = task.depth + 1;
        let descend = self.plan.subtree.max_depth.is_none_or(|max| depth < max);
        // A directory above the subtree is always entered.
        let above_subtree = task.depth < self.plan.subtree.prefix.len();
        let mut kept = 0;
        for index in 0..listing.entries.len() {
            if index % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
                check()?;
            }
            let mut entry = listing.entries[index];
            path.truncate(base);
            path.extend_from_slice(listing.name(entry));
            let name = &path[base..];
            let mut through_link = false;
            if entry.kind == Kind::Symlink && self.plan.options.follow_links {
                let target = directory.link_target(name);
                if self.plan.record_fingerprint {
                    let path = [&task.path, name].concat().into_boxed_slice();
                    visit.link_states.push(LinkState { path, target });
                }
                match target {
                    LinkTarget::Special => continue,
                    LinkTarget::Missing => {}
                    LinkTarget::File => entry.kind = Kind::File,
                    LinkTarget::Dir => {
                        entry.kind = Kind::Dir;
                        through_link = true;
                    }
                }
                visit.link_targets.extend(paths_through_links(&from_bytes(path)));
            }
            if !rules.is_empty() && !entry.excluded && rules.hide(path, base, entry.kind == Kind::Dir) {
                if entry.kind == Kind::Symlink && self.plan.record_fingerprint {
                    visit.has_undecided_link |= !rules.hide(path, base, true);
                }
                if !self.plan.options.record_excluded {
                    continue;
                }
                entry.excluded = true;
            }
            if self.plan.options.detail == Detail::Full {
                match directory.meta(name) {
                    Ok(meta) => listing.meta.push(Some(meta)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(_) => {
                        visit.unread.add(&[&task.path, name].concat());
                        listing.meta.push(None);
                    }
                }
            }
            listing.entries[kept] = entry;
            if entry.kind == Kind::Dir && !entry.excluded && (descend || above_subtree) {
                let mut child_path = Vec::with_capacity(task.path.len() + name.len() + 1);
                child_path.extend_from_slice(&task.path);
                child_path.extend_from_slice(name);
                child_path.push(b'/');
                let child = DirectoryTask {
                    id: NO_CHILD,
                    path: child_path,
                    depth,
                    through_link,
                    rules: rules.clone(),
                    known_rule_files: None,
                };
                let list = if through_link { &mut visit.links } else { &mut visit.children };
                list.push((kept as u32, child));
            }
            kept += 1;
        }
        listing.entries.truncate(kept);
        if let Some(kind) = visit.node_modules {
            path.truncate(base);
            path.extend_from_slice(b"node_modules");
            let leads_to_directory = || directory.link_target(b"node_modules") == LinkTarget::Dir;
            let is_dir = match kind {
                Kind::Symlink => self.plan.options.follow_links && leads_to_directory(),
                kind => kind == Kind::Dir,
            };
            visit.has_undecided_link |= kind == Kind::Symlink && !self.plan.options.follow_links;
            visit.skips_node_modules = is_dir && !rules.hide(path, base, true);
        }
        listing.sort(check)
    }
}
