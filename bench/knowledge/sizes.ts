/** The size of an index of assets of 5 KB. */
import { createKnowledge } from '@cairn/knowledge';
import type { Knowledge } from '@cairn/knowledge';
import { memory } from '@cairn/memory/memory';
import { estimateTokens } from '@cairn/tool/prompt';
import { fill } from './many.ts';
import { percent, table } from './report.ts';

const BYTES = 5 * 1024;
const MAX = 191;

/** Measures `AGENTS-INDEX.md` for the first assets of the fixture, with the texts of several assets in each body. */
export async function measureSizes({ index, store }: Knowledge, directory: string): Promise<string> {
  const { heads } = await index.list();
  const bodies = await Promise.all(heads.map(async ({ id }) => (await store.get(id))?.body ?? ''));
  const long = heads.map(({ name, productLine, title, type, tags }, place) => {
    let body = '';
    for (let next = place; Buffer.byteLength(body) < BYTES; next++) body += `${bodies[next % bodies.length]}\n`;
    return { name, productLine, title, type, tags, body };
  });
  const rows: string[][] = [];
  for (const count of [100, MAX]) {
    await using knowledge = createKnowledge({
      backend: memory(),
      directory: `${directory}-${count}`,
      learn: false,
    });
    await fill(knowledge, long.slice(0, count));
    const { text } = await knowledge.index.document();
    const whole = long.slice(0, count).reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    const bytes = Buffer.byteLength(text);
    const kilobytes = (size: number): string => `${(size / 1024).toFixed(1)} KB`;
    rows.push([
      `${count} assets of 5 KB`,
      kilobytes(whole),
      kilobytes(bytes),
      String(text.length),
      String(estimateTokens(text)),
      percent(bytes / whole),
    ]);
  }
  return table(['', 'all texts', 'index', 'characters', 'tokens', 'of all texts'], rows);
}
