/** How the team gets what the local store changed. */
import { hashOf } from '../assets/markdown.ts';
import { parseAssetId } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { rowIdOf } from '../stores/record.ts';
import type { TeamChange } from '../stores/team-changes.ts';
import { applyPlan, assetFilesOf } from './entries.ts';
import type { AssetFiles, Entries } from './entries.ts';
import type { Git } from './git.ts';
import { ChangeList } from './report.ts';
import type { TeamChanges, Withheld } from './report.ts';
import { pathFor, readBlobs, readTree } from './tree.ts';
import type { Tree, TreeChange } from './tree.ts';

/** What the local store has and the team does not. */
export interface Outgoing {
  readonly changes: readonly TreeChange[];
  readonly listed: TeamChanges;
  readonly withheld: readonly Withheld[];
  /** Entries of removed assets that the team does not have either. */
  readonly obsolete: readonly TeamChange[];
}

/** Returns the directories of a path. */
function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Returns the reason why a file cannot be at a path; `undefined` when it can. */
function obstacleTo(path: string, files: ReadonlySet<string>, directories: ReadonlySet<string>): string | undefined {
  if (directories.has(path)) return `the team store has a directory ${path}`;
  const file = parentsOf(path).find((parent) => files.has(parent));
  return file === undefined ? undefined : `the team store has a file ${file}`;
}

function secretIn(text: string, path: string): string | undefined {
  try {
    checkSecrets(text, { path });
    return undefined;
  } catch (error) {
    if (KnowledgeError.isInstance(error) && error.code === 'SECRET') return error.summary;
    throw error;
  }
}

/** Selects what to push: what was added, changed, renamed or removed since the last synchronization, without conflicts. */
export function outgoingOf(entries: Entries, tree: Tree): Outgoing {
  const { files } = assetFilesOf(tree, entries);
  const list = new ChangeList();
  const [removes, writes]: [TreeChange[], (TreeChange & { readonly id: string; readonly text: string })[]] = [[], []];
  const withheld: Withheld[] = [];
  const obsolete: TeamChange[] = [];
  for (const [rowId, entry] of entries) {
    const { id, version, asset, team, conflict } = entry;
    const file = files.get(rowId);
    // The team's file cannot be read as an asset, or the local store was not merged with it: it must not be overwritten.
    if (conflict !== undefined || file?.oid !== team?.oid) continue;
    if (asset === undefined) {
      if (file === undefined) obsolete.push({ id, version, text: null, team: null });
      else removes.push({ path: file.path, text: null });
      if (file !== undefined) list.add('removed', id);
      continue;
    }
    if (!asset.isUnshared) continue;
    const path = pathFor(parseAssetId(id), file);
    const secret = secretIn(asset.text, id);
    if (secret !== undefined) {
      withheld.push({ id, message: secret });
      continue;
    }
    writes.push({ id, path, text: asset.text });
    // Renamed in case only: on some systems both names are one file, so the removal comes first.
    if (file !== undefined && file.path !== path) removes.push({ path: file.path, text: null });
  }
  const gone = new Set(removes.map(({ path }) => path));
  const present = new Set([...tree.keys()].filter((path) => !gone.has(path)));
  const directories = new Set([...present].flatMap(parentsOf));
  const changes = writes.flatMap(({ id, path, text }): TreeChange[] => {
    const obstacle = obstacleTo(path, present, directories);
    if (obstacle !== undefined) {
      withheld.push({ id, message: `The asset ${id} cannot be a file of the team store: ${obstacle}` });
      return [];
    }
    list.add(entries.get(rowIdOf(id))?.team === undefined ? 'added' : 'changed', id);
    present.add(path);
    for (const parent of parentsOf(path)) directories.add(parent);
    return [{ path, text }];
  });
  return { changes: [...removes, ...changes], listed: list.changes, withheld, obsolete };
}

/** Returns the message of a commit. */
export function messageOf({ added, changed, removed }: TeamChanges): string {
  const MAX_LISTED = 20;
  const counts = [
    added.length > 0 && `add ${added.length}`,
    changed.length > 0 && `change ${changed.length}`,
    removed.length > 0 && `remove ${removed.length}`,
  ].filter((text) => text !== false);
  const all = [
    ...added.map((id) => `add ${id}`),
    ...changed.map((id) => `change ${id}`),
    ...removed.map((id) => `remove ${id}`),
  ];
  const rest = all.length - MAX_LISTED;
  const lines = [...all.slice(0, MAX_LISTED), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return `knowledge: ${counts.join(', ')}\n\n${lines.join('\n')}\n`;
}

/**
 * Marks what a pushed commit has as shared. It reads the commit, so that it can be repeated after the process was ended between the
 * push and this.
 */
export async function markPushed(
  store: LocalStore,
  git: Git,
  { commit, parent, signal }: { commit: string; parent: string | undefined; signal: AbortSignal | undefined },
): Promise<void> {
  const filesOf = async (one: string | undefined): Promise<AssetFiles['files']> =>
    assetFilesOf(await readTree(git, one), new Map()).files;
  const [before, after] = [await filesOf(parent), await filesOf(commit)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (rowId) => before.get(rowId)?.oid !== after.get(rowId)?.oid,
  );
  const hashes = new Map<string, string>();
  const files = changed.flatMap((rowId) => after.get(rowId) ?? []);
  await readBlobs(git, files, (oid, content) => hashes.set(oid, hashOf(content.toString())));
  const plan = (entries: Entries): TeamChange[] =>
    changed.flatMap((rowId): TeamChange[] => {
      const entry = entries.get(rowId);
      const { oid, id = '' } = after.get(rowId) ?? {};
      if (entry?.team?.oid === oid) return [];
      const team = oid === undefined ? null : { oid, hash: hashes.get(oid) ?? '' };
      if (entry?.asset !== undefined) return [{ id: entry.id, version: entry.version, team }];
      // Removed while it was pushed: the team has it now, so that the removal must be pushed too.
      return [{ id: entry?.id ?? id, version: entry?.version, text: null, team }];
    });
  await applyPlan(store, plan, { signal });
}
