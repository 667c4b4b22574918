//! The roles of files, as their paths tell: of two files that fit equally, the source is meant more often than its test.

use crate::name::stem_length;

/// A set of roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roles(u8);

const TEST: u8 = 1;
const EXAMPLE: u8 = 2;
const DOCUMENT: u8 = 4;
const DECLARATION: u8 = 8;
const FOREIGN: u8 = 16;
const DATA: u8 = 32;

/// Names of directories, and the role of what is in them. A query with the name asks for the role.
const DIRECTORIES: [(&[u8], u8); 35] = [
    (b"test", TEST),
    (b"tests", TEST),
    (b"testing", TEST),
    (b"selftest", TEST),
    (b"selftests", TEST),
    (b"spec", TEST),
    (b"specs", TEST),
    (b"e2e", TEST),
    (b"fixture", TEST),
    (b"fixtures", TEST),
    (b"mock", TEST),
    (b"mocks", TEST),
    (b"snapshots", TEST),
    (b"testdata", TEST),
    (b"bench", EXAMPLE),
    (b"benches", EXAMPLE),
    (b"benchmark", EXAMPLE),
    (b"benchmarks", EXAMPLE),
    (b"example", EXAMPLE),
    (b"examples", EXAMPLE),
    (b"sample", EXAMPLE),
    (b"samples", EXAMPLE),
    (b"demo", EXAMPLE),
    (b"demos", EXAMPLE),
    (b"doc", DOCUMENT),
    (b"docs", DOCUMENT),
    (b"documentation", DOCUMENT),
    (b"translations", FOREIGN),
    (b"locale", FOREIGN),
    (b"locales", FOREIGN),
    (b"vendor", FOREIGN),
    (b"third_party", FOREIGN),
    (b"thirdparty", FOREIGN),
    (b"dist", FOREIGN),
    (b"generated", FOREIGN),
];

impl Roles {
    /// The roles of what is in a directory of this name, in lower case.
    pub(crate) fn of_directory(name: &[u8]) -> Self {
        let trimmed = name.trim_ascii();
        let start = trimmed.iter().take_while(|&&byte| byte == b'_' || byte == b'.').count();
        let end = trimmed.iter().rev().take_while(|&&byte| byte == b'_').count();
        let word = trimmed.get(start..trimmed.len() - end).unwrap_or_default();
        let last = word.rsplit(|byte| matches!(byte, b'-' | b'_' | b'.')).next().unwrap_or_default();
        let role =
            |(known, role): &(&[u8], u8)| if *known == word || *known == last && *role == TEST { *role } else { 0 };
        Self(DIRECTORIES.iter().fold(0, |roles, known| roles | role(known)))
    }

    /// The roles of a file of this name, in lower case.
    pub(crate) fn of_name(name: &[u8]) -> Self {
        let (stem, extension) = name.split_at(stem_length(name));
        let of_extension = match extension {
            b".h" | b".hpp" | b".hh" | b".pyi" => DECLARATION,
            // The last ones are pages of the manual.
            b".md" | b".mdx" | b".rst" | b".adoc" | [b'.', b'1'..=b'8'] => DOCUMENT,
            b".json" | b".yaml" | b".yml" | b".toml" | b".cfg" | b".ini" | b".xml" | b".csv" | b".svg" | b".ld"
            | b".lds" => DATA,
            _ => 0,
        };
        let of_stem = match stem {
            [b't', b'e', b's', b't', b'_', ..]
            | [.., b'_' | b'-' | b'.', b't', b'e', b's', b't']
            | [.., b'_' | b'.', b's', b'p', b'e', b'c'] => TEST,
            [.., b'.', b'd'] => DECLARATION,
            _ => 0,
        };
        Self(of_extension | of_stem)
    }

    /// The roles that a query asks for.
    pub(crate) fn of_query(folded: &[u8]) -> Self {
        let named = [
            (&b"test"[..], TEST),
            (b"spec", TEST),
            (b"fixture", TEST),
            (b"mock", TEST),
            (b"bench", EXAMPLE),
            (b"example", EXAMPLE),
            (b"sample", EXAMPLE),
            (b"demo", EXAMPLE),
            (b"doc", DOCUMENT),
            (b"readme", DOCUMENT),
            (b"changelog", DOCUMENT),
            (b"contributing", DOCUMENT),
            (b"guide", DOCUMENT),
            (b"transl", FOREIGN),
            (b"vendor", FOREIGN),
            (b"json", DATA),
            (b"yaml", DATA),
            (b"yml", DATA),
            (b"toml", DATA),
            (b"cfg", DATA),
            (b".ini", DATA),
            (b"xml", DATA),
            (b"csv", DATA),
            (b"svg", DATA),
            (b"lds", DATA),
        ];
        let holds = |text: &[u8]| memchr::memmem::find(folded, text).is_some();
        Self(named.iter().fold(0, |roles, (text, role)| roles | if holds(text) { *role } else { 0 }))
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// How much less often a file of these roles is meant.
    pub(crate) fn cost(self) -> u32 {
        let cost = |role, cost| if self.0 & role == 0 { 0 } else { cost };
        let place = cost(TEST, 80).max(cost(EXAMPLE, 32)).max(cost(DOCUMENT, 30)).max(cost(FOREIGN, 28));
        place + cost(DECLARATION, 24) + cost(DATA, 14)
    }
}
