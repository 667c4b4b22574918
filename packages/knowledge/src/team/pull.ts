/** How the local store gets what the team changed. */
import type { ParsedAsset } from '../assets/markdown.ts';
import { decodeAsset, hashOf, parseAsset } from '../assets/markdown.ts';
import { parseAssetId } from '../assets/names.ts';
import { KnowledgeError } from '../errors.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { rowIdOf } from '../stores/record.ts';
import type { TeamState } from '../stores/record.ts';
import type { StoreEntry, TeamChange } from '../stores/team-changes.ts';
import { MAX_ASSET_BYTES } from '../assets/asset.ts';
import { applyPlan, assetFilesOf, localOid } from './entries.ts';
import type { Entries } from './entries.ts';
import type { Git } from './git.ts';
import { merge } from './merge.ts';
import type { ChangeList, TeamProblem } from './report.ts';
import { readBlobs } from './tree.ts';
import type { Tree, TreeFile } from './tree.ts';

/**
 * What the team's branch is to the local store.
 *
 * - `known`: it continues what was synchronized last.
 * - `new`: nothing was synchronized with it, so a missing file was not removed there.
 * - `rewritten`: it does not have the commit that was synchronized last, so it is unknown why a file is missing.
 */
export type History = 'known' | 'new' | 'rewritten';

export interface PullOptions {
  readonly git: Git;
  readonly tree: Tree;
  readonly history: History;
  /** Returns the commit's time, for assets that it changed. */
  readonly timeOf: () => Promise<number>;
  /** The remote without credentials. */
  readonly source: string;
  readonly pulled: ChangeList;
  readonly signal: AbortSignal | undefined;
}

export interface Pulled {
  readonly entries: Entries;
  readonly problems: readonly TeamProblem[];
  readonly otherFiles: number;
}

/** Files that people write next to assets. A broken one is not reported as a broken asset. */
const OTHER_FILE =
  /(?:^|\/)(?:readme|changelog|contributing|license|code_of_conduct|security|index|agents|claude)\.md$/iu;

/** Returns an error of a file as a problem. */
function problemOf(error: unknown, path: string): TeamProblem {
  if (!KnowledgeError.isInstance(error)) throw error;
  return { path, ...(error.line !== undefined && { line: error.line }), message: error.summary };
}

/** A file of the team store that the local store does not have in this version. */
interface ReadFile {
  readonly text: string;
  readonly parsed: ParsedAsset;
  readonly team: TeamState;
}

/** Reads the files whose version the local store lacks. */
async function readFiles(
  { git }: PullOptions,
  files: readonly (TreeFile & { readonly id: string })[],
): Promise<Map<string, ReadFile | TeamProblem>> {
  const byOid = new Map<string, (TreeFile & { readonly id: string })[]>();
  const read = new Map<string, ReadFile | TeamProblem>();
  for (const file of files) {
    if (file.bytes > MAX_ASSET_BYTES) {
      const message = `it has ${file.bytes} bytes, more than ${MAX_ASSET_BYTES}`;
      read.set(file.path, { path: file.path, message });
      continue;
    }
    byOid.set(file.oid, [...(byOid.get(file.oid) ?? []), file]);
  }
  await readBlobs(git, [...byOid.values()].flat(), (oid, content) => {
    for (const { path, id } of byOid.get(oid) ?? []) {
      try {
        const text = decodeAsset(content, { path });
        const parsed = parseAsset(text, { path, key: parseAssetId(id) });
        read.set(path, { text, parsed, team: { hash: hashOf(text), oid } });
      } catch (error) {
        read.set(path, problemOf(error, path));
      }
    }
  });
  return read;
}

/** Decides what becomes of one asset; `undefined` when nothing changes here. */
function changeOf(
  { history, source }: PullOptions,
  id: string,
  {
    entry,
    file,
    oid,
  }: {
    readonly entry: StoreEntry | undefined;
    readonly file: ReadFile | undefined;
    /** The team's version. */
    readonly oid: string | undefined;
  },
): TeamChange | undefined {
  const version = entry?.version;
  const base = entry?.team?.oid;
  const like = oid ?? base ?? '';
  const local = entry && localOid(entry, like);
  const at = { id: entry?.id ?? id, version };
  const team = oid === undefined ? null : (file?.team ?? entry?.team ?? null);
  const theirs = oid === undefined ? null : (file?.text ?? null);
  if (entry?.conflict !== undefined) {
    if (base === oid) return undefined;
    if (local === oid)
      return oid === undefined ? { ...at, text: null, team, conflict: null } : { ...at, team, conflict: null };
    return { ...at, team, conflict: { theirs } };
  }
  const taken: TeamChange = { id, version, text: theirs, team, source };
  if (history !== 'known' && base !== undefined) {
    if (oid === undefined && local === undefined) return { ...at, text: null, team };
    if (oid === undefined) return { ...at, team, ...(history === 'rewritten' && { conflict: { theirs } }) };
  }
  switch (merge({ base, local, team: oid })) {
    case 'take':
      return taken;
    case 'same':
      return oid === undefined ? { ...at, text: null, team } : { ...at, team };
    case 'conflict':
      return { ...at, team, conflict: { theirs } };
    case 'none':
    case 'send':
      return undefined;
  }
}

/** Merges a commit of the team's branch into the local store. May be repeated after it was interrupted. */
export async function pull(store: LocalStore, options: PullOptions): Promise<Pulled> {
  const { tree, pulled, signal } = options;
  let problems: TeamProblem[] = [];
  let otherFiles = 0;
  let before: Entries = new Map();
  const plan = async (entries: Entries): Promise<TeamChange[]> => {
    before = entries;
    const { files, duplicates, others } = assetFilesOf(tree, entries);
    otherFiles = others;
    problems = duplicates.map(([path, other]) => ({ path, message: `it would be the same asset as ${other}` }));
    const unknown = [...files].filter(([rowId, { oid }]) => entries.get(rowId)?.team?.oid !== oid);
    const read = await readFiles(
      options,
      unknown.map(([, file]) => file),
    );
    const changes: TeamChange[] = [];
    const decide = (rowId: string, id: string, oid: string | undefined, file?: ReadFile): void => {
      const change = changeOf(options, id, { entry: entries.get(rowId), file, oid });
      if (change !== undefined) changes.push(change);
    };
    for (const [rowId, { path, oid, id }] of unknown) {
      const file = read.get(path);
      if (file === undefined) continue;
      if ('text' in file) decide(rowId, id, oid, file);
      else if (OTHER_FILE.test(path) && !entries.has(rowId)) otherFiles += 1;
      else problems.push(file);
    }
    for (const [rowId, { id }] of entries) {
      if (!files.has(rowId)) decide(rowId, id, undefined);
    }
    if (!changes.some(({ text }) => typeof text === 'string')) return changes;
    const changedMs = await options.timeOf();
    return changes.map((change) => (typeof change.text === 'string' ? { ...change, changedMs } : change));
  };
  const onApplied = (changes: readonly TeamChange[]): void => {
    for (const { id, text } of changes) {
      if (text === undefined) continue;
      const had = before.get(rowIdOf(id))?.asset !== undefined;
      if (text !== null) pulled.add(had ? 'changed' : 'added', id);
      else if (had) pulled.add('removed', id);
    }
  };
  const entries = await applyPlan(store, plan, { onApplied, signal });
  return { entries, problems, otherFiles };
}
