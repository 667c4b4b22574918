/**
 * How well does an agent find what a team knows, and what does it cost?
 *
 *     npm run bench -- knowledge [--most 600] [--seed 1] [--no-tokens] [--no-headings] [--no-speed] [--markdown bench/KNOWLEDGE.md]
 *
 * The assets and questions are in `test/knowledge/fixture`. Half of the questions are held out: no rule was chosen by their result.
 * The headings are those of `bench/retrieval`: documentation of packages, by name and version.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, cpus, release, tmpdir, type } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openFixture } from '../../test/knowledge/measure.ts';
import { say } from '../lib/progress.ts';
import { readCorpora, versionOf } from '../retrieval/corpora.ts';
import { engines } from '../retrieval/engines.ts';
import type { MiniSearchClass } from '../retrieval/engines.ts';
import { compareAsked } from './asked.ts';
import { compareEngines, layersByKind } from './fixture.ts';
import { compareHeadings } from './headings.ts';
import { measureSizes } from './sizes.ts';
import { measureSpeed } from './speed.ts';
import {
  aboutAsked,
  aboutHeadings,
  aboutKinds,
  aboutQuestions,
  aboutSizes,
  aboutSpeed,
  aboutTokens,
  titles,
} from './texts.ts';
import { compareTokens } from './tokens.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    most: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    tokens: { type: 'boolean', default: true },
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

const command = `npm run bench -- knowledge ${process.argv.slice(2).join(' ')}`.trim();
const corpora = readCorpora({ most: Number(values.most), seed: Number(values.seed) });
const packages = [...new Set(corpora.map(({ name }) => name))].filter((name) => name !== 'cairn');
const versions = [...packages, 'minisearch'].map((name) => `${name} ${versionOf(name)}`).join(', ');
const parts = [
  '# Retrieval of knowledge',
  [
    `- Date: ${new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)}`,
    `- ${cpus()[0]?.model ?? 'unknown'}, ${type()} ${release()} ${arch()}, Node ${process.versions.node}, SQLite ${process.versions['sqlite'] ?? '?'}`,
    `- ${versions}`,
    `- Command: \`${command}\``,
  ].join('\n'),
  '## Questions about 200 assets',
  aboutQuestions,
];

const directory = mkdtempSync(join(tmpdir(), 'cairn-knowledge-'));
try {
  const knowledge = await openFixture(join(directory, 'fixture'));
  for (const half of ['held-out', 'tuning'] as const) {
    if (!values.half.includes(half)) continue;
    say(`questions, ${half}`);
    parts.push(titles[half], await compareEngines(knowledge, { half, others }), aboutKinds);
    parts.push(await layersByKind(knowledge, half));
  }
  parts.push('## Questions as people ask them', aboutAsked);
  for (const half of ['held-out', 'tuning'] as const) {
    if (values.half.includes(half)) parts.push(titles[half], await compareAsked(knowledge, { half, others }));
  }
  if (values.tokens) {
    say('tokens and sizes');
    parts.push('## Tokens', aboutTokens, await compareTokens(knowledge));
    parts.push(aboutSizes, await measureSizes(knowledge, join(directory, 'sizes')));
  }
  await knowledge.close();
  if (values.headings) {
    parts.push('## Headings as questions', aboutHeadings);
    for (const [language, name] of [
      ['zh', 'Chinese'],
      ['en', 'English'],
    ] as const) {
      for (const isTuned of [false, true]) {
        const own = corpora.filter((corpus) => corpus.language === language && corpus.isTuned === isTuned);
        const count = own.reduce((sum, { questions }) => sum + questions.length, 0);
        say(`headings, ${name}, ${count} questions`);
        const used = isTuned ? 'used' : 'not used';
        parts.push(`${name}, documentation that was ${used} to choose the scheme, ${count} questions:`);
        parts.push(await compareHeadings(own, { others, directory }));
      }
    }
  }
  if (values.speed) {
    say('speed');
    parts.push('## Speed', aboutSpeed, await measureSpeed(corpora, join(directory, 'many')));
  }
} finally {
  rmSync(directory, { recursive: true });
}
const text = `${parts.join('\n\n')}\n`;
if (values.markdown === undefined) process.stdout.write(text);
else writeFileSync(resolve(values.markdown), text);
