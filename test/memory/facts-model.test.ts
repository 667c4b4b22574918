/** Random calls on facts, compared with a slow model that keeps every state whole. */
import assert from 'node:assert/strict';
import type { Fact, Facts } from '@cairn/memory';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useBackends } from './backends.ts';
import { failureOf, kinds, openFacts } from './facts-harness.ts';

useBackends();

interface State {
  readonly text: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly supersededBy?: ModelFact;
  readonly archived: boolean;
}

class ModelFact {
  id = '';
  readonly project: string | undefined;
  readonly stream: string;
  readonly supersedes: ModelFact | undefined;
  /** The last one is the present state. */
  readonly states: State[];
  /** The place of the state that the present one repeats. */
  cursor = 0;

  constructor(place: { project: string | undefined; stream: string }, state: State, supersedes?: ModelFact) {
    this.project = place.project;
    this.stream = place.stream;
    this.states = [state];
    this.supersedes = supersedes;
  }

  get state(): State {
    const state = this.states.at(-1);
    if (state === undefined) throw new Error('a fact has a state');
    return state;
  }

  get isActive(): boolean {
    return !this.state.archived && this.state.supersededBy === undefined;
  }

  push(changes: Partial<State>): void {
    const next = { ...this.state, ...changes };
    if (JSON.stringify(plain(next)) === JSON.stringify(plain(this.state))) return;
    this.states.push(next);
    this.cursor = this.states.length - 1;
  }
}

const plain = ({ supersededBy, ...state }: State): unknown => ({ ...state, by: supersededBy?.id });
const fold = (text: string): string => text.toLowerCase().replace('.', '');
/** The facts that must not have equal texts. Those of the default stream are for all streams. */
const readersOf = ({ project, stream }: ModelFact): string => JSON.stringify([project, stream]);

class Model {
  readonly facts: ModelFact[] = [];

  /** The facts that a fact superseded, directly or through others. */
  olderThan(fact: ModelFact): ModelFact[] {
    const isOlder = (one: ModelFact, seen: readonly ModelFact[] = []): boolean => {
      const next = one.state.supersededBy;
      if (next === undefined || seen.includes(one)) return false;
      // The chain ends at a fact that was forgotten.
      return next === fact || (this.facts.includes(next) && isOlder(next, [...seen, one]));
    };
    return this.facts.filter((one) => one !== fact && isOlder(one));
  }

  /** The active fact at the end of the chain of those that superseded a fact. A fact that was forgotten ends the chain. */
  newestAfter(fact: ModelFact): ModelFact | undefined {
    let next = fact.state.supersededBy;
    while (next !== undefined && this.facts.includes(next) && !next.isActive) next = next.state.supersededBy;
    return next !== undefined && this.facts.includes(next) ? next : undefined;
  }

  equal(text: string, like: ModelFact, except: readonly ModelFact[] = [like]): ModelFact | undefined {
    return this.facts.find(
      (fact) =>
        fact.isActive &&
        !except.includes(fact) &&
        readersOf(fact) === readersOf(like) &&
        fold(fact.state.text) === fold(text),
    );
  }
}

const TEXTS = ['alpha', 'Alpha.', 'beta', 'BETA', 'gamma', 'delta 1', 'delta 2'];
const PROJECTS = ['/a', '/b'];

