/** The commands that show all of the knowledge: its index and its numbers. */
import { join } from 'node:path';
import { quotePath } from '@cairn/tool/paths';
import type { AssetHead } from '@cairn/knowledge';
import { ExitCode } from '../../terminal/exit.ts';
import { countOf, escapeLine, formatBytes, lineEscape } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { unreadableNotice } from './assets.ts';
import { knowledgeCommand } from './knowledge-command.ts';

function tally(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a, own], [b, other]) => other - own || (a < b ? -1 : 1)));
}

function countsOf(heads: readonly AssetHead[]) {
  const count = (isCounted: (head: AssetHead) => boolean): number => heads.filter(isCounted).length;
  return {
    assets: heads.length,
    promoted: count(({ isPromoted }) => isPromoted),
    unshared: count(({ isUnshared }) => isUnshared),
    conflicts: count(({ hasConflict }) => hasConflict),
    review: count(({ needsReview }) => needsReview),
    inactive: count(({ status }) => status !== 'active'),
    characters: heads.reduce((sum, { characters }) => sum + characters, 0),
    types: tally(heads.map(({ type }) => type)),
    product_lines: tally(heads.map(({ productLine }) => productLine)),
  };
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

export const knowledgeStatsCommand: CommandFactory = knowledgeCommand({
  description: 'Show where the knowledge is, and how many assets it has by type, area and state.',
  summary: 'show where the knowledge is, and its size',
  absent: (directory) => ({ directory, ...countsOf([]), gaps: 0, bytes: 0, unreadable: [] }),
  run: async ({ knowledge, signal, print, notice }) => {
    const { directory, store, gaps } = knowledge;
    const { headOf } = await import('@cairn/knowledge/internal');
    const { changed, unreadable } = await store.changes(undefined, { signal });
    const heads = changed.map(({ asset }) => headOf(asset));
    const keys = await store.backend.keys('', { signal });
    const bytes = keys.reduce((sum, key) => sum + (key.bytes ?? 0), 0);
    const open = await gaps.list({ signal });
    const counts = countsOf(heads);
    const { promoted, unshared, conflicts, review, inactive, types, product_lines: lines } = counts;
    const shown = [
      quotePath(directory),
      `${countOf(heads.length, 'asset')}: ${promoted} in the team store, ${unshared} not shared, ${inactive} inactive`,
      ...(conflicts + review === 0 ? [] : [`${conflicts} in conflict, ${review} for review`]),
      ...(heads.length === 0 ? [] : [listed(types), listed(lines)]),
      `${countOf(open.length, 'question')} without an answer`,
      formatBytes(bytes),
    ];
    for (const id of unreadable) notice(unreadableNotice(id));
    await print(shown.map(escapeLine), { directory, ...counts, gaps: open.length, bytes, unreadable });
    return unreadable.length > 0 ? ExitCode.Error : ExitCode.Hit;
  },
});

export const knowledgeIndexCommand: CommandFactory = knowledgeCommand({
  description: 'Show AGENTS-INDEX.md, the index that agents see, and write it if it is not up to date.',
  summary: 'show the index that agents see',
  absent: (directory) => ({ path: join(directory, 'AGENTS-INDEX.md'), text: '', listed: 0, total: 0, warnings: [] }),
  run: async ({ knowledge, context, signal, print, notice }) => {
    const { text, listed, total, warnings } = await knowledge.index.document({ signal });
    await knowledge.index.flush({ signal });
    const path = join(knowledge.directory, 'AGENTS-INDEX.md');
    for (const { message } of warnings) notice(message);
    notice(`${listed} of ${total} assets in ${path}`);
    const lines = text.replace(/\n$/u, '').split('\n').map(lineEscape(context.out));
    await print(lines, { path, text, listed, total, warnings });
    return listed > 0 ? ExitCode.Hit : ExitCode.None;
  },
});
