//! Listing one directory, and deciding about each of its entries.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cairn_cancel::Stopped;

use crate::evidence::{LinkState, Sources};
use crate::listing::{Directory, LinkTarget, Listed, Stamp};
use crate::options::Detail;
use crate::paths::{from_bytes, to_bytes};
use crate::rules::{RuleFiles, Rules, Verdict};
use crate::snapshot::Kind;

use super::assemble::{Listing, NO_CHILD};
use super::{CHECK_EVERY, DirectoryTask, Walk, lock};

/// Links followed one after the other before the system gives up, as in `path_resolution(7)`.
const MAX_LINK_HOPS: usize = 40;
/// A directory may list so many names before rules are applied, or twice the budget of the scan if that is more.
const RAW_LISTING: usize = 1_000_000;

/// What listing one directory brought to light.
pub(super) struct Visit {
    pub(super) listing: Listing,
    pub(super) children: Vec<(u32, DirectoryTask)>,
    pub(super) links: Vec<(u32, DirectoryTask)>,
    pub(super) sources: Sources,
    pub(super) link_targets: Vec<PathBuf>,
    pub(super) stamp: Option<Stamp>,
    /// Whether later changes are sure to give another stamp.
    pub(super) settled: bool,
    pub(super) untrusted: bool,
    pub(super) link_states: Vec<LinkState>,
    pub(super) rule_files: RuleFiles,
    pub(super) rules: Rules,
    pub(super) unreadable: u64,
    pub(super) over_budget: bool,
}

