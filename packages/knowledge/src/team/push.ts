/** How the team gets what the local store changed. */
import { hashOf } from '../assets/markdown.ts';
import { parseAssetId } from '../assets/names.ts';
import { secretError } from '../assets/secrets.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { rowIdOf } from '../stores/record.ts';
import type { TeamChange } from '../stores/team-changes.ts';
import type { Clone, Tree, TreeChange } from './clone.ts';
import { applyPlan, assetFilesOf, pathFor, type Entries } from './entries.ts';
import { ChangeList, type TeamChanges, type Withheld } from './report.ts';

/** What the local store has and the team does not. */
export interface Outgoing {
  readonly changes: readonly TreeChange[];
  readonly listed: TeamChanges;
  readonly withheld: readonly Withheld[];
  /** Entries of removed assets that the team does not have either. */
  readonly obsolete: readonly TeamChange[];
}

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
    // The person who shared it allowed its secret.
    const secret = asset.allowSecret === true ? undefined : secretError(asset.text, { path: id });
    if (secret !== undefined) {
      withheld.push({ id, message: secret.summary });
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

const verbs = { added: 'add', changed: 'change', removed: 'remove' } as const;
const MAX_LISTED = 20;

export function messageOf(changes: TeamChanges): string {
  const kinds = (['added', 'changed', 'removed'] as const).filter((kind) => changes[kind].length > 0);
  const counts = kinds.map((kind) => `${verbs[kind]} ${changes[kind].length}`);
  const all = kinds.flatMap((kind) => changes[kind].map((id) => `${verbs[kind]} ${id}`));
  const rest = all.length - MAX_LISTED;
  const lines = [...all.slice(0, MAX_LISTED), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return `knowledge: ${counts.join(', ')}\n\n${lines.join('\n')}\n`;
}

/**
 * Marks what a pushed commit has as shared. It reads the commit, so that it can be repeated after the process was ended between the
 * push and this.
 */
export async function markPushed(
  target: { readonly store: LocalStore; readonly clone: Clone; readonly signal: AbortSignal | undefined },
  { commit, parent }: { readonly commit: string; readonly parent: string | undefined },
): Promise<void> {
  const { clone } = target;
  const none: Entries = new Map();
  const before = assetFilesOf(await clone.tree(parent), none).files;
  const after = assetFilesOf(await clone.tree(commit), none).files;
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (rowId) => before.get(rowId)?.oid !== after.get(rowId)?.oid,
  );
  const hashes = new Map<string, string>();
  const files = changed.flatMap((rowId) => after.get(rowId) ?? []);
  await clone.readBlobs(files, (oid, content) => hashes.set(oid, hashOf(content.toString())));
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
  await applyPlan(target, plan);
}
