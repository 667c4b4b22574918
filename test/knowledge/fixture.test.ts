import { createKnowledge, importFiles, parseAsset } from '@cairn/knowledge';
import { readQuery, termsOf } from '@cairn/retrieval';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { fixtureAssets, fixtureDirectory } from './fixture/assets.ts';
import { questions } from './fixture/questions.ts';
import type { QuestionKind } from './fixture/questions.ts';

const assets = new Map(fixtureAssets().map(({ id, path, text }) => [id, parseAsset(text, { path })]));
const kinds: readonly QuestionKind[] = ['name', 'paraphrase', 'tag', 'body', 'absent'];

test('200 assets of eight types are in English and Chinese, each with its own text of 300 to 3,000 characters', () => {
  expect(assets.size).toBe(200);
  const bodies = [...assets.values()].map(({ body }) => body);
  expect(new Set(bodies).size).toBe(200);
  for (const body of bodies) {
    expect([...body].length, body).toBeGreaterThanOrEqual(300);
    expect([...body].length, body).toBeLessThanOrEqual(3000);
  }
  expect(new Set([...assets.values()].map(({ fields }) => fields.type)).size).toBe(8);
  expect(new Set([...assets.values()].map(({ fields }) => fields.productLine)).size).toBe(9);
  expect(bodies.filter((body) => /\p{Script=Han}{2}/u.test(body.slice(0, 200))).length).toBe(97);
});

test('no two assets share a sentence', () => {
  const seen = new Map<string, string>();
  for (const [id, { body }] of assets) {
    for (const sentence of new Set(body.split(/(?<=[.。；])\s*|\n/u).filter((part) => part.length >= 30))) {
      expect(seen.get(sentence), `${id}: ${sentence}`).toBeUndefined();
      seen.set(sentence, id);
    }
  }
});

test('each kind has 20 questions in each language, and 30 have no answer; half of each are held out', () => {
  expect(new Set(questions.map(({ query }) => query)).size).toBe(questions.length);
  for (const kind of kinds) {
    for (const language of ['en', 'zh'] as const) {
      const own = questions.filter((question) => question.kind === kind && question.language === language);
      const half = kind === 'absent' ? 15 : 10;
      expect(own.map(({ isHeldOut }) => isHeldOut)).toEqual(Array.from({ length: half * 2 }, (_, at) => at >= half));
      expect(own.every(({ wanted }) => wanted.length > 0 === (kind !== 'absent'))).toBe(true);
    }
  }
  for (const id of questions.flatMap(({ wanted }) => wanted)) expect(assets.has(id), id).toBe(true);
});

test('a question by tag names all assets that have the tags', () => {
  for (const { query, wanted } of questions.filter(({ kind }) => kind === 'tag')) {
    const words = [...termsOf(query)];
    const tagged = [...assets].filter(([, { fields }]) => {
      const own = new Set(fields.tags.flatMap((tag) => [...termsOf(tag)]));
      return fields.status === 'active' && words.every((word) => own.has(word));
    });
    const ids = tagged.map(([id]) => id);
    expect(ids, query).toEqual(wanted.toSorted());
  }
});

test('a question by the words of a body has no word of the name, the title and the tags', () => {
  for (const { query, wanted } of questions.filter(({ kind }) => kind === 'body')) {
    for (const id of wanted) {
      const { name = '', title = '', tags = [] } = assets.get(id)?.fields ?? {};
      const indexed = new Set(termsOf([name, title, ...tags].join('\n')));
      const units = readQuery(query).units.filter(({ terms }) => terms.some((term) => indexed.has(term)));
      expect(units, query).toEqual([]);
    }
  }
});

test('the folder is imported byte for byte and once, and the index counts what it does not list', async () => {
  await using knowledge = createKnowledge({ directory: temporaryDirectory() });
  const { store, index } = knowledge;
  const { added, problems } = await importFiles(fixtureDirectory, { store });
  expect(problems).toEqual([]);
  expect(new Map(added.map(({ id, text }) => [id, text]))).toEqual(
    new Map(fixtureAssets().map(({ id, text }) => [id, text])),
  );
  const again = await importFiles(fixtureDirectory, { store });
  expect([again.added.length, again.present.length]).toEqual([0, 200]);
  const { listed, total, omitted, warnings, text } = await index.document();
  expect({ listed, total, omitted, warnings }).toEqual({
    listed: 191,
    total: 200,
    omitted: { inactive: 2, skills: 7, otherLines: 0, more: 0 },
    warnings: [],
  });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20 * 1024);
  const bare = text.split('\n').filter((line) => /^[^|\n]+(?:\|[^|]+){3}\|\|[01]$/u.test(line));
  // As many as the index states; the first ones keep their tags.
  expect(text).toContain(`The tags of the last ${bare.length} lines are left out`);
  expect(bare.length).toBeLessThan(100);
  const shorter = await index.document({ maxAssets: 100 });
  expect(Buffer.byteLength(shorter.text)).toBeLessThanOrEqual(15 * 1024);
  expect(shorter.text).not.toContain('left out');
});
