//! File types by the names that ripgrep uses.

use ignore::types::{Types, TypesBuilder};

/// A filter on file names.
#[derive(Debug)]
pub(crate) enum TypeFilter {
    /// One of ripgrep's types.
    Known(Types),
    /// An extension: a name that is not a type of ripgrep.
    Extension(Vec<u8>),
}

impl TypeFilter {
    /// The filter for `name`: the name of a type, or an extension with or without its dot.
    pub(crate) fn new(name: &str) -> Self {
        let mut builder = TypesBuilder::new();
        builder.add_defaults().select(name);
        match builder.build() {
            Ok(types) => Self::Known(types),
            Err(_) => Self::Extension(format!(".{}", name.trim_start_matches('.')).into_bytes()),
        }
    }

    /// Whether the file at `path` is of the type.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        match self {
            Self::Known(types) => types.matched(cairn_walk::from_bytes(path), false).is_whitelist(),
            Self::Extension(extension) => path.ends_with(extension),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_ripgreps_and_unknown_ones_are_extensions() {
        for (reason, name, path, matches) in [
            ("a type of one extension", "rust", "src/lib.rs", true),
            ("a type with several", "ts", "a.tsx", true),
            ("a type by file name", "make", "Makefile", true),
            ("another type", "rust", "lib.py", false),
            ("an unknown type is an extension", "foo", "a.foo", true),
            ("with its dot", ".foo", "a.foo", true),
            ("only as an extension", "foo", "afoo", false),
        ] {
            assert_eq!(TypeFilter::new(name).matches(path.as_bytes()), matches, "{reason}: {name} on {path}");
        }
    }
}
