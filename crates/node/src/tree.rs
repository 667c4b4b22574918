//! `treeSummary`.

use cairn_cancel::Stopped;
use cairn_search::{Depth, Folded, TreeChange, TreeOptions, TreeOutcome, TreeState, tree_summary as summarise};
use cairn_walk::Kind;
use napi::Env;
use napi::bindgen_prelude::{Either, External, Object, Uint8Array};
use napi_derive::napi;

use crate::columns::{Column, Text};
use crate::error::NativeError;
use crate::options::{GivenScope, context, lossy_flag, nonzero, scope, size, stop_reason, texts};
use crate::task::{CancelHandle, either, guarded, run, token};

/// `treeSummary`; the facade documents them.
#[napi(object)]
pub struct NativeTreeOptions {
    pub path: String,
    /// 0 is `auto`.
    pub depth: Option<f64>,
    pub max_entries: Option<f64>,
    pub hidden: Option<bool>,
    pub gitignore: Option<bool>,
    pub exclude: Option<Vec<String>>,
    pub allow: Option<Vec<String>>,
    pub secrets: Option<Vec<String>>,
    pub focus: Option<Vec<String>>,
    pub resolve_links: Option<bool>,
    pub cache: Option<bool>,
    pub validate: Option<bool>,
    pub keep_state: Option<bool>,
    pub timeout_ms: Option<f64>,
    pub partial_on_timeout: Option<bool>,
}

impl From<NativeTreeOptions> for TreeOptions {
    fn from(given: NativeTreeOptions) -> Self {
        let base = Self::new(given.path.as_str());
        let shared = GivenScope {
            hidden: given.hidden,
            gitignore: given.gitignore,
            resolve_links: given.resolve_links,
            cache: given.cache,
            validate: given.validate,
            watch: None,
            partial_on_timeout: given.partial_on_timeout,
        };
        Self {
            scope: scope(&given.path, &base.scope, shared),
            depth: match given.depth.map(size) {
                None => base.depth,
                Some(0) => Depth::Auto,
                Some(levels) => Depth::Levels(levels),
            },
            max_entries: given.max_entries.map_or(base.max_entries, size),
            exclude: given.exclude.unwrap_or_default(),
            allow: given.allow.unwrap_or_default(),
            secrets: given.secrets.unwrap_or_default(),
            focus: given.focus.unwrap_or_default(),
        }
    }
}

/// Summarises a tree.
#[napi(ts_return_type = "Promise<NativeTreeSummary | NativeError>")]
pub fn tree_summary<'env>(
    env: &'env Env,
    options: NativeTreeOptions,
    handle: Option<&CancelHandle>,
) -> napi::Result<Object<'env>> {
    let (timeout_ms, keep_state) = (options.timeout_ms, options.keep_state.unwrap_or(false));
    let core = TreeOptions::from(options);
    let encode = move |outcome: &TreeOutcome, check: &dyn Fn() -> Result<(), Stopped>| {
        let state = keep_state.then(|| external(outcome.state()));
        Ok(NativeTreeSummary { state, ..encode(outcome, check)? })
    };
    run(env, handle, timeout_ms, move |cancel| Ok(summarise(context(), &core, cancel)?), encode)
}

/// The garbage collector learns what a state holds.
fn external(state: TreeState) -> External<TreeState> {
    let bytes = state.bytes();
    External::new_with_size_hint(state, bytes)
}

/// The state of a tree.
#[napi(object, object_from_js = false)]
pub struct NativeTreeState {
    pub generation: f64,
    pub complete: bool,
    #[napi(ts_type = "object")]
    pub state: External<TreeState>,
}

/// Returns the state of a tree, on the calling thread.
#[napi]
pub fn tree_state_sync(options: NativeTreeOptions) -> Either<NativeTreeState, NativeError> {
    let cancel = token(None, options.timeout_ms);
    let core = TreeOptions { max_entries: 0, ..TreeOptions::from(options) };
    either(guarded(
        || {
            let outcome = summarise(context(), &core, &cancel)?;
            Ok(NativeTreeState {
                generation: outcome.generation() as f64,
                complete: outcome.stop_reason.is_none(),
                state: external(outcome.state()),
            })
        },
        NativeError::internal,
    ))
}

/// One entry that came or went; the facade documents it.
#[napi(object, object_from_js = false)]
pub struct NativeTreeChange {
    pub path: String,
    pub path_bytes: Option<Uint8Array>,
    pub appeared: bool,
    #[napi(ts_type = "'file' | 'dir' | 'symlink'")]
    pub kind: &'static str,
    #[napi(ts_type = "'excluded' | 'repository' | 'unreadable'")]
    pub folded: Option<&'static str>,
    pub target: Option<String>,
    pub target_bytes: Option<Uint8Array>,
}

/// The differences between two states.
#[napi(object, object_from_js = false)]
pub struct NativeTreeChanges {
    pub total: f64,
    pub listed: Vec<NativeTreeChange>,
}