impl Walk {
    /// Lists one directory and decides about each of its entries.
    pub(super) fn visit(
        &self,
        task: &DirectoryTask,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Visit, Stopped> {
        let mut visit = Visit {
            listing: Listing { directory_len: task.path.len(), ..Listing::default() },
            children: Vec::new(),
            links: Vec::new(),
            sources: Sources::new(self.plan.keep_evidence),
            link_targets: Vec::new(),
            stamp: None,
            settled: false,
            untrusted: false,
            link_states: Vec::new(),
            rule_files: RuleFiles::default(),
            rules: task.rules.clone(),
            unreadable: 0,
            over_budget: false,
        };
        let mut path = to_bytes(&self.plan.root).into_owned();
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(&task.path);
        let directory = match Directory::open(&from_bytes(&path), task.through_link) {
            Ok(directory) => directory,
            Err(error) => {
                // One that has gone since it was seen is no longer there to be read.
                visit.unreadable += u64::from(error.kind() != io::ErrorKind::NotFound);
                return Ok(visit);
            }
        };
        if self.plan.options.follow_links || self.plan.keep_evidence {
            self.stamp(&directory, &mut visit);
        }
        visit.rule_files = self.list(task, &directory, check, &mut visit)?;
        if self.plan.options.use_gitignore && task.before != Some(visit.rule_files) {
            let without_slash = &path[..path.len() - usize::from(path.len() > 1)];
            visit.rules = task.rules.enter(&from_bytes(without_slash), visit.rule_files, &mut visit.sources);
            visit.unreadable += visit.sources.unreadable;
        }
        self.filter(task, &directory, &mut path, check, &mut visit)?;
        Ok(visit)
    }

    /// Notes which directory this is, and since when it is as it is. To be asked for before it is listed.
    fn stamp(&self, directory: &Directory, visit: &mut Visit) {
        let Ok(stamp) = directory.stamp() else {
            visit.unreadable += u64::from(self.plan.options.follow_links);
            return;
        };
        visit.stamp = Some(stamp);
        visit.settled = stamp.is_settled(SystemTime::now());
        let mut devices = lock(&self.devices);
        let known = devices.iter().find(|(device, _)| *device == stamp.device).map(|(_, keeps_times)| *keeps_times);
        let keeps_times = known.unwrap_or_else(|| {
            let keeps_times = directory.keeps_times();
            devices.push((stamp.device, keeps_times));
            keeps_times
        });
        visit.untrusted = !keeps_times;
    }

    /// Reads the names that traversal policy alone does not rule out.
    fn list(
        &self,
        task: &DirectoryTask,
        directory: &Directory,
        check: &dyn Fn() -> Result<(), Stopped>,
        visit: &mut Visit,
    ) -> Result<RuleFiles, Stopped> {
        let mut files = RuleFiles::default();
        let wanted = self.plan.scope.prefix.get(task.depth);
        let hide_dot_names = !self.plan.options.include_hidden && !self.plan.options.use_gitignore;
        let mut seen = 0;
        let mut over_budget = false;
        let raw_limit = self.plan.max_entries.saturating_mul(2).max(RAW_LISTING);
        let listing = &mut visit.listing;
        let listed = directory.for_each(|name, listed| {
            seen += 1;
            if seen % CHECK_EVERY == 0 {
                check()?;
            }
            files.note(name);
            let Listed::Known(kind) = listed else { return Ok(()) };
            let skipped = name == b".git"
                || (self.plan.options.skip_node_modules && name == b"node_modules")
                || (hide_dot_names && name.starts_with(b"."))
                || wanted.is_some_and(|wanted| wanted != name);
            if skipped {
                return Ok(());
            }
            // What rules hide does not count, so this is only to bound the memory of one listing.
            if listing.entries.len() > raw_limit {
                over_budget = true;
                return Ok(());
            }
            listing.push(name, kind);
            Ok(())
        })?;
        if listed.is_err() {
            visit.unreadable += 1;
            visit.settled = false;
        }
        visit.over_budget = over_budget;
        Ok(files)
    }

    /// Applies the ignore rules, resolves links and metadata, and sorts what is left.
    fn filter(
        &self,
        task: &DirectoryTask,
        directory: &Directory,
        path: &mut Vec<u8>,
        check: &dyn Fn() -> Result<(), Stopped>,
        visit: &mut Visit,
    ) -> Result<(), Stopped> {
        let (listing, rules) = (&mut visit.listing, &visit.rules);
        let base = path.len();
        let depth = task.depth + 1;
        let descend = self.plan.scope.max_depth.is_none_or(|max| depth < max);
        // Entries on the way to the scope's directory are passed through, not reported.
        let on_the_way = task.depth < self.plan.scope.prefix.len();
        let mut kept = 0;
        for index in 0..listing.entries.len() {
            if index % CHECK_EVERY == CHECK_EVERY - 1 {
                check()?;
            }
            let mut entry = listing.entries[index];
            path.truncate(base);
            path.extend_from_slice(listing.name(entry));
            let name = &path[base..];
            let mut behind_link = false;
            if entry.kind == Kind::Symlink && self.plan.options.follow_links {
                let target = directory.link_target(name);
                if self.plan.keep_evidence {
                    let path = [&task.path, name].concat().into_boxed_slice();
                    visit.link_states.push(LinkState { path, target });
                }
                match target {
                    LinkTarget::Special => continue,
                    LinkTarget::Missing => {}
                    LinkTarget::File => entry.kind = Kind::File,
                    LinkTarget::Dir => {
                        entry.kind = Kind::Dir;
                        behind_link = true;
                    }
                }
                visit.link_targets.extend(link_destinations(&from_bytes(path)));
            }
            let verdict =
                if rules.is_empty() { Verdict::None } else { rules.verdict(path, base, entry.kind == Kind::Dir) };
            let hidden = !self.plan.options.include_hidden && name.starts_with(b".");
            if verdict == Verdict::Ignored || (verdict == Verdict::None && hidden) {
                continue;
            }
            if self.plan.options.detail == Detail::Full {
                match directory.meta(name) {
                    Ok(meta) => listing.meta.push(Some(meta)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(_) => {
                        visit.unreadable += 1;
                        listing.meta.push(None);
                    }
                }
            }
            listing.entries[kept] = entry;
            if entry.kind == Kind::Dir && (descend || on_the_way) {
                let mut child_path = Vec::with_capacity(task.path.len() + name.len() + 1);
                child_path.extend_from_slice(&task.path);
                child_path.extend_from_slice(name);
                child_path.push(b'/');
                let child = DirectoryTask {
                    id: NO_CHILD,
                    path: child_path,
                    depth,
                    through_link: behind_link,
                    rules: rules.clone(),
                    before: None,
                };
                let list = if behind_link { &mut visit.links } else { &mut visit.children };
                list.push((kept as u32, child));
            }
            kept += 1;
        }
        listing.entries.truncate(kept);
        listing.sort();
        Ok(())
    }
}

/// Where a link leads: every link on the way and what is at the end, as far as it can be resolved. A change at any of
/// them changes what is behind the link.
fn link_destinations(link: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let mut current = link.to_owned();
    for _ in 0..MAX_LINK_HOPS {
        let (Ok(target), Some(directory)) = (std::fs::read_link(&current), current.parent()) else { break };
        let next = directory.join(target);
        places.extend(crate::paths::resolve_target(&next));
        current = next;
    }
    places
}
