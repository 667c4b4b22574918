/**
 * How well are texts found, and how fast?
 *
 *     npm run bench -- retrieval [--most 600] [--seed 1] [--language zh|en] [--no-speed] [--markdown <file>]
 *
 * The headings of real documentation are asked for, in Chinese and in English; `--most` is how many of each. Prints the
 * tables, or writes them where `--markdown` says.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { say } from '../lib/progress.ts';
import { readCorpora } from './corpora.ts';
import { engines } from './engines.ts';
import type { MiniSearchClass } from './engines.ts';
import { ranksOf } from './measure.ts';
import { markdownOf } from './report.ts';
import type { Result } from './report.ts';
import { measureSpeed } from './speed.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    most: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    language: { type: 'string' },
    speed: { type: 'boolean', default: true },
    markdown: { type: 'string' },
  },
});

// By names in variables, so that types are checked where they are not installed.
const [miniSearch, porter] = ['minisearch', 'porter2'];
const { default: Class } = (await import(miniSearch)) as { default: MiniSearchClass };
const fromMemory = createRequire(new URL('../../packages/memory/package.json', import.meta.url));
const { stem } = fromMemory(porter) as { stem: (word: string) => string };

const corpora = readCorpora({ most: Number(values.most), seed: Number(values.seed) });
const asked = corpora.filter(({ language }) => values.language === undefined || language === values.language);
const results: Result[] = [];
for (const corpus of asked) {
  say(`${corpus.name}, ${corpus.language}: ${corpus.questions.length} questions`);
  const ranks = new Map(engines(Class, stem).map((engine) => [engine.name, ranksOf(engine, corpus)]));
  results.push({ corpus, ranks });
}
const command = `npm run bench -- retrieval ${process.argv.slice(2).join(' ')}`.trim();
const text = markdownOf(results, values.speed ? await measureSpeed(corpora) : undefined, command);
if (values.markdown === undefined) process.stdout.write(text);
else writeFileSync(resolve(values.markdown), text);
