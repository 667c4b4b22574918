/** Facts that are edited as Markdown. */
import { describe, expect, test } from 'vitest';
import { useBackends } from './backends.ts';
import { failureOf, kinds, openFacts, textsIn } from './facts-harness.ts';

useBackends();

describe.each(kinds)('edited facts in $name', (kind) => {
  test('are updated, archived and remembered by their sections', async () => {
    const { facts } = await openFacts(kind);
    const { fact: a } = await facts.remember('the port is 80', { tags: ['net'], pinned: true });
    const { fact: b } = await facts.remember('the host is a\r\nand b');
    const { fact: c } = await facts.remember('to be removed');
    await facts.remember('of the user', { scope: 'user' });
    const original = await facts.toMarkdown();
    expect(original).not.toContain('of the user');
    expect(await facts.applyMarkdown(original, { original })).toEqual({
      updated: [],
      archived: [],
      added: [],
      present: [],
      unchanged: 3,
      conflicts: [],
    });
    const edited = original
      .replace('the port is 80', 'the port is 90\n\nand 91')
      .replace('\npinned: yes', '\npinned: no')
      .replace(new RegExp(`## ${b.id}\n`, 'u'), `## ${b.id}\ntags: new\n`)
      .replace(new RegExp(`## ${c.id}[^]*?\n\n[^]*?\n\n`, 'u'), '');
    const result = await facts.applyMarkdown(`${edited}\n## new\ntags: x, y\n\na new fact\n`, { original });
    expect(result.conflicts).toEqual([]);
    expect(result.updated.map(({ id }) => id).toSorted()).toEqual([a.id, b.id].toSorted());
    expect(result.archived.map(({ id }) => id)).toEqual([c.id]);
    expect(result.added).toMatchObject([{ text: 'a new fact', tags: ['x', 'y'], scope: 'project' }]);
    expect(await facts.get(a.id)).toMatchObject({ text: 'the port is 90\n\nand 91', tags: ['net'] });
    expect((await facts.get(a.id)).pinned).toBeUndefined();
    // The text was not changed, and keeps its line ends.
    expect(await facts.get(b.id)).toMatchObject({ text: 'the host is a\r\nand b', tags: ['new'] });
    expect(await facts.restore(c.id)).toMatchObject({ text: 'to be removed' });
    expect(await facts.restore(a.id)).toMatchObject({ text: 'the port is 80', pinned: true });
  });

  test('are not overwritten when another process changed them meanwhile', async () => {
    const { facts } = await openFacts(kind);
    const { fact: a } = await facts.remember('a');
    const { fact: b } = await facts.remember('b');
    const { fact: c } = await facts.remember('c');
    const { fact: d } = await facts.remember('d');
    const { fact: e } = await facts.remember('e');
    const original = await facts.toMarkdown();
    await facts.update(a.id, { text: 'a elsewhere' });
    await facts.update(b.id, { tags: ['elsewhere'] });
    await facts.forget(c.id);
    await facts.archive(d.id);
    const { fact: later } = await facts.remember('remembered later');
    let edited = original
      .replace(/\na\n/u, '\na here\n')
      .replace(/\nc\n/u, '\nc here\n')
      .replace(/\nd\n/u, '\nd here\n');
    edited = edited.replace(/\ne\n/u, '\nremembered later\n');
    // The section of b is removed.
    edited = edited.replace(new RegExp(`## ${b.id}\n[^]*?\n\n[^]*?\n\n`, 'u'), '');
    const { conflicts, updated, archived } = await facts.applyMarkdown(edited, { original });
    expect(new Map(conflicts.map(({ id, code }) => [id, code]))).toEqual(
      new Map([
        [a.id, 'FACT_CHANGED'],
        [b.id, 'FACT_CHANGED'],
        [c.id, 'UNKNOWN_FACT'],
        [d.id, 'FACT_ARCHIVED'],
        [e.id, 'FACT_EXISTS'],
      ]),
    );
    expect(conflicts.every(({ lineNumber }) => lineNumber > 1)).toBe(true);
    expect([...updated, ...archived]).toEqual([]);
    expect((await textsIn(facts)).toSorted()).toEqual(['a elsewhere', 'b', 'e', 'remembered later']);
    // A fact that is not in the original is not touched, although it has no section.
    expect((await facts.get(later.id)).archivedAt).toBeUndefined();
  });

  test('change as wanted when an interrupted call is repeated', async () => {
    const { facts } = await openFacts(kind);
    await facts.remember('a');
    await facts.remember('b');
    const original = await facts.toMarkdown();
    const edited = `${original.replace(/\na\n/u, '\na2\n').replace(/## fact_\w+\n[^#]*?\nb\n/u, '')}\n## new\n\nc\n`;
    const first = await facts.applyMarkdown(edited, { original });
    expect([first.updated.length, first.archived.length, first.added.length]).toEqual([1, 1, 1]);
    const second = await facts.applyMarkdown(edited, { original });
    expect(second.conflicts).toEqual([]);
    expect([second.added.length, second.present.length]).toEqual([0, 1]);
    expect((await textsIn(facts)).toSorted()).toEqual(['a2', 'c']);
  });

  test('stay as they are when any line is rejected', async () => {
    const { facts } = await openFacts(kind);
    await facts.remember('a');
    const original = await facts.toMarkdown();
    const edited = `${original.replace(/\na\n/u, '\nb\n')}\n## nonsense\n\nx\n`;
    expect(await failureOf(facts.applyMarkdown(edited, { original }))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await failureOf(facts.applyMarkdown(edited, { original: 'x' }))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await failureOf(facts.applyMarkdown(original, { original, scope: 'user' }))).toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(await textsIn(facts)).toEqual(['a']);
  });

  test('of the user, and of a stream, have files of their own', async () => {
    const { facts } = await openFacts(kind);
    await facts.remember('shared', { scope: 'user' });
    await facts.remember('of the desktop', { scope: 'user', stream: 'desktop' });
    expect(await facts.toMarkdown({ scope: 'user' })).not.toContain('of the desktop');
    const options = { scope: 'user', stream: 'desktop' } as const;
    const original = await facts.toMarkdown(options);
    expect(original).toContain('# Facts of the user\n');
    expect(original).toContain('stream: desktop\n');
    const { added } = await facts.applyMarkdown(`${original}\n## new\n\nanother one\n`, { ...options, original });
    expect(added).toMatchObject([{ scope: 'user', stream: 'desktop', text: 'another one' }]);
  });
});
