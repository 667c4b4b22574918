//! Which bytes of a path a word with typos matched.

use crate::fold::{fold_into, symbols};
use crate::index::Index;
use crate::name::is_boundary;
use crate::word_search::WordSearch;

/// Appends the offsets of the letters that are right: as many as possible, adjacent where possible.
pub(crate) fn mark(search: &WordSearch, index: &Index, entry: usize, path: &[u8], positions: &mut Vec<usize>) {
    const DROPPED: i32 = -6;
    const MATCH: i32 = 10;
    const BEGINS: i32 = 4;
    const NEXT: i32 = 12;
    let mut folded = Vec::with_capacity(path.len());
    fold_into(path, &mut folded);
    let (word, name) = (&search.word, index.name(entry));
    let in_name =
        search.alphabet.as_ref().is_some_and(|alphabet| alphabet.typos_in_name(name, search.typos) <= search.typos);
    let from = if search.is_path || !in_name { 0 } else { path.len() - name.len() };
    let spans = |text: &[u8], from: usize| -> Vec<(usize, usize)> {
        let mut at = from;
        symbols(text)
            .map(|symbol| {
                at += symbol.len();
                (at - symbol.len(), at)
            })
            .collect()
    };
    let (letters, shown) = (spans(&word.letters, 0), spans(&folded[from..], from));
    let width = shown.len() + 1;
    // The best up to a place, and the best with the letter at that place.
    let mut best = vec![0_i32; (letters.len() + 1) * width];
    let mut on = vec![i32::MIN / 2; best.len()];
    for (row, &(start, end)) in letters.iter().enumerate() {
        best[(row + 1) * width] = best[row * width] + DROPPED;
        for (column, &(from, to)) in shown.iter().enumerate() {
            let (at, diagonal) = ((row + 1) * width + column + 1, row * width + column);
            if word.letters[start..end] == folded[from..to] {
                let begins = if is_boundary(path, from) { BEGINS } else { 0 };
                on[at] = MATCH + begins + best[diagonal].max(on[diagonal] + NEXT);
            }
            best[at] = on[at].max(best[at - 1]).max(best[at - width] + DROPPED);
        }
    }
    let (mut row, mut column) = (letters.len(), shown.len());
    let mut in_run = false;
    while row > 0 && column > 0 {
        let at = row * width + column;
        if in_run || best[at] == on[at] {
            let (from, to) = shown[column - 1];
            if path[from] != b'/' {
                positions.extend(from..to);
            }
            let diagonal = at - width - 1;
            in_run = on[diagonal] + NEXT >= best[diagonal];
            (row, column) = (row - 1, column - 1);
        } else if best[at] == best[at - 1] {
            column -= 1;
        } else {
            row -= 1;
        }
    }
}
