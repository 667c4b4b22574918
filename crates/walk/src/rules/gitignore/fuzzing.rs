//! The rules of ignore files for the fuzz targets.

use super::*;

fn subject_of(path: &[u8], is_dir: bool) -> Subject<'_> {
    let name_start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    Subject { path, name_start, name_mask: mask_of(&path[name_start..]), is_dir }
}

/// What the last matching rule of an ignore file says of a path: `Some(true)` hides it.
#[must_use]
pub fn hides(rules: &[u8], path: &[u8], is_dir: bool, ignore_case: bool) -> Option<bool> {
    Globs::parse(rules, ignore_case).hides(subject_of(path, is_dir))
}

/// The same, found by matching every rule.
#[must_use]
pub fn hides_by_every_rule(rules: &[u8], path: &[u8], is_dir: bool, ignore_case: bool) -> Option<bool> {
    let subject = subject_of(path, is_dir);
    let globs = Globs::parse(rules, ignore_case);
    let last = globs.rules.iter().rev().find(|rule| matches(&rule.pattern, subject, ignore_case))?;
    Some(!last.pattern.is_negative())
}
