//! Whole numbers in environment variables.

/// A source of environment variables. A value that is not a whole number counts as not set.
pub struct Variables<F>(pub F);

impl<F: Fn(&str) -> Option<String>> Variables<F> {
    /// Returns the number in a variable.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        (self.0)(name)?.trim().parse().ok()
    }

    /// The same for a number of things that are in memory.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<usize> {
        self.number(name).map(|value| usize::try_from(value).unwrap_or(usize::MAX))
    }
}
