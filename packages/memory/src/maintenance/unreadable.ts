import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { QUARANTINE_KEY } from '../records/keys.ts';
import { listRuleOf } from '../records/limits.ts';
import { parseFields } from '../records/record.ts';
import type { UnreadableRecord } from '../records/reader.ts';
import { findUnreadable } from './raw-records.ts';

/** Parses a record that an earlier version moved out of its list. */
function parseMoved(text: string): UnreadableRecord {
  const { key, record } = parseFields(text) ?? {};
  if (typeof key !== 'string' || typeof record !== 'string') return { key: QUARANTINE_KEY, record: text };
  return { key, record, reason: 'an earlier version moved it out of its list' };
}

/** Lists the records that this version cannot read, and those that earlier versions moved out of their lists. */
export async function listUnreadable(backend: MemoryBackend, options: CallOptions): Promise<UnreadableRecord[]> {
  const found: UnreadableRecord[] = [];
  await findUnreadable(backend, (record) => found.push(record), options);
  const [info] = await backend.keys(QUARANTINE_KEY, options);
  if (info?.kind !== 'list') return found;
  const moved = await backend.list(QUARANTINE_KEY, { rule: listRuleOf({}), ...options });
  return [...found, ...moved.toReversed().map(parseMoved)];
}
