//! Which names a caller includes, excludes or keeps secret.

use std::borrow::Cow;
use std::collections::HashSet;

use cairn_walk::composed;

/// Names that the caller gave, compared in the composed form.
#[derive(Clone, Debug, Default)]
pub(super) struct NameSet(HashSet<Vec<u8>>);

impl NameSet {
    pub(super) fn new(names: &[String]) -> Self {
        Self(names.iter().map(|name| composed(name.as_bytes()).into_owned()).collect())
    }

    pub(super) fn contains(&self, name: &[u8]) -> bool {
        !self.0.is_empty() && self.0.contains(&*composed(name))
    }
}

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamedKind {
    /// A file or a link.
    File,
    Directory,
}

/// Patterns of names that are never shown, compared without case in the composed form.
#[derive(Clone, Debug)]
pub(super) struct Secrets {
    of_files: Patterns,
    of_directories: Patterns,
    exceptions: Patterns,
    exceptions_of_directories: Patterns,
}

impl Secrets {
    pub(super) fn new(patterns: &[String]) -> Self {
        let select = |is_exception: bool, is_of_directories: bool| {
            let patterns = patterns.iter().map(|pattern| match pattern.strip_prefix('!') {
                Some(exception) => (true, exception),
                None => (false, pattern.as_str()),
            });
            let selected = patterns.filter(|(exception, pattern)| {
                (*exception, pattern.ends_with('/')) == (is_exception, is_of_directories)
            });
            Patterns::new(selected.map(|(_, pattern)| pattern.trim_end_matches('/')))
        };
        Self {
            of_files: select(false, false),
            of_directories: select(false, true),
            exceptions: select(true, false),
            exceptions_of_directories: select(true, true),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of_files.all.is_empty() && self.of_directories.all.is_empty()
    }

    /// Whether a name is secret: it matches a pattern for its kind, and no exception.
    pub(super) fn contain(&self, name: &[u8], kind: NamedKind) -> bool {
        let patterns = if kind == NamedKind::File { &self.of_files } else { &self.of_directories };
        patterns.match_name(name)
            && !self.exceptions.match_name(name)
            && !(kind == NamedKind::Directory && self.exceptions_of_directories.match_name(name))
    }
}

/// Patterns in lower case, with those that a name in ASCII can match by its first or last byte.
#[derive(Clone, Debug)]
struct Patterns {
    all: Vec<Pattern>,
    by_first: Vec<Vec<u32>>,
    by_last: Vec<Vec<u32>>,
    /// Those that begin and end with `*`.
    others: Vec<u32>,
}

/// A pattern in lower case, at its `*`.
#[derive(Clone, Debug)]
struct Pattern {
    parts: Vec<Vec<u8>>,
}

impl Patterns {
    fn new<'a>(patterns: impl Iterator<Item = &'a str>) -> Self {
        let all: Vec<Pattern> = patterns.map(Pattern::new).collect();
        let (mut by_first, mut by_last, mut others) = (vec![Vec::new(); 256], vec![Vec::new(); 256], Vec::new());
        for (index, Pattern { parts }) in all.iter().enumerate() {
            let list = match (parts.first().and_then(|part| part.first()), parts.last().and_then(|part| part.last())) {
                (Some(&byte), _) => &mut by_first[usize::from(byte)],
                (None, Some(&byte)) => &mut by_last[usize::from(byte)],
                (None, None) => &mut others,
            };
            list.push(index as u32);
        }
        Self { all, by_first, by_last, others }
    }

    fn match_name(&self, name: &[u8]) -> bool {
        let ([first, ..], [.., last]) = (name, name) else { return false };
        if !name.is_ascii() {
            // A letter may have another form, or one in ASCII in lower case, as the Kelvin sign has.
            let name = lower_case(name);
            return self.all.iter().any(|pattern| pattern.matches(&name));
        }
        let lacks = |list: &[Vec<u32>], byte: &u8| list[usize::from(byte.to_ascii_lowercase())].is_empty();
        if lacks(&self.by_first, first) && lacks(&self.by_last, last) && self.others.is_empty() {
            return false;
        }
        let name = lower_case(name);
        let (first, last) = (usize::from(name[0]), usize::from(name[name.len() - 1]));
        let candidates = self.by_first[first].iter().chain(&self.by_last[last]).chain(&self.others);
        candidates.into_iter().any(|&index| self.all[index as usize].matches(&name))
    }
}

