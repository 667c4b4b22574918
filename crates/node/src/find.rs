//! `fuzzyFind`.

use std::sync::Arc;

use cairn_cancel::{CancelToken, Stopped};
use cairn_search::{FindOptions, FindOutcome, Guess, PathList, QuerySyntax, find as search};
use napi::Env;
use napi::bindgen_prelude::{Object, ObjectFinalize, Uint8Array};
use napi_derive::napi;

use crate::columns::{Column, Text};
use crate::options::{GivenScope, context, kind, lossy_flag, nonzero, scope, size, stop_reason, unreadable_paths};
use crate::task::{CancelHandle, run};
use crate::utf16;

/// `fuzzyFind`; the facade documents them.
#[napi(object)]
pub struct NativeFuzzyFindOptions {
    pub query: String,
    /// Absent with a list.
    pub path: Option<String>,
    #[napi(ts_type = "'plain' | 'fzf'")]
    pub syntax: Option<String>,
    pub file_type: Option<u32>,
    pub extensions: Option<Vec<String>>,
    pub hidden: Option<bool>,
    pub gitignore: Option<bool>,
    pub resolve_links: Option<bool>,
    pub cache: Option<bool>,
    pub max_results: Option<f64>,
    pub include_positions: Option<bool>,
    pub timeout_ms: Option<f64>,
    pub partial_on_timeout: Option<bool>,
}

impl From<NativeFuzzyFindOptions> for FindOptions {
    fn from(given: NativeFuzzyFindOptions) -> Self {
        let path = given.path.unwrap_or_default();
        let base = Self::new(given.query, path.as_str());
        let shared = GivenScope {
            hidden: given.hidden,
            gitignore: given.gitignore,
            resolve_links: given.resolve_links,
            cache: given.cache,
            partial_on_timeout: given.partial_on_timeout,
            ..GivenScope::default()
        };
        Self {
            scope: scope(&path, &base.scope, shared),
            syntax: if given.syntax.as_deref() == Some("fzf") { QuerySyntax::Fzf } else { QuerySyntax::Plain },
            kind: given.file_type.and_then(kind),
            extensions: given.extensions.unwrap_or_default(),
            list: None,
            max_results: given.max_results.map_or(base.max_results, size),
            include_positions: given.include_positions.unwrap_or(base.include_positions),
            query: base.query,
        }
    }
}

/// Paths to rank instead of the entries below a directory. Node knows its memory, so that it collects lists without a reference
/// in time.
#[napi(custom_finalize)]
#[derive(Default)]
pub struct NativePathList {
    list: Arc<PathList>,
    /// The bytes that Node was informed of.
    reported: i64,
}

/// About what a prepared list takes for each byte of its text: the text as given and for matching, and the records of its paths.
const MEMORY_PER_BYTE: i64 = 4;

impl ObjectFinalize for NativePathList {
    fn finalize(self, env: Env) -> napi::Result<()> {
        env.adjust_external_memory(-self.reported).map(drop)
    }
}

#[napi]
impl NativePathList {
    /// Creates an empty list.
    #[napi(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds paths, each with a NUL after it, before the first search.
    #[napi]
    #[allow(clippy::needless_pass_by_value, reason = "napi passes buffers by value")]
    pub fn add(&mut self, env: Env, paths: Uint8Array) -> napi::Result<()> {
        if !self.list.add(&paths) {
            return Err(napi::Error::from_reason("a list that was searched cannot grow"));
        }
        let bytes = MEMORY_PER_BYTE * paths.len() as i64;
        self.reported += bytes;
        env.adjust_external_memory(bytes).map(drop)
    }
}

/// Finds the entries with the paths that match a query best: below a directory, or of a list.
#[napi(ts_return_type = "Promise<NativeFuzzyFindResult | NativeError>")]
pub fn fuzzy_find<'env>(
    env: &'env Env,
    options: NativeFuzzyFindOptions,
    list: Option<&NativePathList>,
    handle: Option<&CancelHandle>,
) -> napi::Result<Object<'env>> {
    let timeout_ms = options.timeout_ms;
    let core = FindOptions { list: list.map(|list| Arc::clone(&list.list)), ..options.into() };
    let with_positions = core.include_positions;
    let job = move |cancel: &CancelToken| Ok(search(context(), &core, cancel)?);
    run(env, handle, timeout_ms, job, move |outcome, check| encode(outcome, with_positions, check))
}

/// The result of `fuzzyFind`.
#[napi(object, object_from_js = false)]
pub struct NativeFuzzyFindResult {
    pub total_matches: f64,
    pub complete: bool,
    #[napi(ts_type = "'limit' | 'timeout' | 'budget'")]
    pub stop_reason: Option<&'static str>,
    /// How many directories or entries could not be read; absent when none.
    pub unreadable: Option<f64>,
    /// The first of them in path order; absent when none.
    pub unreadable_paths: Option<Vec<String>>,
    /// The matches; the facade has the table of these columns.
    pub columns: Uint8Array,
}

fn encode(
    outcome: &FindOutcome,
    with_positions: bool,
    check: &dyn Fn() -> Result<(), Stopped>,
) -> Result<NativeFuzzyFindResult, Stopped> {
    let mut text = Text::new();
    let (mut path_lengths, mut flags, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    let (mut position_counts, mut positions, mut places) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(snapshot) = &outcome.snapshot {
        for (at, hit) in outcome.hits.iter().enumerate() {
            if at.is_multiple_of(HITS_PER_CHECK) {
                check()?;
            }
            let path = snapshot.path(hit.entry);
            let lossy = match &outcome.places {
                Some(known) => {
                    places.push(known[hit.entry]);
                    false
                }
                None => text.push(path, &mut path_lengths),
            };
            flags.push(u8::from(hit.is_directory) | guess_flags(hit.guess) | lossy_flag(lossy));
            scores.push(hit.score);
            if with_positions {
                let units = utf16::unit_positions(path, &hit.positions);
                position_counts.push(units.len() as u32);
                positions.extend(units);
            }
        }
    }
    let columns = text.pack([
        Column::U32(&path_lengths),
        Column::U8(&flags),
        Column::U32(&scores),
        Column::U32(&position_counts),
        Column::U32(&positions),
        Column::U32(&places),
    ]);
    Ok(NativeFuzzyFindResult {
        total_matches: outcome.total as f64,
        complete: outcome.stop_reason.is_none(),
        stop_reason: outcome.stop_reason.map(stop_reason),
        unreadable: outcome.snapshot.as_ref().and_then(|snapshot| nonzero(snapshot.unreadable())),
        unreadable_paths: outcome.snapshot.as_ref().and_then(|snapshot| unreadable_paths(snapshot)),
        columns: columns.into(),
    })
}

/// The bits of a match's flags that number its kind of guess.
fn guess_flags(guess: Option<Guess>) -> u8 {
    let number = match guess {
        None => 0,
        Some(Guess::Initials) => 1,
        Some(Guess::Typo) => 2,
        Some(Guess::Scattered) => 3,
    };
    number << 1
}

/// How many hits are encoded between two checks for cancellation.
const HITS_PER_CHECK: usize = 1024;
