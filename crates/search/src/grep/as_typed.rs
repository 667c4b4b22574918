//! Searches for the text of a pattern that has no match: `$scope` as an expression never matches `$scope`.

use std::time::Duration;

use super::matcher::Compiled;
use super::outcome::Occurrence;
use super::{Call, Candidates, GrepMode, GrepOptions};

/// How many candidates are searched for the text.
const MAX_CANDIDATES: usize = 20_000;
/// How long the text is searched, because a few files can be large.
const MAX_TIME: Duration = Duration::from_millis(250);

impl Call<'_> {
    /// Returns the first place where the pattern occurs as it was typed. Returns `None` if the pattern was already searched as
    /// typed, or if the bounded search does not find it.
    pub(super) fn occurrence_as_typed(&self, candidates: Candidates) -> Option<Occurrence> {
        let pattern = self.options.pattern.as_str();
        if !self.compiled.can_miss_its_text(pattern) {
            return None;
        }
        let mut options = GrepOptions {
            literal: true,
            mode: GrepMode::Content,
            max_count: Some(1),
            offset: 0,
            context_before: 0,
            context_after: 0,
            max_columns: Some(pattern.len()),
            max_count_per_file: Some(1),
            ..self.options.clone()
        };
        options.scope.partial_on_timeout = true;
        let cancel = self.cancel.with_timeout(MAX_TIME);
        let compiled = Compiled::new(&options, &cancel).ok()?;
        let call = Call { context: self.context, options: &options, compiled: &compiled, cancel: &cancel };
        // The place is only a hint, so an error of this search is not reported.
        let (outcome, _) = call.search_first(candidates, MAX_CANDIDATES).ok()?;
        let found = outcome.matches.first()?;
        let path = outcome.paths.get(found.file)?.clone();
        Some(Occurrence { text: pattern.to_owned(), path, line_number: found.line_number })
    }
}
