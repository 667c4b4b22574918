//! Searches for the text of a pattern that has no match: `$scope` as an expression never matches `$scope`.

use std::time::Duration;

use cairn_cancel::CancelToken;

use super::matcher::Compiled;
use super::outcome::Occurrence;
use super::{Call, Candidates, GrepMode, GrepOptions};

/// How many candidates are searched for the text.
const MAX_CANDIDATES: usize = 20_000;
/// How long the text is searched, because a few files can be large.
const MAX_TIME: Duration = Duration::from_millis(250);

impl Call<'_> {
    /// Returns the first place where a pattern occurs as it was typed. Returns `None` if the patterns were already searched as
    /// typed, or if the bounded search does not find them.
    pub(super) fn occurrence_as_typed(&self, candidates: &Candidates) -> Option<Occurrence> {
        let cancel = self.cancel.with_timeout(MAX_TIME);
        self.compiled.that_can_miss_their_text().find_map(|pattern| self.occurrence_of(pattern, candidates, &cancel))
    }

    fn occurrence_of(&self, pattern: &str, candidates: &Candidates, cancel: &CancelToken) -> Option<Occurrence> {
        cancel.check().ok()?;
        let mut options = GrepOptions {
            patterns: vec![pattern.to_owned()],
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
        let compiled = Compiled::new(&options, cancel).ok()?;
        let call = Call {
            context: self.context,
            options: &options,
            compiled: &compiled,
            streaming: None,
            cancel,
            watching: self.watching,
        };
        // The place is only a hint, so an error of this search is not reported.
        let (outcome, _) = call.search_first(candidates, MAX_CANDIDATES).ok()?;
        let found = outcome.matches.first()?;
        let path = outcome.paths.get(found.file)?.clone();
        Some(Occurrence { text: pattern.to_owned(), path, line_number: found.line_number })
    }
}
