/** Histories against a slow model: the store is an array of turns, and each manager sees it as of its last refresh. */
import assert from 'node:assert/strict';
import { openContexts } from '@cairn/context';
import type { ContextManager, ContextMode } from '@cairn/context';
import { createMemory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { turnOf, user } from './contexts.ts';

const AGENTS = ['a', 'b'];
const MODES: readonly ContextMode[] = ['isolated', 'shared', 'fork'];

type Step =
  | {
      readonly kind: 'message' | 'turn' | 'clear';
      readonly manager: number;
      readonly agent: string;
      readonly mode: ContextMode;
    }
  | { readonly kind: 'refresh' | 'reopen'; readonly manager: number };

const manager = fc.nat({ max: 2 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom('message' as const, 'turn' as const),
        manager,
        agent: fc.constantFrom(...AGENTS),
        mode: fc.constantFrom(...MODES),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('clear' as const),
        manager,
        agent: fc.constantFrom(...AGENTS),
        mode: fc.constantFrom(...MODES),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('refresh' as const, 'reopen' as const), manager }) },
  ),
  { maxLength: 40, size: 'max' },
);

/** The histories by their keys: the texts of their messages. */
type Histories = Map<string, string[]>;

function copyOf(histories: Histories): Histories {
  return new Map(Array.from(histories, ([key, texts]) => [key, [...texts]]));
}

const add = (histories: Histories, key: string, texts: readonly string[]): void => {
  histories.set(key, [...(histories.get(key) ?? []), ...texts]);
};

function textsOf(messages: readonly unknown[]): string[] {
  return messages.map((message) => JSON.stringify(message));
}

function seenBy(one: ContextManager): Record<string, string[]> {
  const own = AGENTS.map((agent) => [agent, textsOf(one.getContext(agent).conversationHistory)]);
  return Object.fromEntries([...own, ['main', textsOf(one.main.conversationHistory)]]) as Record<string, string[]>;
}

function expected(histories: Histories): Record<string, string[]> {
  return Object.fromEntries([...AGENTS, 'main'].map((key) => [key, histories.get(key) ?? []]));
}

async function check(store: () => ReturnType<typeof createMemory>, plan: readonly Step[]): Promise<void> {
  const memory = store();
  const open = (): Promise<ContextManager> => openContexts({ store: memory, session: 's' });
  const managers = await Promise.all([open(), open(), open()]);
  const stored: Histories = new Map();
  const views: Histories[] = managers.map(() => new Map());
  for (const [index, step] of plan.entries()) {
    const one = managers[step.manager] as ContextManager;
    const view = views[step.manager] as Histories;
    if (step.kind === 'refresh') await one.refresh();
    if (step.kind === 'reopen') managers[step.manager] = await open();
    if (!('mode' in step)) views[step.manager] = copyOf(stored);
    if ('mode' in step) {
      const key = step.mode === 'shared' ? 'main' : step.agent;
      if (step.kind === 'clear') {
        await one.clearHistory(step.agent, step.mode);
        stored.delete(key);
        view.delete(key);
      } else {
        const messages = step.kind === 'turn' ? turnOf(`${index}`) : [user(`${index}`)];
        await one.appendTurn(step.agent, messages, step.mode);
        add(stored, key, textsOf(messages));
        add(view, key, textsOf(messages));
      }
    }
    for (const [at, each] of managers.entries()) expect(seenBy(each)).toEqual(expected(views[at] as Histories));
  }
  expect(managers.flatMap(({ problems }) => problems)).toEqual([]);
}

test('histories are those of the model after each call', async () => {
  const property = fc.asyncProperty(steps, (plan) => check(() => createMemory({ backend: inProcess() }), plan));
  await fc.assert(property, { numRuns: 150 });
});

test('histories in a file are those of the model after each call', async () => {
  let runs = 0;
  const directory = temporaryDirectory();
  const property = fc.asyncProperty(steps, async (plan) => {
    runs += 1;
    const memory = createMemory({ backend: sqlite({ path: `${directory}/${runs}.db` }) });
    await check(() => memory, plan);
    await memory.close();
  });
  await fc.assert(property, { numRuns: 15 });
});

/** Calls that are not awaited, from several managers at once. */
test('concurrent calls leave whole turns, in the order of each manager, and every manager agrees at the end', async () => {
  const property = fc.asyncProperty(steps, async (plan) => {
    const memory = createMemory({ backend: inProcess() });
    const managers = await Promise.all([0, 1, 2].map(() => openContexts({ store: memory, session: 's' })));
    const calls: Promise<unknown>[] = [];
    const added = new Map<string, string[]>();
    for (const [index, step] of plan.entries()) {
      const one = managers[step.manager] as ContextManager;
      if (!('mode' in step)) calls.push(one.refresh());
      else if (step.kind === 'clear') calls.push(one.clearHistory(step.agent, step.mode));
      else {
        const turn = turnOf(`${step.manager} ${index}`);
        calls.push(one.appendTurn(step.agent, turn, step.mode));
        const key = step.mode === 'shared' ? 'main' : step.agent;
        added.set(key, [...(added.get(key) ?? []), `${step.manager} ${index}`]);
        // It is seen at once, last and whole.
        assert.deepEqual(one.getContext(step.agent, step.mode).conversationHistory.slice(-4), turn);
      }
      // Some calls are finished before the next ones.
      if (index % 7 === 6) await calls.at(-1);
    }
    await Promise.all(calls);
    await Promise.all(managers.map((one) => one.refresh()));
    const fresh = await openContexts({ store: memory, session: 's' });
    for (const one of managers) expect(seenBy(one)).toEqual(seenBy(fresh));
    for (const [key, texts] of Object.entries(seenBy(fresh))) {
      const names = texts
        .filter((_, index) => index % 4 === 0)
        .map((text) => (JSON.parse(text) as { content: string }).content);
      expect(texts).toEqual(textsOf(names.flatMap(turnOf)));
      const hasClear = plan.some(
        (step) => step.kind === 'clear' && (step.mode === 'shared' ? 'main' : step.agent) === key,
      );
      const ofKey = added.get(key) ?? [];
      if (!hasClear) assert.deepEqual(names.toSorted(), ofKey.toSorted());
      for (let index = 0; index < 3; index++) {
        const own = names.filter((name) => name.startsWith(`${index} `));
        // After a clear a part of them is left; their order stays.
        expect(own).toEqual(ofKey.filter((name) => own.includes(name)));
      }
    }
    expect(fresh.problems).toEqual([]);
  });
  await fc.assert(property, { numRuns: 150 });
});
