//! `glob`.

use cairn_cancel::Stopped;
use cairn_search::{GlobHit, GlobOptions, GlobOutcome, glob as search};
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;

use crate::columns::{Column, Text};
use crate::options::{GivenScope, context, kind, lossy_flag, nonzero, scope, size, stop_reason, unreadable_paths};
use crate::task::{CancelHandle, run};

/// `glob`; the facade documents them.
#[napi(object)]
pub struct NativeGlobOptions {
    pub patterns: Vec<String>,
    pub path: String,
    pub types: Option<Vec<String>>,
    pub excluded_types: Option<Vec<String>>,
    pub max_depth: Option<f64>,
    pub follow_links: Option<bool>,
    pub file_type: Option<u32>,
    pub recursive: Option<bool>,
    pub hidden: Option<bool>,
    pub max_results: Option<f64>,
    pub gitignore: Option<bool>,
    pub resolve_links: Option<bool>,
    pub cache: Option<bool>,
    pub sort_by_mtime: Option<bool>,
    pub include_node_modules: Option<bool>,
    pub timeout_ms: Option<f64>,
    pub partial_on_timeout: Option<bool>,
}

impl From<NativeGlobOptions> for GlobOptions {
    fn from(given: NativeGlobOptions) -> Self {
        let base = Self::new("", given.path.as_str());
        let shared = GivenScope {
            hidden: given.hidden,
            gitignore: given.gitignore,
            resolve_links: given.resolve_links,
            cache: given.cache,
            partial_on_timeout: given.partial_on_timeout,
            ..GivenScope::default()
        };
        Self {
            scope: scope(&given.path, &base.scope, shared),
            kind: given.file_type.and_then(kind),
            recursive: given.recursive.unwrap_or(base.recursive),
            max_results: given.max_results.map(size),
            sort_by_mtime: given.sort_by_mtime.unwrap_or(base.sort_by_mtime),
            include_node_modules: given.include_node_modules,
            patterns: given.patterns,
            file_types: given.types.unwrap_or_default(),
            excluded_types: given.excluded_types.unwrap_or_default(),
            max_depth: given.max_depth.map(size),
            follow_links: given.follow_links.unwrap_or(base.follow_links),
        }
    }
}

/// Finds the entries that match a glob.
#[napi(ts_return_type = "Promise<NativeGlobResult | NativeError>")]
pub fn glob<'env>(
    env: &'env Env,
    options: NativeGlobOptions,
    handle: Option<&CancelHandle>,
) -> napi::Result<Object<'env>> {
    let timeout_ms = options.timeout_ms;
    let core = GlobOptions::from(options);
    run(env, handle, timeout_ms, move |cancel| Ok(search(context(), &core, cancel)?), encode)
}

/// The result of `glob`.
#[napi(object, object_from_js = false)]
pub struct NativeGlobResult {
    pub total_matches: f64,
    pub complete: bool,
    #[napi(ts_type = "'limit' | 'timeout' | 'budget'")]
    pub stop_reason: Option<&'static str>,
    /// How many directories or entries could not be read; absent when none.
    pub unreadable: Option<f64>,
    /// The first of them in path order; absent when none.
    pub unreadable_paths: Option<Vec<String>>,
    pub hint: Option<String>,
    /// The matches; the facade has the table of these columns.
    pub columns: Uint8Array,
}

/// How many paths are tested together for being ASCII, and encoded between two checks for cancellation.
const PATHS_PER_TEST: usize = 1024;

fn encode(outcome: &GlobOutcome, check: &dyn Fn() -> Result<(), Stopped>) -> Result<NativeGlobResult, Stopped> {
    let (hits, details) = (&outcome.hits, &outcome.details);
    let mut text = Text::new();
    let mut path_lengths = Vec::with_capacity(hits.len());
    let mut flags = Vec::with_capacity(hits.len());
    if let Some(snapshot) = &outcome.snapshot {
        let span = |hit: &GlobHit| snapshot.span(hit.entry as usize);
        let columns = hits.len() * (size_of::<u32>() + size_of::<u8>()) + details.len() * 2 * size_of::<f64>();
        text = Text::with_capacity(hits.iter().map(|hit| span(hit).len()).sum(), columns);
        for hits in hits.chunks(PATHS_PER_TEST) {
            check()?;
            if text.push_ascii_parts(snapshot.arena(), hits.iter().map(span), &mut path_lengths) {
                flags.extend(hits.iter().map(|hit| hit.kind as u8));
                continue;
            }
            for hit in hits {
                let lossy = text.push(snapshot.path(hit.entry as usize), &mut path_lengths);
                flags.push(hit.kind as u8 | lossy_flag(lossy));
            }
        }
    }
    // NaN stands for an unknown value.
    let mtimes: Vec<f64> = details.iter().map(|details| details.mtime_ms.unwrap_or(f64::NAN)).collect();
    let sizes: Vec<f64> = details.iter().map(|details| details.size.map_or(f64::NAN, |size| size as f64)).collect();
    let columns =
        text.pack([Column::U32(&path_lengths), Column::U8(&flags), Column::F64(&mtimes), Column::F64(&sizes)]);
    Ok(NativeGlobResult {
        total_matches: outcome.total as f64,
        complete: outcome.stop_reason.is_none(),
        stop_reason: outcome.stop_reason.map(stop_reason),
        unreadable: outcome.snapshot.as_ref().and_then(|snapshot| nonzero(snapshot.unreadable())),
        unreadable_paths: outcome.snapshot.as_ref().and_then(|snapshot| unreadable_paths(snapshot)),
        hint: outcome.hint.clone(),
        columns: columns.into(),
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn encoding_checks_its_token_every_thousand_hits() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for number in 0..3000 {
            std::fs::write(directory.path().join(number.to_string()), "").expect("a file");
        }
        let options = GlobOptions::new("*", directory.path());
        let outcome = search(context(), &options, &cairn_cancel::CancelToken::new()).expect("a result");
        assert_eq!(outcome.hits.len(), 3000);
        for stop_at in 1..=3000_usize.div_ceil(PATHS_PER_TEST) {
            let checks = Cell::new(0);
            let result = encode(&outcome, &|| {
                checks.set(checks.get() + 1);
                if checks.get() == stop_at { Err(Stopped::Cancelled) } else { Ok(()) }
            });
            assert!(matches!(result, Err(Stopped::Cancelled)));
            assert_eq!(checks.get(), stop_at);
        }
    }
}
