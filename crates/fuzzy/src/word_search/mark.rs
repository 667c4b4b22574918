//! Which bytes of a path a word matched.

use super::{Occurs, WordSearch};
use crate::fold::fold_into;
use crate::index::Index;
use crate::name::{is_boundary, occurrences};

impl WordSearch {
    /// Appends the offsets of the bytes of `path` that the word matched.
    pub(crate) fn mark(
        &self,
        index: &Index,
        entry: usize,
        path: &[u8],
        occurs: Occurs,
        is_one_of_many: bool,
        positions: &mut Vec<usize>,
    ) {
        let marked = positions.len();
        let mut folded = Vec::with_capacity(path.len());
        fold_into(path, &mut folded);
        let name_start = path.len() - index.name(entry).len();
        let wanted = &self.word.folded;
        let whole = match occurs {
            Occurs::InName => {
                let in_name =
                    contiguous_at(wanted, &path[name_start..], &folded[name_start..]).map(|at| name_start + at);
                // Next to other words, a whole word in the path counts more than letters in the name.
                let is_above = in_name.is_none() && is_one_of_many && self.above(index.directory(entry)) > 0;
                if is_above { best_occurrence(wanted, path, &folded) } else { in_name }
            }
            Occurs::InPath if self.word.is_path() => occurrences(wanted, &folded)
                .filter(|&at| (at == 0 || folded[at - 1] == b'/') && at + wanted.len() > name_start)
                .last(),
            Occurs::InPath => best_occurrence(wanted, path, &folded),
        };
        if let Some(at) = whole {
            positions.extend(at..at + wanted.len());
            return;
        }
        if let Some(runs) = self.runs.as_ref().filter(|_| !is_one_of_many) {
            runs.trace(index, entry, path, &folded[name_start..], positions);
            if positions.len() > marked {
                return;
            }
        }
        let from = if occurs == Occurs::InName { name_start } else { 0 };
        self.letters.trace(&path[from..], &folded[from..], positions);
        positions[marked..].iter_mut().for_each(|position| *position += from);
        positions.retain(|&position| path[position] != b'/');
    }
}

fn contiguous_at(wanted: &[u8], text: &[u8], name: &[u8]) -> Option<usize> {
    crate::name::find_in_name(wanted, text, name).map(|(_, at)| at)
}

/// The best occurrence of `wanted` in a path: a whole segment, the beginning of a segment, the beginning of a word, or any
/// other; the last one of these.
fn best_occurrence(wanted: &[u8], path: &[u8], folded: &[u8]) -> Option<usize> {
    let rank = |&at: &usize| {
        let begins = at == 0 || folded[at - 1] == b'/';
        let ends = folded.get(at + wanted.len()).is_none_or(|&byte| byte == b'/');
        if begins { 2 + u8::from(ends) } else { u8::from(is_boundary(path, at)) }
    };
    occurrences(wanted, folded).max_by_key(rank)
}
