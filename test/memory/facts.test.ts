import { createMemory, MemoryError } from '@cairn/memory';
import type { Facts, MemoryBackend } from '@cairn/memory';
import { describe, expect, test } from 'vitest';
import { START_MS, useBackends } from './backends.ts';
import { DAY, failureOf, KEY, kinds, openFacts, PROJECT, textsIn, textsOf } from './facts-harness.ts';

useBackends();

/** A key of a form that its issuer documents, in two parts, so that no scanner takes this file for a leak. */
const AWS_KEY = `AKIA${'IOSFODNN7ABCDEFG'}`;

/** A store in which another program wrote something else under a key. */
function withForeignKey(backend: MemoryBackend, foreign: string): MemoryBackend {
  const guarded =
    <Rest extends readonly unknown[], Result>(call: (key: string, ...rest: Rest) => Promise<Result>) =>
    async (key: string, ...rest: Rest): Promise<Result> => {
      if (key !== foreign) return call(key, ...rest);
      throw new MemoryError('CORRUPT_RECORD', [`another program wrote ${key}`, 'Delete it.'], { key });
    };
  return {
    ...backend,
    rows: guarded(backend.rows),
    page: guarded(backend.page),
    postings: guarded(backend.postings),
    change: guarded(backend.change),
  };
}