fn lower_case(name: &[u8]) -> Cow<'_, [u8]> {
    if name.is_ascii() {
        let is_lower = !name.iter().any(u8::is_ascii_uppercase);
        return if is_lower { Cow::Borrowed(name) } else { Cow::Owned(name.to_ascii_lowercase()) };
    }
    let mut lower = Vec::with_capacity(name.len());
    for chunk in composed(name).utf8_chunks() {
        lower.extend_from_slice(chunk.valid().to_lowercase().as_bytes());
        lower.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(lower)
}

impl Pattern {
    fn new(pattern: &str) -> Self {
        let pattern = lower_case(pattern.as_bytes());
        Self { parts: pattern.split(|&byte| byte == b'*').map(<[u8]>::to_vec).collect() }
    }

    fn matches(&self, name: &[u8]) -> bool {
        let [first, rest @ ..] = self.parts.as_slice() else { return false };
        let Some(mut name) = name.strip_prefix(first.as_slice()) else { return false };
        let [middle @ .., last] = rest else { return name.is_empty() };
        for part in middle {
            let Some(at) = memchr::memmem::find(name, part) else { return false };
            name = &name[at + part.len()..];
        }
        name.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(patterns: &[&str]) -> Secrets {
        Secrets::new(&patterns.iter().map(|&pattern| pattern.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_star_is_any_text_and_case_does_not_matter() {
        for (pattern, name, expected) in [
            (".env*", ".env", true),
            (".env*", ".ENV.local", true),
            (".ENV*", ".env.local", true),
            (".env*", "x.env", false),
            ("*.pem", "server.PEM", true),
            ("*.pem", "pem", false),
            ("id_*sa*", "id_rsa.pub", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*a", "aba", true),
            ("a*b*a", "aa", false),
            ("*", "", false),
            ("*", "x", true),
            ("x", "x", true),
            ("x", "xy", false),
            ("É*", "e\u{301}t", true),
            ("k*", "\u{212A}ey", true),
            ("", "x", false),
        ] {
            assert_eq!(secrets(&[pattern]).contain(name.as_bytes(), NamedKind::File), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn an_exception_is_not_secret_wherever_it_stands() {
        let env = secrets(&["!.env.example", ".env*"]);
        assert!(env.contain(b".env.local", NamedKind::File) && !env.contain(b".ENV.example", NamedKind::File));
    }

    #[test]
    fn a_pattern_is_for_directories_or_for_files() {
        let some = secrets(&["credentials", "keys/", "*.d/", "!b.d/"]);
        for (name, of_file, of_directory) in
            [("credentials", true, false), ("keys", false, true), ("a.d", false, true), ("b.d", false, false)]
        {
            let is_secret = [NamedKind::File, NamedKind::Directory].map(|kind| some.contain(name.as_bytes(), kind));
            assert_eq!(is_secret, [of_file, of_directory], "{name}");
        }
    }

    #[test]
    fn candidates_by_their_first_and_last_byte_are_all_that_match() {
        let patterns = [".env*", "*.pem", "a*", "*b", "a*b", "*a*", "*", "b"];
        let names = ["a", "b", "ab", "ba", "aab", ".env", "x.pem", ".ENV", "c", "B", "xax", "é.pem"];
        for pattern in patterns {
            let all = secrets(&[pattern]).of_files;
            for name in names {
                let expected = all.all[0].matches(&lower_case(name.as_bytes()));
                assert_eq!(all.match_name(name.as_bytes()), expected, "{pattern} {name}");
            }
        }
    }
}
