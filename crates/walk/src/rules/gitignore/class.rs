//! A bracket expression as git's `wildmatch.c` reads it.

/// The bytes that a bracket expression lists.
pub(super) struct Class<'a> {
    negated: bool,
    members: [bool; 256],
    /// The named classes, such as `[:alpha:]`.
    names: Vec<&'a [u8]>,
}

impl<'a> Class<'a> {
    /// Parses what follows a `[`, and returns the rest after the class. Returns `None` for a class that is not closed.
    ///
    /// With `ignore_case`, git compares the lower case of a path with the members as they are, so an upper-case member
    /// never matches. Only a range also matches a letter whose upper case it contains.
    pub(super) fn parse(text: &'a [u8], ignore_case: bool) -> Option<(Self, &'a [u8])> {
        let (negated, mut rest) = match text {
            [b'!' | b'^', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let mut class = Self { negated, members: [false; 256], names: Vec::new() };
        // A range can begin here.
        let mut previous = None;
        loop {
            (previous, rest) = match (rest, previous) {
                ([b'-', after @ ..], Some(first)) if !matches!(after, [] | [b']', ..]) => {
                    let (last, after) = member(after)?;
                    class.add_range(first, last, ignore_case);
                    (None, after)
                }
                ([b'[', b':', after @ ..], _) => {
                    let end = after.iter().position(|&byte| byte == b']')?;
                    if after[..end].ends_with(b":") {
                        class.names.push(&rest[..end + 3]);
                        (None, &after[end + 1..])
                    } else {
                        class.members[usize::from(b'[')] = true;
                        (Some(b'['), &rest[1..])
                    }
                }
                _ => {
                    let (byte, after) = member(rest)?;
                    class.members[usize::from(byte)] = true;
                    (Some(byte), after)
                }
            };
            // A `]` that comes first is a member.
            if let [b']', after @ ..] = rest {
                if ignore_case {
                    class.members[usize::from(b'A')..=usize::from(b'Z')].fill(false);
                }
                return Some((class, after));
            }
        }
    }

    fn add_range(&mut self, first: u8, last: u8, ignore_case: bool) {
        for byte in first..=last {
            self.members[usize::from(byte)] = true;
            if ignore_case {
                self.members[usize::from(byte.to_ascii_lowercase())] = true;
            }
        }
    }

    /// Writes the class so that `gix-glob` reads the same members, whether it ignores case or not.
    pub(super) fn write(&self, glob: &mut Vec<u8>) {
        glob.push(b'[');
        if self.negated {
            glob.push(b'!');
        }
        let start = glob.len();
        let mut at = 0;
        while let Some(first) = (at..256).find(|&byte| self.members[byte]) {
            // `gix-glob` reads more into a range of letters and other bytes when it ignores case.
            let is_letter = |byte: usize| (byte as u8).is_ascii_lowercase();
            let last =
                (first..256).take_while(|&byte| self.members[byte] && is_letter(byte) == is_letter(first)).last();
            let last = last.unwrap_or(first);
            push_escaped(glob, first as u8);
            if last > first + 1 {
                glob.push(b'-');
            }
            if last > first {
                push_escaped(glob, last as u8);
            }
            at = last + 1;
        }
        for name in &self.names {
            glob.extend_from_slice(name);
        }
        if glob.len() == start {
            // No path contains a NUL.
            glob.push(0);
        }
        glob.push(b']');
    }
}

/// Returns the first member of `text`, which a backslash can escape, and the rest.
fn member(text: &[u8]) -> Option<(u8, &[u8])> {
    match text {
        [b'\\'] | [] => None,
        [b'\\', byte, rest @ ..] | [byte, rest @ ..] => Some((*byte, rest)),
    }
}

fn push_escaped(glob: &mut Vec<u8>, byte: u8) {
    if b"!-[\\]^".contains(&byte) {
        glob.push(b'\\');
    }
    glob.push(byte);
}