/// Compares two states of one tree, on the calling thread.
#[napi]
#[must_use]
pub fn tree_changes(
    #[napi(ts_arg_type = "object")] before: &External<TreeState>,
    #[napi(ts_arg_type = "object")] after: &External<TreeState>,
    max_listed: f64,
) -> NativeTreeChanges {
    let found = before.changes_until(after, size(max_listed));
    NativeTreeChanges { total: found.total as f64, listed: found.listed.into_iter().map(Into::into).collect() }
}

impl From<TreeChange> for NativeTreeChange {
    fn from(change: TreeChange) -> Self {
        let (path, path_bytes) = text_of(change.path);
        let (target, target_bytes) = change.target.map(text_of).unzip();
        Self {
            path,
            path_bytes,
            appeared: change.appeared,
            kind: match change.kind {
                Kind::File => "file",
                Kind::Dir => "dir",
                Kind::Symlink => "symlink",
            },
            folded: change.folded.map(|folded| match folded {
                Folded::Excluded => "excluded",
                Folded::Repository => "repository",
                Folded::Unreadable => "unreadable",
            }),
            target,
            target_bytes: target_bytes.flatten(),
        }
    }
}

/// Bytes as text, and the bytes themselves if they are not valid UTF-8.
fn text_of(bytes: Vec<u8>) -> (String, Option<Uint8Array>) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            (text, Some(error.into_bytes().into()))
        }
    }
}

/// The result of `treeSummary`.
#[napi(object, object_from_js = false)]
pub struct NativeTreeSummary {
    pub root: String,
    pub depth: f64,
    pub root_children: f64,
    pub total_entries: f64,
    pub excluded: f64,
    pub hidden_secrets: f64,
    pub generation: f64,
    pub complete: bool,
    #[napi(ts_type = "'timeout' | 'budget'")]
    pub stop_reason: Option<&'static str>,
    /// How many directories or entries could not be read; absent when none.
    pub unreadable: Option<f64>,
    /// The first of them that are shown, in path order; absent when none.
    pub unreadable_paths: Option<Vec<String>>,
    /// The focused paths that do not exist; absent when none.
    pub missing_focus: Option<Vec<String>>,
    /// The entries; the facade has the table of these columns.
    pub columns: Uint8Array,
    /// The whole tree, with `keep_state`.
    #[napi(ts_type = "object")]
    pub state: Option<External<TreeState>>,
}

/// How many entries are encoded between two checks for cancellation.
const ENTRIES_PER_CHECK: usize = 1024;
/// The bit of an entry's flags that marks a link with a target, and the bit of a target that is not valid UTF-8.
const TARGET: u8 = 64;
const LOSSY_TARGET: u8 = 128;

fn encode(outcome: &TreeOutcome, check: &dyn Fn() -> Result<(), Stopped>) -> Result<NativeTreeSummary, Stopped> {
    let mut text = Text::new();
    let count = outcome.entries().len();
    let (mut name_lengths, mut target_lengths) = (Vec::with_capacity(count), Vec::new());
    let (mut parents, mut children, mut flags) =
        (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
    // The bytes of the names and targets that are not valid UTF-8: names first.
    let (mut raw, mut raw_lengths) = (Vec::new(), Vec::new());
    let mut keep_raw = |bytes: &[u8], lossy: bool| {
        if lossy {
            raw.extend_from_slice(bytes);
            raw_lengths.push(bytes.len() as u32);
        }
    };
    for (index, entry) in outcome.entries().enumerate() {
        if index % ENTRIES_PER_CHECK == 0 {
            check()?;
        }
        let lossy = text.push(entry.name, &mut name_lengths);
        keep_raw(entry.name, lossy);
        // 0 is the root.
        parents.push(entry.parent.map_or(0, |parent| parent as u32 + 1));
        children.push(entry.children);
        let folded = entry.folded.map_or(0, |folded| folded as u8) << 4;
        let target = if entry.target.is_some() { TARGET } else { 0 };
        flags.push(entry.kind as u8 | lossy_flag(lossy) | folded | target);
    }
    for (entry, flags) in outcome.entries().zip(&mut flags) {
        if let Some(target) = entry.target {
            let lossy = text.push(target, &mut target_lengths);
            keep_raw(target, lossy);
            if lossy {
                *flags |= LOSSY_TARGET;
            }
        }
    }
    let columns = text.pack([
        Column::U32(&name_lengths),
        Column::U32(&parents),
        Column::U32(&children),
        Column::U8(&flags),
        Column::U32(&target_lengths),
        Column::U32(&raw_lengths),
        Column::U8(&raw),
    ]);
    let snapshot = &outcome.snapshot;
    Ok(NativeTreeSummary {
        root: snapshot.root().to_string_lossy().into_owned(),
        depth: outcome.depth as f64,
        root_children: f64::from(outcome.root_children()),
        total_entries: outcome.total() as f64,
        excluded: outcome.excluded() as f64,
        hidden_secrets: outcome.secrets() as f64,
        generation: outcome.generation() as f64,
        complete: outcome.stop_reason.is_none(),
        stop_reason: outcome.stop_reason.map(stop_reason),
        unreadable: nonzero(outcome.unreadable()),
        unreadable_paths: texts(&outcome.unreadable_paths),
        missing_focus: texts(&outcome.missing_focus),
        columns: columns.into(),
        state: None,
    })
}
