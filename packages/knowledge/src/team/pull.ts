/** How the local store gets what the team changed. */
import { MAX_ASSET_BYTES } from '../assets/asset.ts';
import { decodeAsset, hashOf, parseAsset } from '../assets/markdown.ts';
import { parseAssetId } from '../assets/names.ts';
import { KnowledgeError } from '../errors.ts';
import { rowIdOf } from '../stores/record.ts';
import type { TeamState } from '../stores/record.ts';
import type { StoreEntry, TeamChange } from '../stores/team-changes.ts';
import type { Clone, Tree } from './clone.ts';
import { assetFilesOf, localOid, type AssetFile, type Entries } from './entries.ts';
import { mergeTexts } from './merge-texts.ts';
import type { TeamProblem } from './report.ts';

/**
 * What the team's branch is to the local store.
 *
 * - `known`: it continues what was synchronized last.
 * - `new`: nothing was synchronized with it, so a missing file was not removed there.
 * - `rewritten`: it does not have the commit that was synchronized last, so it is unknown why a file is missing.
 */
type History = 'known' | 'new' | 'rewritten';

/**
 * What a synchronization does with an asset. `take`: the local store becomes as the team's, even when that means removal. `send`: the
 * other way round. `same`: both sides were changed in the same way.
 */
export type Merge = 'none' | 'same' | 'take' | 'send' | 'conflict';

/** The identity of a version of a file, such as its hash; `undefined` when there is no file. */
export type Version = string | undefined;

/** Merges three versions of one asset. `base`: what both sides had at the last synchronization. */
export function merge({ base, local, team }: Readonly<Record<'base' | 'local' | 'team', Version>>): Merge {
  if (local === team) return local === base ? 'none' : 'same';
  if (local === base) return 'take';
  return team === base ? 'send' : 'conflict';
}

export interface PullOptions {
  readonly clone: Clone;
  readonly tree: Tree;
  readonly history: History;
  /** The remote without credentials. */
  readonly source: string;
}

export interface PlannedPull {
  readonly changes: readonly TeamChange[];
  readonly problems: readonly TeamProblem[];
  readonly otherFiles: number;
  /** Assets that both sides changed in different places. */
  readonly merged: readonly string[];
}

/** Files that people write next to assets. A broken one is not reported as a broken asset. */
const OTHER_FILE =
  /(?:^|\/)(?:readme|changelog|contributing|license|code_of_conduct|security|index|agents|claude)\.md$/iu;

/** A file of the team store that the local store does not have in this version. */
interface ReadFile {
  readonly text: string;
  readonly team: TeamState;
}

/** Reads the files whose version the local store lacks, by their paths. */
async function readFiles(clone: Clone, files: readonly AssetFile[]): Promise<Map<string, ReadFile | TeamProblem>> {
  const byOid = new Map<string, AssetFile[]>();
  const read = new Map<string, ReadFile | TeamProblem>();
  for (const file of files) {
    const { path, oid, bytes } = file;
    if (bytes <= MAX_ASSET_BYTES) byOid.set(oid, [...(byOid.get(oid) ?? []), file]);
    else read.set(path, { path, message: `it has ${bytes} bytes, more than ${MAX_ASSET_BYTES}` });
  }
  await clone.readBlobs([...byOid.values()].flat(), (oid, content) => {
    for (const { path, id } of byOid.get(oid) ?? []) {
      try {
        const text = decodeAsset(content, { path });
        parseAsset(text, { path, key: parseAssetId(id) });
        read.set(path, { text, team: { hash: hashOf(text), oid } });
      } catch (error) {
        if (!KnowledgeError.isInstance(error)) throw error;
        read.set(path, { path, ...(error.line !== undefined && { line: error.line }), message: error.summary });
      }
    }
  });
  return read;
}

interface Decided {
  readonly entry: StoreEntry | undefined;
  readonly file?: ReadFile | undefined;
  /** The team's version. */
  readonly oid: string | undefined;
}

function changeOf({ history, source }: PullOptions, id: string, { entry, file, oid }: Decided): TeamChange | undefined {
  const version = entry?.version;
  const base = entry?.team?.oid;
  const local = entry && localOid(entry, oid ?? base ?? '');
  const at = { id: entry?.id ?? id, version };
  const team = oid === undefined ? null : (file?.team ?? entry?.team ?? null);
  const theirs = oid === undefined ? null : (file?.text ?? null);
  // Both sides have it, or neither.
  const same: TeamChange = oid === undefined ? { ...at, text: null, team } : { ...at, team };
  const conflict: TeamChange = { ...at, team, conflict: { theirs } };
  if (entry?.conflict !== undefined) {
    if (base === oid) return undefined;
    return local === oid ? { ...same, conflict: null } : conflict;
  }
  if (history !== 'known' && base !== undefined && oid === undefined) {
    if (local === undefined) return same;
    return history === 'rewritten' ? conflict : { ...at, team };
  }
  const decided: Readonly<Record<Merge, TeamChange | undefined>> = {
    take: { id, version, text: theirs, team, source },
    same,
    conflict,
    none: undefined,
    send: undefined,
  };
  return decided[merge({ base, local, team: oid })];
}

/** Merges an asset that both sides changed. @returns the change that takes the merge, or keeps both sides with what they had before. */
async function mergeConflict(clone: Clone, change: TeamChange, entry: StoreEntry | undefined): Promise<TeamChange> {
  const [theirs, mine] = [change.conflict?.theirs, entry?.asset];
  const { conflict, team } = entry ?? {};
  if (typeof theirs !== 'string' || mine === undefined || team === undefined) return change;
  const base = conflict === undefined ? await clone.textOf(team.oid) : conflict.base;
  if (base === undefined) return change;
  const merged = await mergeTexts(clone, { base, mine: mine.text, theirs }, mine);
  if (merged?.isClean !== true) return { ...change, conflict: { theirs, base } };
  return { ...change, text: merged.text, conflict: null, changedMs: mine.changedMs };
}

/** Plans the merge of a commit of the team's branch into the local store. */
export async function planPull(options: PullOptions, entries: Entries): Promise<PlannedPull> {
  const { clone, tree } = options;
  const { files, duplicates, others } = assetFilesOf(tree, entries);
  const problems = [...duplicates];
  const unknown = [...files].filter(([rowId, { oid }]) => entries.get(rowId)?.team?.oid !== oid);
  const read = await readFiles(
    clone,
    unknown.map(([, file]) => file),
  );
  let otherFiles = others;
  const changes = unknown.map(([rowId, { path, oid, id }]) => {
    const file = read.get(path);
    const entry = entries.get(rowId);
    if (file !== undefined && 'text' in file) return changeOf(options, id, { entry, file, oid });
    if (OTHER_FILE.test(path) && entry === undefined) otherFiles += 1;
    else if (file !== undefined) problems.push(file);
    return undefined;
  });
  const gone = [...entries].filter(([rowId]) => !files.has(rowId));
  changes.push(...gone.map(([, entry]) => changeOf(options, entry.id, { entry, oid: undefined })));
  const merged: string[] = [];
  const settled: TeamChange[] = [];
  for (const change of changes) {
    if (change === undefined) continue;
    const isConflict = change.conflict !== undefined && change.conflict !== null;
    const next = isConflict ? await mergeConflict(clone, change, entries.get(rowIdOf(change.id))) : change;
    if (isConflict && next.conflict === null) merged.push(next.id);
    settled.push(next);
  }
  return { changes: settled, problems, otherFiles, merged };
}
