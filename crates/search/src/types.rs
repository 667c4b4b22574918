//! File types: the names of ripgrep, other common names, and extensions.

use cairn_walk::{Kind, Snapshot};
use ignore::types::{Types, TypesBuilder};

use crate::error::SearchError;

/// Common names of types that ripgrep has by another one.
const ALIASES: [(&str, &str); 45] = [
    ("bash", "sh"),
    ("c#", "csharp"),
    ("c++", "cpp"),
    ("cc", "cpp"),
    ("cxx", "cpp"),
    ("dockerfile", "docker"),
    ("el", "elisp"),
    ("emacs-lisp", "elisp"),
    ("erl", "erlang"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("f#", "fsharp"),
    ("fs", "fsharp"),
    ("golang", "go"),
    ("hpp", "cpp"),
    ("htm", "html"),
    ("javascript", "js"),
    ("javascriptreact", "js"),
    ("jsx", "js"),
    ("kt", "kotlin"),
    ("kts", "kotlin"),
    ("latex", "tex"),
    ("makefile", "make"),
    ("mjs", "js"),
    ("node", "js"),
    ("nodejs", "js"),
    ("objective-c", "objc"),
    ("objectivec", "objc"),
    ("pl", "perl"),
    ("plaintext", "txt"),
    ("powershell", "ps"),
    ("ps1", "ps"),
    ("python3", "py"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("scss", "sass"),
    ("shell", "sh"),
    ("shellscript", "sh"),
    ("terraform", "tf"),
    ("text", "txt"),
    ("tsx", "ts"),
    ("typescriptreact", "ts"),
    ("visualbasic", "vb"),
    ("viml", "vim"),
    ("yml", "yaml"),
];

/// No file has a longer extension, and comparing it with all names takes long.
const MAX_EXTENSION: usize = 255;
/// How many near names an error shows.
const MAX_NEAR: usize = 3;

/// The types that files must have, and those that they must not have.
#[derive(Debug)]
pub(crate) struct TypeList {
    /// Empty: every file.
    included: Vec<(String, TypeFilter)>,
    excluded: Vec<(String, TypeFilter)>,
}

/// The options that name types.
const INCLUDING: &str = "type";
const EXCLUDING: &str = "typeNot";

impl TypeList {
    /// The list of the types with these names.
    pub(crate) fn new(included: &[String], excluded: &[String]) -> Result<Self, SearchError> {
        let filters = |names: &[String], option| {
            let filter = |name: &String| TypeFilter::new(option, name).map(|filter| (name.clone(), filter));
            names.iter().map(filter).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { included: filters(included, INCLUDING)?, excluded: filters(excluded, EXCLUDING)? })
    }

    /// Whether it has no types.
    pub(crate) fn is_empty(&self) -> bool {
        self.included.is_empty() && self.excluded.is_empty()
    }

    /// Whether only files of some type are selected.
    pub(crate) fn needs_type(&self) -> bool {
        !self.included.is_empty()
    }

    /// Whether no file can be selected: what `type` selects is left out by `typeNot`.
    pub(crate) fn selects_nothing(&self) -> bool {
        let globs = |types: &[(String, TypeFilter)]| types.iter().flat_map(|(_, filter)| filter.globs()).collect();
        let (included, excluded): (Vec<String>, Vec<String>) = (globs(&self.included), globs(&self.excluded));
        !included.is_empty() && included.iter().all(|glob| excluded.contains(glob))
    }

    /// Whether the file at `path` is selected.
    pub(crate) fn selects(&self, path: &[u8]) -> bool {
        let is_of = |types: &[(String, TypeFilter)]| types.iter().any(|(_, filter)| filter.matches(path));
        (self.included.is_empty() || is_of(&self.included)) && !is_of(&self.excluded)
    }

    /// [`Self::check`] for the files of a snapshot. One that was cut may lack the file.
    pub(crate) fn check_snapshot(&self, snapshot: &Snapshot) -> Result<(), SearchError> {
        if snapshot.cut().is_some() {
            return Ok(());
        }
        let files = || (0..snapshot.len()).filter(|&entry| snapshot.kind(entry) == Kind::File);
        self.check(|| files().map(|entry| snapshot.path(entry)))
    }

    /// Rejects a name that is not a type, if none of the files has it as its extension.
    pub(crate) fn check<'a, Files: Iterator<Item = &'a [u8]>>(
        &self,
        files: impl Fn() -> Files,
    ) -> Result<(), SearchError> {
        for (types, option) in [(&self.included, INCLUDING), (&self.excluded, EXCLUDING)] {
            for (name, filter) in types {
                filter.check(option, name, files())?;
            }
        }
        Ok(())
    }
}

/// The types of ripgrep: their names, and the globs of the names of their files.
#[must_use]
pub fn file_types() -> Vec<(String, Vec<String>)> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let definitions = builder.definitions();
    definitions.iter().map(|one| (one.name().to_owned(), one.globs().to_vec())).collect()
}

/// A filter on file names.
#[derive(Debug)]
enum TypeFilter {
    /// One of ripgrep's types.
    Known { name: String, types: Types },
    /// An extension, with its dot: a name that is not a type.
    Extension(Vec<u8>),
}

impl TypeFilter {
    /// The filter for `name`: the name of a type in any case, or an extension with or without its dot.
    fn new(option: &'static str, name: &str) -> Result<Self, SearchError> {
        let lower = name.to_lowercase();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == lower).map(|(_, known)| *known);
        for known in [name, lower.as_str()].into_iter().chain(alias) {
            let mut builder = TypesBuilder::new();
            builder.add_defaults().select(known);
            if let Ok(types) = builder.build() {
                return Ok(Self::Known { name: known.to_owned(), types });
            }
        }
        let extension = name.strip_prefix('.').unwrap_or(name);
        let is_too_long = extension.len() > MAX_EXTENSION;
        if extension.is_empty()
            || is_too_long
            || extension.contains(|one: char| one.is_whitespace() || "*?[]{}!,;|/\\".contains(one))
        {
            return Err(invalid(option, name, "use one type, such as ts, or glob for several: '*.{ts,js}'"));
        }
        Ok(Self::Extension(format!(".{extension}").into_bytes()))
    }

    /// The globs of the names of the type's files.
    fn globs(&self) -> Vec<String> {
        match self {
            Self::Known { name, .. } => {
                let definition = file_types().into_iter().find(|(known, _)| known == name);
                definition.map(|(_, globs)| globs).unwrap_or_default()
            }
            Self::Extension(extension) => vec![format!("*{}", String::from_utf8_lossy(extension))],
        }
    }

    /// Whether the file at `path` is of the type.
    fn matches(&self, path: &[u8]) -> bool {
        match self {
            Self::Known { types, .. } => types.matched(cairn_walk::from_bytes(path), false).is_whitelist(),
            Self::Extension(extension) => path.ends_with(extension),
        }
    }

    /// Rejects the extension `name` if none of the files has it.
    fn check<'a>(
        &self,
        option: &'static str,
        name: &str,
        mut files: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), SearchError> {
        if matches!(self, Self::Known { .. }) || files.any(|path| self.matches(path)) {
            return Ok(());
        }
        let near = near_names(name);
        let advice = if near.is_empty() {
            "use a type as ripgrep names it, such as ts, or glob".to_owned()
        } else {
            format!("use {}, or glob", near.join(", "))
        };
        Err(invalid(option, name, &format!("it is not a type, and no file has it as its extension; {advice}")))
    }
}

