/** What a memory keeps, but a question without an answer did not search. */
import { count } from '@cairn/tool/prompt';
import type { Memory } from '../memory.ts';
import { MEMORY_PREFIX } from '../records/keys.ts';
import type { ElsewhereOptions, RecallNotice } from './recall-part.ts';

function elsewhere(parts: readonly string[]): RecallNotice[] {
  if (parts.length === 0) return [];
  return [{ code: 'KEPT_ELSEWHERE', message: `Kept, but not searched: ${parts.join('; ')}.` }];
}

/** Names the facts that are archived, for one session only, or of other projects. */
export async function factsElsewhere(
  memory: Memory,
  { searched, signal }: ElsewhereOptions & { readonly searched: number },
): Promise<RecallNotice[]> {
  const { facts, project: own } = memory;
  const [{ total: archived }, { total: all }, projects] = await Promise.all([
    facts.list({ archived: true, allStreams: true, limit: 1, signal }),
    facts.list({ allStreams: true, limit: 1, signal }),
    facts.projects({ signal }),
  ]);
  const others = projects.filter(({ project, facts: rows }) => project !== own && rows > 0);
  const ofOthers = others.reduce((sum, { facts: rows }) => sum + rows, 0);
  const limited = Math.max(0, all - searched);
  return elsewhere([
    ...(archived > 0 ? [`${count(archived, 'archived fact')} ('cairn memory list --archived')`] : []),
    ...(limited > 0 ? [`${count(limited, 'fact')} that only some agents may read ('cairn memory list')`] : []),
    ...(ofOthers > 0
      ? [`${count(ofOthers, 'fact')} of ${count(others.length, 'other project')} ('cairn memory project list')`]
      : []),
  ]);
}

/** Names the messages of past sessions when they were not searched, or only a part of them was. */
export async function messagesElsewhere(
  { backend }: Memory,
  { searched, signal }: ElsewhereOptions,
): Promise<RecallNotice[]> {
  const infos = await backend.keys(MEMORY_PREFIX, { signal });
  const left = infos.reduce((sum, { records }) => sum + records, 0) - (searched ?? 0);
  if (left <= 0) return [];
  const messages = count(left, 'message');
  return elsewhere([
    searched === undefined ? `${messages} of past sessions, which a question finds` : `${messages} of other agents`,
  ]);
}
