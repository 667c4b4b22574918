import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, useBackends } from '../memory/backends.ts';
import { facts } from './facts.ts';
import { questions } from './questions.ts';

useBackends();

describe.each(backendKinds)('facts on $name', (kind) => {
  test.skipIf(kind.isSkipped)('questions are answered, and what may be no answer is marked', async () => {
    const { memory } = await openMemory(kind);
    const textOf = new Map(facts);
    for (const [, text] of facts) await memory.facts.remember(text, { project: 'lantern' });
    const counts = { found: 0, answered: 0, falselyAnswered: 0 };
    for (const { query, wanted, isHeldOut } of questions) {
      if (isHeldOut) continue;
      const recalled = await memory.facts.recall({ query, project: 'lantern' });
      const texts = wanted.map((id) => textOf.get(id));
      const right = recalled.facts.filter(({ text }) => texts.includes(text));
      if (right.length > 0) counts.found++;
      if (right.some(({ isSimilar }) => isSimilar !== true)) counts.answered++;
      if (wanted.length === 0 && recalled.facts.some(({ isSimilar }) => isSimilar !== true)) counts.falselyAnswered++;
    }
    expect(counts).toEqual({ found: 87, answered: 65, falselyAnswered: 5 });
  });
});
