/**
 * How well does an agent find what a team knows, and what does it cost?
 *
 *     npm run bench -- knowledge [--most 600] [--seed 1] [--no-headings] [--no-speed] [--markdown bench/KNOWLEDGE.md]
 *
 * The assets and questions are in `test/knowledge/fixture`. Half of the questions are held out: no rule was chosen by their result.
 * The headings are those of `bench/retrieval`: documentation of packages, by name and version.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openFixture } from '../../test/knowledge/measure.ts';
import { say } from '../lib/progress.ts';
import { readCorpora } from '../retrieval/corpora.ts';
import { engines } from '../retrieval/engines.ts';
import type { MiniSearchClass } from '../retrieval/engines.ts';
import { compareEngines, layersByKind } from './fixture.ts';
import { compareHeadings } from './headings.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    most: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    headings: { type: 'boolean', default: true },
    speed: { type: 'boolean', default: true },
    half: { type: 'string', multiple: true, default: ['tuning', 'held-out'] },
    markdown: { type: 'string' },
  },
});

// By names in variables, so that types are checked where they are not installed.
const [miniSearch, porter] = ['minisearch', 'porter2'];
const { default: Class } = (await import(miniSearch)) as { default: MiniSearchClass };
const fromRetrieval = createRequire(new URL('../../packages/retrieval/package.json', import.meta.url));
const { stem } = fromRetrieval(porter) as { stem: (word: string) => string };
const others = engines(Class, stem).filter(({ name }) => name !== 'cairn');

const directory = mkdtempSync(join(tmpdir(), 'cairn-knowledge-'));
const parts: string[] = [];
try {
  const knowledge = await openFixture(join(directory, 'fixture'));
  for (const half of ['tuning', 'held-out'] as const) {
    if (!values.half.includes(half)) continue;
    parts.push(`## ${half}`, await compareEngines(knowledge, { half, others }), await layersByKind(knowledge, half));
  }
  await knowledge.close();
  if (values.headings) {
    const corpora = readCorpora({ most: Number(values.most), seed: Number(values.seed) });
    for (const language of ['zh', 'en'] as const) {
      say(`headings, ${language}`);
      const own = corpora.filter((corpus) => corpus.language === language);
      parts.push(`## headings ${language}`, await compareHeadings(own, { others, directory }));
    }
  }
} finally {
  rmSync(directory, { recursive: true });
}
const text = `${parts.join('\n\n')}\n`;
if (values.markdown === undefined) process.stdout.write(text);
else writeFileSync(resolve(values.markdown), text);