describe.each(kinds)('facts in $name', (kind) => {
  test('a fact has all its fields, and is found by its id', async () => {
    const { facts } = await openFacts(kind);
    const { fact, isNew, similar } = await facts.remember('  The tests need redis-server.\n', {
      tags: ['test', ' Redis ', 'redis'],
      source: 'README.md',
      pinned: true,
    });
    expect(fact).toMatchObject({
      id: expect.stringMatching(/^fact_[0-9a-z]{12}$/u) as string,
      text: 'The tests need redis-server.',
      scope: 'project',
      project: PROJECT,
      shared: true,
      tags: ['test', 'Redis'],
      source: 'README.md',
      pinned: true,
    });
    expect(fact.createdAt).toBe(fact.updatedAt);
    expect({ isNew, similar }).toEqual({ isNew: true, similar: [] });
    expect(await facts.get(fact.id)).toEqual(fact);
    expect(await textsIn(facts)).toEqual([fact.text]);
  });

  test('no count and no age removes a fact', async () => {
    const { facts, advance, memory } = await openFacts(kind);
    for (let index = 0; index < 120; index++) await facts.remember(`fact number ${index}`);
    await memory.messages.add({ stream: 's', group: 'g' }, { content: 'a message' });
    for (let year = 0; year < 3; year++) {
      await advance(365 * DAY);
      await memory.messages.add({ stream: 's', group: 'g' }, { content: 'a message' });
      await advance(2 * DAY);
      await facts.remember(`fact of year ${year}`);
    }
    const { total } = await facts.list();
    expect(total).toBe(123);
    expect((await facts.recall({ query: 'number 77' })).facts[0]?.text).toBe('fact number 77');
  });

  test('an equal text is the same fact, whatever its case, width, whitespace and final punctuation', async () => {
    const { facts } = await openFacts(kind);
    const { fact } = await facts.remember('Builds use PNPM 10.', { tags: ['build'] });
    for (const text of ['builds use pnpm 10', 'Builds  use\npnpm 10!', 'Ｂuilds use pnpm １０。']) {
      expect(await facts.remember(text)).toEqual({ fact, isNew: false, similar: [] });
    }
    const again = await facts.remember('BUILDS USE PNPM 10', { tags: ['Build', 'tools'], pinned: true });
    expect(again).toMatchObject({ isNew: false, fact: { id: fact.id, tags: ['build', 'tools'], pinned: true } });
    expect(again.fact.text).toBe(fact.text);
    expect(await textsIn(facts)).toEqual([fact.text]);
  });

  test('another text is stored, with up to three similar facts in the answer', async () => {
    const { facts } = await openFacts(kind);
    for (const place of ['root', 'server', 'client', 'editor']) {
      await facts.remember(`the ${place} config file is kept in the config directory`);
    }
    await facts.remember('weather is nice');
    const { isNew, similar } = await facts.remember('the server config file is kept in etc');
    expect(isNew).toBe(true);
    expect(similar).toHaveLength(3);
    expect(similar[0]?.text).toBe('the server config file is kept in the config directory');
    expect(await textsIn(facts)).toHaveLength(6);
  });

  test('the facts of a project are not known to another one, those of the user are', async () => {
    const { facts } = await openFacts(kind);
    const { fact } = await facts.remember('the port is 8080');
    const { fact: own } = await facts.remember('call me master', { scope: 'user' });
    expect(own).toMatchObject({ scope: 'user' });
    expect(own.project).toBeUndefined();
    const project = '/home/user/other';
    expect(await textsIn(facts)).toEqual(['call me master', 'the port is 8080']);
    expect(await textsIn(facts, { project })).toEqual(['call me master']);
    expect(await textsIn(facts, { scope: 'project' })).toEqual(['the port is 8080']);
    expect(await textsIn(facts, { scope: 'user' })).toEqual(['call me master']);
    expect((await facts.recall({ query: 'port', project })).facts).toEqual([]);
    expect((await facts.recall({ query: 'port master' })).facts.map(({ scope }) => scope).toSorted()).toEqual([
      'project',
      'user',
    ]);
    expect(await facts.get(own.id, { project })).toEqual(own);
    for (const call of [
      facts.get(fact.id, { project }),
      facts.history(fact.id, { project }),
      facts.update(fact.id, { text: 'x', project }),
      facts.supersede(fact.id, 'x', { project }),
      facts.archive(fact.id, { project }),
      facts.restore(fact.id, { project }),
    ]) {
      const { code, message } = await failureOf(call);
      expect(code).toBe('UNKNOWN_FACT');
      expect(message).not.toContain('8080');
    }
    expect(await facts.forget(fact.id, { project })).toMatchObject({ forgotten: false });
    expect(await facts.get(fact.id)).toEqual(fact);
    expect((await facts.remember('the port is 8080', { project })).isNew).toBe(true);
    expect(await facts.projects()).toEqual([
      { project, facts: 1 },
      { project: PROJECT, facts: 1 },
    ]);
  });

  test('a memory without a project has the facts of the user, and asks for a project', async () => {
    const { facts } = await openFacts(kind, { project: undefined });
    expect(await failureOf(facts.remember('a'))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await failureOf(facts.list({ scope: 'project' }))).toMatchObject({ code: 'INVALID_INPUT' });
    await facts.remember('a', { scope: 'user' });
    await facts.remember('b', { project: PROJECT });
    expect(await textsIn(facts)).toEqual(['a']);
    expect(await textsIn(facts, { project: PROJECT })).toEqual(['b', 'a']);
  });

  test('a named stream keeps its facts, unless they are shared', async () => {
    const { facts } = await openFacts(kind);
    const { fact } = await facts.remember('call me master', { stream: 'desktop' });
    expect(fact).toMatchObject({ stream: 'desktop' });
    expect(fact.shared).toBeUndefined();
    await facts.remember('the master branch is main', { stream: 'desktop', shared: true });
    await facts.remember('the master key is in the safe');
    const recalled = async (stream?: string): Promise<string[]> =>
      textsOf((await facts.recall({ query: 'master', stream })).facts).toSorted();
    expect(await recalled('desktop')).toHaveLength(3);
    expect(await recalled('chat')).toEqual(['the master branch is main', 'the master key is in the safe']);
    expect(await recalled()).toEqual(await recalled('chat'));
    expect(await textsIn(facts, { stream: 'chat' })).toHaveLength(2);
    expect(await textsIn(facts, { allStreams: true })).toHaveLength(3);
    // Another stream has its own fact with the text, and learns nothing of the first one.
    const other = await facts.remember('call me master', { stream: 'chat' });
    expect(other.isNew).toBe(true);
    expect(other.similar.map(({ id }) => id)).not.toContain(fact.id);
    // A stream that recalls a shared fact does not get a second one.
    expect((await facts.remember('The master branch is MAIN', { stream: 'chat' })).isNew).toBe(false);
    expect(await facts.update(fact.id, { shared: true })).toMatchObject({ shared: true });
    expect(await recalled('terminal')).toContain('call me master');
  });

  test('an update keeps the id, and the earlier version can be restored for 30 days', async () => {
    const { facts, advance } = await openFacts(kind);
    const { fact } = await facts.remember('the port is 8080', { tags: ['net'] });
    await advance(1000);
    const updated = await facts.update(fact.id, { text: 'the port is 9090', tags: ['net', 'server'] });
    expect(updated).toEqual({
      ...fact,
      text: 'the port is 9090',
      tags: ['net', 'server'],
      updatedAt: updated.updatedAt,
    });
    await facts.update(fact.id, { text: 'the port is 7070' });
    expect((await facts.recall({ query: '8080' })).facts).toEqual([]);
    expect((await facts.history(fact.id)).map(({ text, by }) => [text, by])).toEqual([
      ['the port is 9090', 'update'],
      ['the port is 8080', 'update'],
    ]);
    await advance(20 * DAY);
    expect(await facts.restore(fact.id)).toMatchObject({ text: 'the port is 9090', tags: ['net', 'server'] });
    expect(await facts.restore(fact.id)).toMatchObject({ text: 'the port is 8080', tags: ['net'] });
    expect(await failureOf(facts.restore(fact.id))).toMatchObject({ code: 'NOTHING_TO_RESTORE' });
    expect(await facts.restore(fact.id, { revision: 3 })).toMatchObject({ text: 'the port is 7070' });
    expect((await facts.recall({ query: '7070' })).facts).toHaveLength(1);
  });

  test('after 30 days a version cannot be restored, and a later write removes it', async () => {
    const { facts, advance, backend } = await openFacts(kind);
    const { fact } = await facts.remember('the first text');
    await facts.update(fact.id, { text: 'the second text' });
    await advance(30 * DAY - 1000);
    await facts.update(fact.id, { text: 'the third text' });
    await advance(2000);
    expect(await failureOf(facts.restore(fact.id, { revision: 1 }))).toMatchObject({ code: 'RESTORE_EXPIRED' });
    const [row] = await backend.rows(KEY, [fact.id]);
    expect(row?.text).toContain('the first text');
    expect(await facts.restore(fact.id)).toMatchObject({ text: 'the second text' });
  });

  test('an archived fact is kept and listed apart, and can be restored', async () => {
    const { facts, advance } = await openFacts(kind);
    const { fact } = await facts.remember('the old rule');
    expect(await facts.archive(fact.id)).toMatchObject({ archivedAt: expect.any(Number) as number });
    expect(await textsIn(facts)).toEqual([]);
    expect(await textsIn(facts, { archived: true })).toEqual(['the old rule']);
    expect((await facts.recall({ query: 'rule' })).facts).toEqual([]);
    expect(await failureOf(facts.update(fact.id, { text: 'x' }))).toMatchObject({ code: 'FACT_ARCHIVED' });
    expect((await facts.restore(fact.id)).archivedAt).toBeUndefined();
    expect(await textsIn(facts)).toEqual(['the old rule']);
    await facts.archive(fact.id);
    // The text is free for a new fact, and two active facts never have one text.
    const { fact: other, isNew } = await facts.remember('The old rule.');
    expect(isNew).toBe(true);
    expect(await failureOf(facts.restore(fact.id))).toMatchObject({
      code: 'FACT_EXISTS',
      message: expect.stringContaining(other.id) as string,
    });
    await facts.forget(other.id);
    await advance(31 * DAY);
    expect(await failureOf(facts.restore(fact.id))).toMatchObject({ code: 'RESTORE_EXPIRED' });
    expect(await textsIn(facts, { archived: true })).toEqual(['the old rule']);
  });

  test('a superseded fact names the new one, and restoring it archives the new one', async () => {
    const { facts } = await openFacts(kind);
    const { fact: old } = await facts.remember('deploys run on Friday', { tags: ['deploy'], pinned: true });
    const next = await facts.supersede(old.id, 'deploys run on Monday');
    expect(next).toMatchObject({ supersedes: old.id, tags: ['deploy'], pinned: true, shared: true });
    const unpinned = await facts.supersede(next.id, 'deploys run on Sunday', { pinned: false });
    expect(unpinned.pinned).toBeUndefined();
    await facts.forget(unpinned.id);
    await facts.restore(next.id);
    expect(await facts.get(old.id)).toMatchObject({ supersededBy: next.id });
    expect(await textsIn(facts)).toEqual(['deploys run on Monday']);
    expect(await failureOf(facts.update(old.id, { text: 'x' }))).toMatchObject({
      code: 'FACT_ARCHIVED',
      message: expect.stringContaining(next.id) as string,
    });
    expect((await facts.restore(old.id)).supersededBy).toBeUndefined();
    expect(await textsIn(facts)).toEqual(['deploys run on Friday']);
    expect(await facts.get(next.id)).toMatchObject({ archivedAt: expect.any(Number) as number });
    // A link to a fact that is gone does no harm.
    const last = await facts.supersede(old.id, 'deploys run daily');
    await facts.forget(last.id);
    expect(await facts.get(old.id)).toMatchObject({ supersededBy: last.id });
    expect(await facts.restore(old.id)).toMatchObject({ text: 'deploys run on Friday' });
  });

  test('restoring the first of a chain archives the last, so that no two contradict each other', async () => {
    const { facts } = await openFacts(kind);
    const { fact: first } = await facts.remember('the port is 1');
    const second = await facts.supersede(first.id, 'the port is 2');
    const third = await facts.supersede(second.id, 'the port is 3');
    await facts.restore(first.id);
    expect(await textsIn(facts)).toEqual(['the port is 1']);
    expect(await facts.get(third.id)).toMatchObject({ archivedAt: expect.any(Number) as number });
    expect(await facts.get(second.id)).toMatchObject({ supersededBy: third.id });
  });

  test('a change to the text of another fact is rejected, and says which', async () => {
    const { facts } = await openFacts(kind);
    const { fact: one } = await facts.remember('tabs');
    const { fact: two } = await facts.remember('spaces');
    for (const call of [facts.update(two.id, { text: 'TABS!' }), facts.supersede(two.id, 'Tabs')]) {
      expect(await failureOf(call)).toMatchObject({
        code: 'FACT_EXISTS',
        message: expect.stringContaining(one.id) as string,
      });
    }
    expect(await facts.get(two.id)).toEqual(two);
  });

  test('a change without a difference writes nothing', async () => {
    const { facts, backend } = await openFacts(kind);
    const { fact } = await facts.remember('tabs', { tags: ['style'] });
    const { sequence } = await backend.page(KEY, { order: 'written' });
    expect(await facts.update(fact.id, { text: ' tabs ', tags: ['style'], pinned: false })).toEqual(fact);
    expect(await facts.remember('Tabs.', { tags: ['Style'] })).toMatchObject({ fact });
    expect((await backend.page(KEY, { order: 'written' })).sequence).toBe(sequence);
  });

  test('a forgotten fact takes the superseded ones with its texts along, and names the others', async () => {
    const { facts } = await openFacts(kind);
    const { fact: old } = await facts.remember('lives in Berlin');
    const own = await facts.supersede(old.id, 'the secret plan');
    await facts.remember('The secret plan!', { project: '/other' });
    await facts.remember('The secret place', { project: '/other' });
    await facts.moveProject('/other', PROJECT);
    await facts.update(own.id, { text: 'the secret place, changed' });
    expect((await facts.list({ archived: true })).total).toBe(2);
    expect(await facts.forget(own.id)).toMatchObject({ forgotten: true, superseded: [old.id] });
    expect((await facts.list({ archived: true })).facts.map(({ text }) => text)).toEqual(['lives in Berlin']);
    expect(await facts.restore(old.id)).toMatchObject({ text: 'lives in Berlin' });
    expect((await facts.list()).facts.map(({ text }) => text).toSorted()).toEqual([
      'The secret place',
      'lives in Berlin',
    ]);
    expect(await facts.forget(old.id)).not.toHaveProperty('superseded');
  });

  test('a fact with an earlier version that cannot be a fact is unreadable, and can be forgotten', async () => {
    const { facts, backend } = await openFacts(kind);
    for (const was of [{ text: null }, { text: 5 }, { tags: [5] }, { archivedAt: 'then' }]) {
      const versions = [{ revision: 1, until: START_MS, by: 'update', was }];
      const next = JSON.stringify({ id: 'fact_x', text: 't', createdAt: START_MS, revision: 2, versions });
      await backend.change(KEY, { rows: [{ id: 'fact_x', expected: undefined, next }] });
      for (const call of [facts.get('fact_x'), facts.history('fact_x'), facts.restore('fact_x')]) {
        expect(await failureOf(call)).toMatchObject({ code: 'CORRUPT_RECORD' });
      }
      expect(await facts.forget('fact_x')).toMatchObject({ forgotten: true });
    }
  });

  test('a forgotten fact is gone with its earlier versions', async () => {
    const { facts, backend } = await openFacts(kind);
    const { fact } = await facts.remember('the first secret plan');
    await facts.update(fact.id, { text: 'the second secret plan' });
    const { forgotten, erased } = await facts.forget(fact.id);
    expect(forgotten).toBe(true);
    expect(['done', 'log']).toContain(erased);
    expect(await failureOf(facts.get(fact.id))).toMatchObject({ code: 'UNKNOWN_FACT' });
    expect(await facts.forget(fact.id)).toMatchObject({ forgotten: false });
    const left: string[] = [];
    for (const { key } of await backend.keys('')) {
      left.push(...(await backend.page(key, { order: 'written' })).rows.map(({ text }) => text));
    }
    expect(left.join('\n')).not.toContain('plan');
  });

  test('lists come in pages, the last changed fact first, and are filtered by tag and time', async () => {
    const { facts, advance } = await openFacts(kind);
    const starts: number[] = [];
    for (let index = 0; index < 7; index++) {
      await advance(DAY);
      const { fact } = await facts.remember(`fact ${index}`, {
        tags: [index % 2 === 0 ? 'even' : 'odd'],
        scope: index === 3 ? 'user' : 'project',
      });
      starts.push(fact.updatedAt);
    }
    const first = await facts.list({ limit: 3 });
    expect(textsOf(first.facts)).toEqual(['fact 6', 'fact 5', 'fact 4']);
    expect(first).toMatchObject({ total: 7, nextOffset: 3 });
    const last = await facts.list({ limit: 3, offset: 6 });
    expect(textsOf(last.facts)).toEqual(['fact 0']);
    expect(last.nextOffset).toBeUndefined();
    expect(await facts.list({ offset: 100 })).toEqual({ facts: [], total: 7 });
    expect(await textsIn(facts, { tags: ['ODD'] })).toEqual(['fact 5', 'fact 3', 'fact 1']);
    expect(await textsIn(facts, { tags: ['odd', 'even'] })).toEqual([]);
    const [, , since, , until] = starts;
    expect(await textsIn(facts, { since, until })).toEqual(['fact 3', 'fact 2']);
    expect(textsOf((await facts.recall({ query: 'fact', tags: ['odd'], since, until })).facts)).toEqual(['fact 3']);
    const listed = await facts.recall({ query: ' ', limit: 2 });
    expect(textsOf(listed.facts)).toEqual(['fact 6', 'fact 5']);
    expect(listed).toMatchObject({ searched: 7, hasMore: true });
    expect(listed.facts.map(({ score, matched }) => [score, matched])).toEqual([
      [0, []],
      [0, []],
    ]);
    const [second] = (await facts.list({ limit: 1, offset: 1 })).facts;
    await advance(1000);
    await facts.update(second?.id ?? '', { pinned: true });
    expect((await textsIn(facts))[0]).toBe('fact 5');
  });

  test('a secret is rejected unless it is allowed, and the message does not show it', async () => {
    const { facts } = await openFacts(kind);
    const { fact } = await facts.remember('the account is 12');
    const text = `the key is ${AWS_KEY}`;
    for (const call of [
      facts.remember(text),
      facts.remember('the key', { tags: [AWS_KEY] }),
      facts.update(fact.id, { text }),
      facts.supersede(fact.id, text),
    ]) {
      const { code, message } = await failureOf(call);
      expect(code).toBe('SECRET');
      expect(message).toContain('allowSecret');
      expect(message).not.toContain(AWS_KEY);
    }
    expect(await textsIn(facts)).toEqual(['the account is 12']);
    expect((await facts.remember(text, { allowSecret: true })).fact.text).toBe(text);
  });

  test.each([
    ['an empty text', (facts: Facts) => facts.remember(' \n'), 'INVALID_INPUT'],
    ['a text that is not a string', (facts: Facts) => facts.remember(5 as unknown as string), 'INVALID_INPUT'],
    ['half of a surrogate pair', (facts: Facts) => facts.remember('a\ud800b'), 'INVALID_INPUT'],
    ['a text above the limit', (facts: Facts) => facts.remember('x'.repeat(1024 * 1024 + 1)), 'TOO_LARGE'],
    ['a tag with a comma', (facts: Facts) => facts.remember('a', { tags: ['b,c'] }), 'INVALID_INPUT'],
    ['a long tag', (facts: Facts) => facts.remember('a', { tags: ['x'.repeat(101)] }), 'INVALID_INPUT'],
    ['an empty tag', (facts: Facts) => facts.remember('a', { tags: [' '] }), 'INVALID_NAME'],
    [
      '51 tags',
      (facts: Facts) => facts.remember('a', { tags: Array.from({ length: 51 }, (_, i) => `t${i}`) }),
      'INVALID_INPUT',
    ],
    ['an unknown scope', (facts: Facts) => facts.remember('a', { scope: 'team' as 'user' }), 'INVALID_INPUT'],
    ['an empty stream', (facts: Facts) => facts.remember('a', { stream: '' }), 'INVALID_NAME'],
    ['an empty id', (facts: Facts) => facts.get(''), 'INVALID_NAME'],
    ['a limit of 0', (facts: Facts) => facts.list({ limit: 0 }), 'INVALID_INPUT'],
    ['a broken offset', (facts: Facts) => facts.list({ offset: 1.5 }), 'INVALID_INPUT'],
    ['a time that is not a number', (facts: Facts) => facts.list({ since: Number.NaN }), 'INVALID_INPUT'],
    [
      'a query that is not a string',
      (facts: Facts) => facts.recall({ query: 5 as unknown as string }),
      'INVALID_INPUT',
    ],
  ] as const)('%s is rejected', async (_, call, code) => {
    const { facts } = await openFacts(kind);
    expect(await failureOf(call(facts))).toMatchObject({ code });
    expect(await textsIn(facts)).toEqual([]);
  });

  test('what another program wrote under the key of the user hides no fact of the project', async () => {
    const { backend, facts: own } = await openFacts(kind);
    await own.remember('a fact of the project');
    await own.remember('a fact of the user', { scope: 'user' });
    const reported: unknown[] = [];
    const onUnreadable = (record: unknown): unknown => reported.push(record);
    const foreign = withForeignKey(backend, 'ai:facts:user');
    const { facts } = createMemory({ project: PROJECT, backend: foreign, onUnreadable });
    expect(await textsIn(facts)).toEqual(['a fact of the project']);
    expect(textsOf((await facts.recall({ query: 'fact' })).facts)).toEqual(['a fact of the project']);
    expect(reported).toContainEqual(expect.objectContaining({ key: 'ai:facts:user' }));
    for (const call of [
      facts.list({ scope: 'user' }),
      facts.recall({ scope: 'user', query: 'x' }),
      facts.remember('x', { scope: 'user' }),
    ]) {
      expect(await failureOf(call)).toMatchObject({ code: 'CORRUPT_RECORD' });
    }
  });

  test('what another program wrote under the key of the project hides no fact of the user', async () => {
    const { backend, facts: own } = await openFacts(kind);
    const { fact } = await own.remember('likes tea', { scope: 'user' });
    const { facts } = createMemory({ project: PROJECT, backend: withForeignKey(backend, KEY) });
    expect(await facts.get(fact.id)).toEqual(fact);
    expect(await facts.update(fact.id, { text: 'likes coffee' })).toMatchObject({ text: 'likes coffee' });
    expect(textsOf((await facts.recall({ query: 'coffee' })).facts)).toEqual(['likes coffee']);
    expect(await failureOf(facts.get('fact_unknown'))).toMatchObject({ code: 'CORRUPT_RECORD' });
    expect(await facts.forget(fact.id)).toMatchObject({ forgotten: true });
  });

  test('an unreadable row is reported with its key and id, stays, and hides no other fact', async () => {
    const reported: unknown[] = [];
    const { facts, backend, memory } = await openFacts(kind, { onUnreadable: (record) => reported.push(record) });
    await facts.remember('a good fact');
    const rows = [
      { id: 'fact_bad', expected: undefined, next: '{"id":"fact_bad","text":5}' },
      { id: 'fact_worse', expected: undefined, next: 'not JSON' },
    ];
    await backend.change(KEY, { rows });
    expect(await textsIn(facts)).toEqual(['a good fact']);
    expect(reported).toEqual(rows.map(({ id, next }) => ({ key: KEY, id, record: next })));
    expect(await failureOf(facts.get('fact_bad'))).toMatchObject({ code: 'CORRUPT_RECORD' });
    expect(await failureOf(facts.update('fact_bad', { text: 'x' }))).toMatchObject({ code: 'CORRUPT_RECORD' });
    expect((await facts.recall({ query: 'good' })).facts).toHaveLength(1);
    expect((await facts.remember('a better fact')).isNew).toBe(true);
    expect(await memory.unreadable()).toEqual(rows.map(({ id, next }) => ({ key: KEY, id, record: next })));
    expect((await backend.rows(KEY, ['fact_bad', 'fact_worse'])).map((row) => row?.text)).toEqual(
      rows.map(({ next }) => next),
    );
    expect(await facts.forget('fact_worse')).toMatchObject({ forgotten: true });
    expect((await memory.unreadable()).map(({ id }) => id)).toEqual(['fact_bad']);
  });

  test('fields of a newer version survive changes, and a minimal row is read', async () => {
    const { facts, backend } = await openFacts(kind);
    const next = JSON.stringify({ id: 'fact_x', text: 'a', createdAt: START_MS, weight: { a: 1 }, tags: ['t'] });
    await backend.change(KEY, { rows: [{ id: 'fact_x', expected: undefined, next }] });
    expect(await facts.get('fact_x')).toMatchObject({ text: 'a', createdAt: START_MS, updatedAt: START_MS });
    await facts.update('fact_x', { text: 'b' });
    await facts.archive('fact_x');
    await facts.restore('fact_x');
    const [row] = await backend.rows(KEY, ['fact_x']);
    expect(JSON.parse(row?.text ?? '')).toMatchObject({ weight: { a: 1 }, text: 'b', tags: ['t'] });
  });

  test('a clock that jumps forward removes no earlier version', async () => {
    const { facts, advance } = await openFacts(kind);
    // Redis trusts the clock of its server.
    const trusts = kind.name === 'redis';
    const { fact } = await facts.remember('the first text');
    await facts.update(fact.id, { text: 'the second text' });
    await advance(40 * DAY);
    expect(await failureOf(facts.restore(fact.id))).toMatchObject({ code: 'RESTORE_EXPIRED' });
    await facts.update(fact.id, { tags: ['later'] });
    await advance(-40 * DAY);
    const texts = (await facts.history(fact.id)).map(({ text }) => text);
    expect(texts).toEqual(trusts ? ['the second text'] : ['the second text', 'the first text']);
  });

  test('an aborted call changes nothing, and fails with the reason of its signal', async () => {
    const { facts, backend } = await openFacts(kind);
    const { fact } = await facts.remember('a', { tags: ['t'] });
    const { sequence } = await backend.page(KEY, { order: 'written' });
    const original = await facts.toMarkdown();
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    for (const call of [
      facts.remember('b', { signal }),
      facts.get(fact.id, { signal }),
      facts.history(fact.id, { signal }),
      facts.update(fact.id, { text: 'c', signal }),
      facts.supersede(fact.id, 'c', { signal }),
      facts.archive(fact.id, { signal }),
      facts.restore(fact.id, { signal }),
      facts.forget(fact.id, { signal }),
      facts.list({ signal }),
      facts.recall({ query: 'a', signal }),
      facts.startBlock({ signal }),
      facts.toMarkdown({ signal }),
      facts.applyMarkdown(original.replace(/\na\n/u, '\nb\n'), { original, signal }),
      facts.moveProject(PROJECT, '/other', { signal }),
      facts.projects({ signal }),
    ]) {
      await expect(call).rejects.toBe(reason);
    }
    expect((await backend.page(KEY, { order: 'written' })).sequence).toBe(sequence);
  });
});

describe.each(kinds.filter(({ name }) => name === 'memory'))('long facts in $name', (kind) => {
  test.each([
    ['punctuation', `${'.'.repeat(300_000)}a`],
    ['spaces', `a${' '.repeat(300_000)}b`],
    ['carriage returns', `a${'\r'.repeat(300_000)}b`],
    ['line feeds', `a${'\n'.repeat(300_000)}b`],
    ['words', Array.from({ length: 30_000 }, (_, index) => `w${index}`).join(' ')],
    ['Chinese', '记忆'.repeat(20_000)],
    ['opening marks', '<remembered-facts>'.repeat(20_000)],
  ])('a long text of %s takes linear time', async (_, text) => {
    const { facts } = await openFacts(kind);
    const { fact } = await facts.remember(text);
    expect((await facts.remember(`${text}.`)).isNew).toBe(false);
    expect(fact.text).toBe(text);
    expect((await facts.startBlock()).length).toBeLessThanOrEqual(2000);
    const original = await facts.toMarkdown();
    expect(await facts.applyMarkdown(original, { original })).toMatchObject({ unchanged: 1, conflicts: [] });
  });
});
