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

/// Patterns of names that are never shown, compared without case in the composed form.
#[derive(Clone, Debug)]
pub(super) struct Secrets {
    patterns: Vec<Pattern>,
    exceptions: Vec<Pattern>,
    /// The bytes that a secret name in ASCII can begin with, and those that it can end with. It has one of the two.
    first: [bool; 256],
    last: [bool; 256],
}

/// A pattern in lower case, at its `*`.
#[derive(Clone, Debug)]
struct Pattern {
    parts: Vec<Vec<u8>>,
    only_directories: bool,
}

impl Secrets {
    pub(super) fn new(patterns: &[String]) -> Self {
        let mut secrets =
            Self { patterns: Vec::new(), exceptions: Vec::new(), first: [false; 256], last: [false; 256] };
        for pattern in patterns {
            match pattern.strip_prefix('!') {
                Some(exception) => secrets.exceptions.push(Pattern::new(exception)),
                None => secrets.patterns.push(Pattern::new(pattern)),
            }
        }
        for Pattern { parts, .. } in &secrets.patterns {
            let bounds = (parts.first().and_then(|part| part.first()), parts.last().and_then(|part| part.last()));
            match bounds {
                (Some(&byte), _) => allow(&mut secrets.first, byte),
                (None, Some(&byte)) => allow(&mut secrets.last, byte),
                (None, None) => secrets.first.fill(true),
            }
        }
        secrets
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a name is secret: it matches a pattern and no exception.
    pub(super) fn contain(&self, name: &[u8], is_dir: bool) -> bool {
        let bound = |byte: Option<&u8>, known: &[bool; 256]| byte.is_some_and(|&byte| known[usize::from(byte)]);
        // A letter outside ASCII may have another form, or one in ASCII in lower case, as the Kelvin sign has.
        if name.is_ascii() && !bound(name.first(), &self.first) && !bound(name.last(), &self.last) {
            return false;
        }
        let name = lower_case(name);
        let matches = |pattern: &Pattern| (is_dir || !pattern.only_directories) && pattern.matches(&name);
        self.patterns.iter().any(matches) && !self.exceptions.iter().any(matches)
    }
}

fn allow(known: &mut [bool; 256], byte: u8) {
    known[usize::from(byte.to_ascii_lowercase())] = true;
    known[usize::from(byte.to_ascii_uppercase())] = true;
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
        let only_directories = pattern.ends_with('/');
        let pattern = lower_case(pattern.trim_end_matches('/').as_bytes());
        Self { parts: pattern.split(|&byte| byte == b'*').map(<[u8]>::to_vec).collect(), only_directories }
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
            assert_eq!(secrets(&[pattern]).contain(name.as_bytes(), false), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn an_exception_is_not_secret_wherever_it_stands() {
        let env = secrets(&["!.env.example", ".env*", "secret/"]);
        assert!(env.contain(b".env.local", false) && !env.contain(b".ENV.example", false));
        assert!(env.contain(b"secret", true) && !env.contain(b"secret", false));
    }
}
