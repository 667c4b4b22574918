/** Facts that disagree are shown newest first, and every answer reports it. */
import type { Memory } from '@cairn/memory';
import { memoryParts } from '@cairn/memory/internal';
import { describe, expect, test } from 'vitest';
import { useBackends } from './backends.ts';
import { kinds, openFacts, textsOf } from './facts-harness.ts';

useBackends();

describe.each(kinds)('facts that disagree in $name', (kind) => {
  test.each([
    [
      'The API timeout of the gateway is 30 seconds',
      'The API timeout of the gateway is 60 seconds',
      'API gateway timeout 30 seconds',
    ],
    ['部署使用 Kubernetes 集群', '部署不再使用 Kubernetes 集群', '部署使用 Kubernetes'],
  ])('%s: the newer one comes first, and both are marked', async (old, current, query) => {
    const { facts } = await openFacts(kind);
    const first = await facts.remember(old);
    expect(first.disagreesWith).toBeUndefined();
    for (let index = 0; index < 5; index++)
      await facts.remember(`The dashboard ${index} shows the gateway of team ${index}`);
    const second = await facts.remember(current);
    expect(second.disagreesWith).toEqual([first.fact.id]);
    expect(textsOf(second.similar)[0]).toBe(old);
    const { facts: found } = await facts.recall({ query });
    expect(textsOf(found).slice(0, 2)).toEqual([current, old]);
    expect(found.slice(0, 2).map(({ disagreesWith }) => disagreesWith)).toEqual([[first.fact.id], [second.fact.id]]);
    for (const { disagreesWith } of found.slice(2)) expect(disagreesWith).toBeUndefined();
    // Pages have the same order.
    const pages = [];
    for (let offset = 0; offset < found.length; offset++) {
      pages.push(...(await facts.recall({ query, limit: 1, offset })).facts);
    }
    expect(pages).toEqual(found);
    // The one that is forgotten or superseded disagrees with nothing.
    await facts.forget(first.fact.id);
    expect((await facts.recall({ query })).facts[0]).not.toHaveProperty('disagreesWith');
  });

  test('a fact that supersedes another does not disagree with it', async () => {
    const { facts } = await openFacts(kind);
    const { fact } = await facts.remember('Builds of the shop use npm');
    await facts.supersede(fact.id, 'Builds of the shop use pnpm');
    const { facts: found } = await facts.recall({ query: 'builds of the shop' });
    expect(found.map(({ text, disagreesWith }) => [text, disagreesWith])).toEqual([
      ['Builds of the shop use pnpm', undefined],
    ]);
  });

  test('of three that disagree in turn, the newest comes first', async () => {
    const { facts } = await openFacts(kind);
    const texts = ['30', '60', '90'].map((seconds) => `The timeout of the gateway is ${seconds} seconds`);
    for (const text of texts) await facts.remember(text);
    const { facts: found } = await facts.recall({ query: 'timeout of the gateway 30 seconds' });
    const marked = found.filter(({ isSimilar }) => isSimilar !== true);
    expect(textsOf(marked)).toEqual(texts.toReversed().filter((text) => textsOf(marked).includes(text)));
  });
});

/** Returns the notices of a recall with these facts. */
async function noticesOf(shown: readonly { readonly id: string; readonly updatedAt: number }[]) {
  const ids = ['fact_old', 'fact_new'];
  const facts = shown.map((fact) => ({
    ...fact,
    text: '',
    tags: [],
    disagreesWith: ids.filter((id) => id !== fact.id),
  }));
  const recall = { recall: () => Promise.resolve({ facts, searched: 2, hasMore: false }) };
  const memory = { facts: recall, project: 'p', backend: {} } as unknown as Memory;
  const [part] = memoryParts({ open: () => Promise.resolve(memory) });
  return (await part?.find({ query: 'x', limit: 5, scope: 'user' }))?.notices;
}

test.each([
  [
    'in order of time, although the newer one comes second because it is only similar',
    [
      { id: 'fact_old', updatedAt: 1 },
      { id: 'fact_new', updatedAt: 2 },
    ],
    "These facts seem to disagree, from the last changed to the first: fact_new, fact_old. 'cairn memory forget <id>' erases what no longer holds.",
  ],
  [
    'without an order, when one of them is on another page',
    [{ id: 'fact_old', updatedAt: 1 }],
    "The fact fact_old seems to disagree with fact_new, not shown here. 'cairn memory forget <id>' erases what no longer holds.",
  ],
])('recall names facts that disagree %s', async (_, shown, message) => {
  expect(await noticesOf(shown)).toEqual([{ code: 'FACTS_DISAGREE', message }]);
});
