/** The changes that a user makes to one asset. */
import type { CallOptions, Erasure } from '@cairn/memory';
import { quoted } from '@cairn/tool/kernel';
import type { Asset } from '../assets/asset.ts';
import { editAsset, parseAsset } from '../assets/markdown.ts';
import { assetId, checkName, checkProductLine } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import { checkContent, parseDraft } from './draft.ts';
import type { AddOptions, AssetChange, AssetDraft, AssetFile, ChangeOptions } from './draft.ts';
import { assetOf, removalOf, rowIdOf, rowOf } from './record.ts';
import type { StoredAsset } from './record.ts';
import { untilDone } from './table.ts';
import type { NextRow } from './table.ts';
import type { AssetWriter, FoundRow } from './writer.ts';

const MAX_NOTES = 10;
const MAX_NOTE_CHARACTERS = 500;

export async function addAsset(
  writer: AssetWriter,
  draft: AssetDraft | AssetFile,
  { origin = { kind: 'local' }, dryRun = false, signal }: AddOptions,
): Promise<Asset> {
  signal?.throwIfAborted();
  const parsed = parseDraft(draft);
  const { id } = parsed;
  const stored = await untilDone(
    async () => {
      const before = await writer.free(id, { signal });
      const nowMs = await writer.now({ signal });
      const { team, conflict } = before?.stored ?? {};
      const next = rowOf(parsed, { createdMs: nowMs, changedMs: nowMs, origin, team, conflict });
      return dryRun ? next : (await writer.write([{ id, before, next }], { signal })) && next;
    },
    { id, signal },
  );
  if (!dryRun) writer.notify([id]);
  return assetOf(stored);
}

/** The state of an asset after a change, and the rows that make it. No rows: nothing changes. */
interface PlannedChange {
  readonly next: StoredAsset;
  readonly rows: readonly NextRow[];
}

/** Plans a change that gives an asset another id. */
async function planRename(
  writer: AssetWriter,
  { row, stored }: FoundRow,
  { next, id, signal }: CallOptions & { readonly next: StoredAsset; readonly id: string },
): Promise<PlannedChange> {
  const free = await writer.free(id, { signal });
  const { team, conflict } = stored;
  const removal = team && removalOf(stored.fields, { team, conflict });
  const moved: StoredAsset = { ...next, team: free?.stored?.team, conflict: free?.stored?.conflict };
  const rows = [
    { id: row.rowId, before: row, next: removal },
    { id, before: free, next: moved },
  ];
  return { next: moved, rows };
}

async function planChange(
  writer: AssetWriter,
  found: FoundRow,
  { text, fields, body, signal }: AssetChange & CallOptions,
): Promise<PlannedChange> {
  const { row, stored } = found;
  const edited = editAsset(text ?? stored.text, { fields, body });
  const isSame = edited === stored.text;
  // The user may confirm it twice in a day.
  const isConfirmed = typeof fields?.verifiedMs === 'number' && stored.reports !== undefined;
  if (isSame && !isConfirmed) return { next: stored, rows: [] };
  const parsed = parseAsset(edited);
  checkContent(parsed);
  const nowMs = await writer.now({ signal });
  const { createdMs, origin, team, conflict } = stored;
  const next = rowOf(parsed, { createdMs, changedMs: isSame ? stored.changedMs : nowMs, origin, team, conflict });
  const own = assetId(stored.fields);
  if (rowIdOf(parsed.id) === rowIdOf(own)) return { next, rows: [{ id: own, before: row, next }] };
  return planRename(writer, found, { next, id: parsed.id, signal });
}

export async function changeAsset(
  writer: AssetWriter,
  [id, change]: readonly [id: string, change: AssetChange],
  { expected, dryRun = false, signal }: ChangeOptions,
): Promise<Asset> {
  signal?.throwIfAborted();
  const { fields } = change;
  if (fields?.name !== undefined) checkName(fields.name);
  if (fields?.productLine !== undefined) checkProductLine(fields.productLine);
  return untilDone(
    async () => {
      const found = await writer.find(id, { expected, signal });
      const { next, rows } = await planChange(writer, found, { ...change, signal });
      const asset = assetOf(next);
      if (dryRun || rows.length === 0) return asset;
      if ((await writer.write(rows, { signal })) === undefined) return undefined;
      writer.noteReplaced(rows);
      writer.notify([...new Set([assetId(found.stored.fields), asset.id])]);
      return asset;
    },
    { id, signal },
  );
}

export async function removeAsset(
  writer: AssetWriter,
  id: string,
  options: ChangeOptions,
): Promise<{ readonly erasure: Erasure }> {
  const { signal } = options;
  signal?.throwIfAborted();
  const attempt = async (): Promise<string | undefined> => {
    const row = await writer.table.readOne(id, { signal });
    // One that is not readable is removed whole.
    const isReadable = row === undefined || row.stored !== undefined;
    const { fields, team, conflict } = isReadable ? (await writer.find(id, options)).stored : {};
    if (row === undefined) return undefined;
    const removal = team && fields && removalOf(fields, { team, conflict });
    const isDone = await writer.write([{ id: row.rowId, before: row, next: removal }], { signal });
    return isDone && (fields === undefined ? row.rowId : assetId(fields));
  };
  const erasure = await writer.eraseAfter(async () => writer.notify([await untilDone(attempt, { id, signal })]));
  return { erasure };
}

export async function reportAsset(
  writer: AssetWriter,
  [id, verdict]: readonly [id: string, verdict: 'helpful' | 'wrong'],
  { note, signal }: CallOptions & { readonly note?: string | undefined },
): Promise<Asset> {
  signal?.throwIfAborted();
  const text = note?.trim() ?? '';
  if (verdict !== 'helpful' && verdict !== 'wrong') {
    throw new KnowledgeError('INVALID_INPUT', [`Invalid report ${quoted(verdict)}`, 'Use helpful or wrong.']);
  }
  if (text.length > MAX_NOTE_CHARACTERS) {
    const summary = `The note has ${text.length} characters, more than ${MAX_NOTE_CHARACTERS}`;
    throw new KnowledgeError('TOO_LARGE', [summary, 'Shorten it.']);
  }
  checkSecrets(text);
  const stored = await untilDone(
    async () => {
      const { row, stored: before } = await writer.find(id, { signal });
      const { helpful, wrong, notes } = assetOf(before).reports;
      const reports = {
        helpful: helpful + (verdict === 'helpful' ? 1 : 0),
        wrong: wrong + (verdict === 'wrong' ? 1 : 0),
        notes: text === '' ? notes : [...notes, text].slice(-MAX_NOTES),
      };
      const next = { ...before, reports };
      const rows = [{ id: row.rowId, before: row, next }];
      if ((await writer.write(rows, { signal })) === undefined) return undefined;
      writer.noteReplaced(rows);
      return next;
    },
    { id, signal },
  );
  const asset = assetOf(stored);
  writer.notify([asset.id]);
  return asset;
}
