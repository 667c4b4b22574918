//! The directories and files that a scan could not read.

/// How many are named.
const MAX_NAMED: usize = 16;

/// The places that a scan could not read: their number, and the first in path order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) count: u64,
    /// Relative to the root, or absolute for ignore files above it.
    pub(crate) first: Vec<Box<[u8]>>,
}

impl Unread {
    pub(crate) fn add(&mut self, path: &[u8]) {
        self.count += 1;
        self.name(path);
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        self.count += other.count;
        other.first.iter().for_each(|path| self.name(path));
    }

    fn name(&mut self, path: &[u8]) {
        if let Err(at) = self.first.binary_search_by(|known| (**known).cmp(path))
            && at < MAX_NAMED
        {
            self.first.insert(at, path.into());
            self.first.truncate(MAX_NAMED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_in_path_order_are_named_in_whatever_order_they_come() {
        let paths: Vec<String> = (10..50).map(|number| format!("d{number}")).collect();
        let (mut forward, mut backward, mut halves) = (Unread::default(), Unread::default(), Unread::default());
        for path in &paths {
            forward.add(path.as_bytes());
        }
        paths.iter().rev().for_each(|path| backward.add(path.as_bytes()));
        for half in [&paths[20..], &paths[..20]] {
            let mut unread = Unread::default();
            for path in half {
                unread.add(path.as_bytes());
            }
            halves.absorb(&unread);
        }
        assert_eq!((&forward, &forward), (&backward, &halves));
        assert_eq!((forward.count, forward.first.len(), &*forward.first[15]), (40, MAX_NAMED, &b"d25"[..]));
    }
}