const place = fc.record({
  project: fc.constantFrom(...PROJECTS),
  scope: fc.constantFrom('project' as const, 'user' as const),
  stream: fc.constantFrom('agent', 'desktop'),
});
const text = fc.constantFrom(...TEXTS);
const tags = fc.subarray(['x', 'y', 'z']);
const which = fc.nat(30);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ did: fc.constant('remember' as const), text, tags, place }) },
  {
    weight: 3,
    arbitrary: fc.record({
      did: fc.constant('update' as const),
      which,
      text,
      tags: fc.option(tags),
      pinned: fc.option(fc.boolean()),
    }),
  },
  { weight: 2, arbitrary: fc.record({ did: fc.constant('supersede' as const), which, text }) },
  { weight: 2, arbitrary: fc.record({ did: fc.constant('archive' as const), which }) },
  { weight: 3, arbitrary: fc.record({ did: fc.constant('restore' as const), which }) },
  { weight: 1, arbitrary: fc.record({ did: fc.constant('forget' as const), which }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Returns the code of the failure of a call, or its result. */
async function outcomeOf(call: Promise<Fact>): Promise<string> {
  return call.then(
    () => 'done',
    async (error: unknown) => (await failureOf(Promise.reject(error))).code,
  );
}

/** Makes a change in the model. @returns the expected outcome */
function expectedOf(
  model: Model,
  fact: ModelFact,
  one: Exclude<Step, { did: 'remember' | 'forget' }>,
  next: ModelFact,
): string {
  if ((one.did === 'update' || one.did === 'supersede') && !fact.isActive) return 'FACT_ARCHIVED';
  switch (one.did) {
    case 'update':
      if (model.equal(one.text, fact) !== undefined) return 'FACT_EXISTS';
      fact.push({
        text: one.text,
        ...(one.tags !== null && { tags: one.tags }),
        ...(one.pinned !== null && { pinned: one.pinned }),
      });
      return 'done';
    case 'supersede':
      if (model.equal(one.text, fact) !== undefined) return 'FACT_EXISTS';
      model.facts.push(next);
      fact.push({ supersededBy: next });
      return 'done';
    case 'archive':
      if (fact.isActive) fact.push({ archived: true });
      return 'done';
    case 'restore': {
      if (fact.cursor === 0) return 'NOTHING_TO_RESTORE';
      const cursor = fact.cursor - 1;
      const target = fact.states[cursor];
      if (target === undefined) throw new Error('the cursor is at a state');
      const successor = target.supersededBy === undefined ? model.newestAfter(fact) : undefined;
      const isActive = !target.archived && target.supersededBy === undefined;
      const except = successor === undefined ? [fact] : [fact, successor];
      if (isActive && model.equal(target.text, fact, except) !== undefined) return 'FACT_EXISTS';
      successor?.push({ archived: true });
      fact.push({ ...target, supersededBy: target.supersededBy as ModelFact });
      fact.cursor = cursor;
      return 'done';
    }
  }
}

async function run(facts: Facts, model: Model, one: Step): Promise<void> {
  if (one.did === 'remember') {
    const { scope, stream } = one.place;
    const project = scope === 'user' ? undefined : one.place.project;
    const added = new ModelFact(
      { project, stream },
      { text: one.text, tags: one.tags, pinned: false, archived: false },
    );
    const shared = new ModelFact({ project, stream: 'agent' }, added.state);
    const equal = model.equal(one.text, shared) ?? model.equal(one.text, added);
    const { fact, isNew } = await facts.remember(one.text, { ...one.place, tags: one.tags });
    assert.equal(isNew, equal === undefined);
    if (equal === undefined) {
      added.id = fact.id;
      model.facts.push(added);
    } else {
      assert.equal(fact.id, equal.id);
      equal.push({ tags: [...new Set([...equal.state.tags, ...one.tags])] });
    }
    return;
  }
  const fact = model.facts[one.which % Math.max(1, model.facts.length)];
  if (fact === undefined) return;
  const { id } = fact;
  const project = fact.project ?? '/a';
  const other = fact.project === undefined ? undefined : PROJECTS.find((name) => name !== fact.project);
  if (other !== undefined) assert.equal(await outcomeOf(facts.get(id, { project: other })), 'UNKNOWN_FACT');
  if (one.did === 'forget') {
    const { forgotten, superseded = [] } = await facts.forget(id, { project });
    assert.equal(forgotten, true);
    const older = model.olderThan(fact);
    const texts = new Set(fact.states.map((state) => fold(state.text)));
    const gone = [fact, ...older.filter(({ state }) => texts.has(fold(state.text)))];
    assert.deepEqual(new Set(superseded), new Set(older.filter((one) => !gone.includes(one)).map((one) => one.id)));
    for (const one of gone) model.facts.splice(model.facts.indexOf(one), 1);
    return;
  }
  let result: Fact | undefined;
  const call = async (): Promise<Fact> => {
    if (one.did === 'update') {
      result = await facts.update(id, {
        text: one.text,
        tags: one.tags ?? undefined,
        pinned: one.pinned ?? undefined,
        project,
      });
    } else if (one.did === 'supersede') result = await facts.supersede(id, one.text, { project });
    else result = await facts[one.did](id, { project });
    return result;
  };
  const { tags: own, pinned } = fact.state;
  const newText = 'text' in one ? one.text : '';
  const next = new ModelFact(fact, { text: newText, tags: own, pinned, archived: false }, fact);
  const outcome = await outcomeOf(call());
  if (one.did === 'supersede' && result !== undefined) next.id = result.id;
  assert.equal(outcome, expectedOf(model, fact, one, next));
}

function shown({ id, state, stream, project, supersedes }: ModelFact): unknown {
  return {
    id,
    text: state.text,
    tags: state.tags,
    pinned: state.pinned,
    stream,
    project,
    archived: state.archived,
    supersedes: supersedes?.id,
    supersededBy: state.supersededBy?.id,
  };
}

async function check(facts: Facts, model: Model): Promise<void> {
  const found = new Map<string, Fact>();
  for (const project of PROJECTS) {
    for (const archived of [false, true]) {
      const page = await facts.list({ project, archived, allStreams: true, limit: Infinity });
      const times = page.facts.map(({ updatedAt }) => updatedAt);
      expect(times).toEqual(times.toSorted((left, right) => right - left));
      for (const fact of page.facts) found.set(fact.id, fact);
    }
    for (const stream of ['agent', 'desktop', 'chat']) {
      const expected = model.facts.filter(
        (fact) =>
          fact.isActive && [undefined, project].includes(fact.project) && ['agent', stream].includes(fact.stream),
      );
      const listed = await facts.list({ project, stream, limit: Infinity });
      expect(new Set(listed.facts.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)));
      const recalled = await facts.recall({ query: 'alpha', project, stream, limit: 100 });
      const texts = expected.filter(({ state }) => fold(state.text) === 'alpha');
      const strong = recalled.facts.filter(({ matched }) => matched.length > 0);
      expect(new Set(strong.map(({ id }) => id))).toEqual(new Set(texts.map(({ id }) => id)));
    }
  }
  const actual = Array.from(found.values(), (fact) => ({
    id: fact.id,
    text: fact.text,
    tags: fact.tags,
    pinned: fact.pinned === true,
    stream: fact.stream ?? 'agent',
    project: fact.project,
    archived: fact.archivedAt !== undefined,
    supersedes: fact.supersedes,
    supersededBy: fact.supersededBy,
  }));
  const byId = (left: { id: string }, right: { id: string }): number => (left.id < right.id ? -1 : 1);
  expect(actual.toSorted(byId)).toEqual(model.facts.toSorted(byId).map(shown));
}

const RUNS: Readonly<Record<string, number>> = { memory: 150, sqlite: 15, redis: 8 };

describe.each(kinds)('facts in $name', (kind) => {
  test('are as in a model that keeps every state, whatever is called', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const { facts, memory } = await openFacts(kind, { project: undefined });
        const model = new Model();
        for (const one of steps) await run(facts, model, one);
        await check(facts, model);
        await memory.close();
      }),
      { numRuns: Number(process.env['CAIRN_MEMORY_MODEL_RUNS'] ?? RUNS[kind.name]) },
    );
  }, 120_000);
});
