/** Documentation that packages carry, as questions with known answers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { draw, seeded } from '../lib/random.ts';
import { languageOf, sectionsOf } from './sections.ts';
import type { Language, Section } from './sections.ts';

/** The text of a section, under its number. */
export interface Document {
  readonly id: string;
  readonly text: string;
}

/** A heading, and the only section that has it. */
interface Question {
  readonly query: string;
  readonly wanted: string;
}

export interface Corpus {
  readonly name: string;
  readonly language: Language;
  readonly documents: readonly Document[];
  readonly questions: readonly Question[];
  /** Whether the scheme was chosen by its figures; the others were only measured. */
  readonly isTuned: boolean;
}

interface Source {
  /** A package, or `cairn`, this repository. */
  readonly name: string;
  readonly languages: readonly Language[];
  /** Below the package; by default all of it. */
  readonly under?: string;
  /** Of packages that carry the same text many times. */
  readonly only?: RegExp;
  readonly tuned?: readonly Language[];
}

const sources: readonly Source[] = [
  { name: 'ecc-universal', languages: ['zh'], under: 'docs/zh-CN', tuned: ['zh'] },
  { name: 'novel-writer-cn', languages: ['zh'], only: /^(?:plugins|dist\/claude|docs)\// },
  { name: 'openclaw-cn', languages: ['zh', 'en'], tuned: ['en'] },
  { name: 'antd-mini', languages: ['zh', 'en'] },
  { name: 'fastify', languages: ['en'], tuned: ['en'] },
  { name: 'npm', languages: ['en'], under: 'docs' },
  { name: 'undici', languages: ['en'] },
  { name: 'cairn', languages: ['en'], only: /^(?:README|ARCHITECTURE|CONTRIBUTING|RELEASING)\.md$/ },
];

/** Lists of changes and licences are not documentation. */
const noise = /changelog|license|node_modules/i;

function markdownBelow(directory: string, only: RegExp | undefined): string[] {
  // The repository is large, and what is wanted of it lies at the top.
  const recursive = !directory.endsWith('../../');
  const names = readdirSync(directory, { recursive, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return names
    .filter((name) => !noise.test(name) && (only?.test(name) ?? true))
    .toSorted()
    .map((name) => readFileSync(join(directory, name), 'utf8'));
}

function corpusOf(source: Source, language: Language, all: readonly Section[]): Corpus {
  const bodies = new Map(all.filter((section) => languageOf(section) === language).map((one) => [one.body, one]));
  const sections = [...bodies.values()];
  const times = new Map<string, number>();
  for (const { heading } of sections) times.set(heading.toLowerCase(), (times.get(heading.toLowerCase()) ?? 0) + 1);
  const questions = sections.flatMap(({ heading }, index) =>
    times.get(heading.toLowerCase()) === 1 ? { query: heading, wanted: `${index}` } : [],
  );
  return {
    name: source.name,
    language,
    documents: sections.map(({ body }, index) => ({ id: `${index}`, text: body })),
    questions,
    isTuned: source.tuned?.includes(language) ?? false,
  };
}

/** Every corpus with at most N questions of each, drawn by the seed. */
export function readCorpora({ most, seed }: { most: number; seed: number }): Corpus[] {
  return sources.flatMap((source) => {
    const path = source.name === 'cairn' ? '../../' : `../node_modules/${source.name}/`;
    const directory = fileURLToPath(new URL(path, import.meta.url));
    const all = markdownBelow(directory + (source.under ?? ''), source.only).flatMap(sectionsOf);
    return source.languages.map((language) => {
      const corpus = corpusOf(source, language, all);
      return { ...corpus, questions: draw(corpus.questions, most, seeded(seed)) };
    });
  });
}

/** The version of a package that is read or compared with. */
export function versionOf(name: string): string {
  const path = name === 'cairn' ? '../../packages/memory/package.json' : `../node_modules/${name}/package.json`;
  return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version;
}
