//! Globs that match only in another case of their letters.

use std::fs;
use std::path::{Path, PathBuf};

use cairn_walk::{Snapshot, from_bytes};

use super::{Anchoring, GlobPattern};

/// How many paths are tested between two checks whether one was found.
const CHUNK: usize = 4096;
/// How many entries of a directory are compared with a name.
const MAX_SIBLINGS: usize = 20_000;

/// What a glob without a match may have meant: a directory that it names exists in another case of the ASCII letters, or an
/// entry that `fits` matches it in another case.
pub(crate) fn case_hint(
    glob: &str,
    roots: [&PathBuf; 2],
    anchoring: Anchoring,
    snapshot: &Snapshot,
    fits: impl Fn(usize) -> bool,
) -> Option<String> {
    let pattern = GlobPattern::compile(glob, roots, anchoring).ok()?;
    if let Some(hint) = directory_hint(snapshot.root(), pattern.prefix()) {
        return Some(hint);
    }
    let folded = GlobPattern::compile(&glob.to_ascii_lowercase(), roots, anchoring).ok()?;
    let arena = snapshot.arena().to_ascii_lowercase();
    let mut selected = Vec::new();
    for start in (0..snapshot.len()).step_by(CHUNK) {
        let entries = start..snapshot.len().min(start + CHUNK);
        folded.select(&arena, snapshot.spans(entries), start as u32, false, &mut selected);
        let is_other = |entry: &usize| fits(*entry) && !pattern.matches(snapshot.path(*entry));
        if let Some(entry) = selected.drain(..).map(|entry| entry as usize).find(is_other) {
            let path = String::from_utf8_lossy(snapshot.path(entry));
            return Some(format!("globs are case-sensitive: in another case, {glob} matches {path:?}"));
        }
    }
    None
}

/// The hint for the first directory of a prefix that does not exist, if it exists in another case. A scan for one directory
/// does not see the others.
fn directory_hint(root: &Path, prefix: &[u8]) -> Option<String> {
    let mut directory = root.to_owned();
    for name in &*from_bytes(prefix) {
        let path = directory.join(name);
        match path.symlink_metadata() {
            // A link may leave the root.
            Ok(metadata) if !metadata.is_dir() => return None,
            Ok(_) => directory = path,
            Err(_) => {
                let names = fs::read_dir(&directory).ok()?.take(MAX_SIBLINGS).flatten().map(|entry| entry.file_name());
                let other = names.into_iter().find(|other| other.eq_ignore_ascii_case(name))?;
                let [other, name] = [&*other, name].map(|name| name.to_string_lossy());
                return Some(format!("globs are case-sensitive: {other:?} exists, but not {name:?}"));
            }
        }
    }
    None
}