fn invalid(option: &'static str, name: &str, reason: &str) -> SearchError {
    SearchError::InvalidOption { option, value: name.to_owned(), reason: reason.to_owned() }
}

/// The names that are most similar to `name`.
fn near_names(name: &str) -> Vec<String> {
    let name = name.trim_start_matches('.').to_lowercase();
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known: Vec<String> = builder.definitions().iter().map(|definition| definition.name().to_owned()).collect();
    let names = known.iter().map(String::as_str).chain(ALIASES.iter().map(|(alias, _)| *alias));
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|known| {
            let distance = distance(&name, known);
            let is_part =
                known.len() >= 2 && (name.starts_with(known) || (name.len() >= 2 && known.starts_with(&name)));
            (distance <= name.chars().count().div_ceil(3) || is_part).then_some((distance, known))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(MAX_NEAR);
    near.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// The number of characters to insert, delete or replace.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, character) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = index + 1;
        for at in 0..other.len() {
            let replaced = before + usize::from(other[at] != character);
            before = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(before + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_ripgreps_then_aliases_then_extensions() {
        for (reason, name, path, matches) in [
            ("a type of one extension", "rust", "src/lib.rs", true),
            ("a type with several", "ts", "a.tsx", true),
            ("a type by file name", "make", "Makefile", true),
            ("another type", "rust", "lib.py", false),
            ("an alias", "golang", "a.go", true),
            ("an alias with signs", "c++", "a.cc", true),
            ("a type in another case", "TypeScript", "a.ts", true),
            ("an alias in another case", "JavaScript", "a.jsx", true),
            ("an unknown type is an extension", "foo", "a.foo", true),
            ("with its dot", ".foo", "a.foo", true),
            ("only as an extension", "foo", "afoo", false),
            ("a dot asks for the extension", ".ts", "a.tsx", false),
        ] {
            let filter = TypeFilter::new(INCLUDING, name).expect(name);
            assert_eq!(filter.matches(path.as_bytes()), matches, "{reason}: {name} on {path}");
        }
    }

    #[test]
    fn every_alias_leads_to_a_type_and_is_none_itself() {
        for (alias, known) in ALIASES {
            let mut builder = TypesBuilder::new();
            builder.add_defaults();
            assert!(builder.definitions().iter().any(|definition| definition.name() == known), "{known}");
            assert!(!builder.definitions().iter().any(|definition| definition.name() == alias), "{alias}");
        }
    }

    #[test]
    fn a_type_that_no_file_has_is_refused_with_near_names() {
        for (name, near) in [("goland", "golang"), ("kotlinn", "kotlin"), ("rusty", "rust"), ("zzzzzz", "such as ts")] {
            let error =
                TypeFilter::new(INCLUDING, name).expect(name).check(INCLUDING, name, [b"a.txt".as_slice()].into_iter());
            assert!(error.as_ref().is_err_and(|error| error.to_string().contains(near)), "{name}: {error:?}");
            let file = format!("src/a.{name}");
            let filter = TypeFilter::new(INCLUDING, name).expect(name);
            assert!(filter.check(INCLUDING, name, [file.as_bytes()].into_iter()).is_ok(), "{name}");
        }
        let long = "a".repeat(256);
        for name in ["", ".", "ts,js", "*.ts", "{ts,js}", "a b", "!ts", &long] {
            assert!(TypeFilter::new(INCLUDING, name).is_err(), "{name}");
        }
    }
}
