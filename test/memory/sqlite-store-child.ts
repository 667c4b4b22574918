/** A process that uses a store: `node sqlite-store-child.ts <task> <path> …`. Prints a line for each step that is done. */
import { listsOf } from '@cairn/memory/testing';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sqlite } from '@cairn/memory/sqlite';
import { draft, forever as rule } from './records.ts';

const [task = '', path = '', name = ''] = process.argv.slice(2);

/** Prints synchronously, so that a kill loses no line. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

const tasks: Record<string, () => Promise<void>> = {
  /** Reads until the standard input ends. */
  read: async () => {
    const database = new DatabaseSync(path);
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM entries').get();
    say('reading');
    await new Promise((resolve) => process.stdin.once('close', resolve).resume());
    database.exec('COMMIT');
    database.close();
  },
  /** Prints all contents, and the code of a write. */
  list: async () => {
    const backend = sqlite({ path, busyTimeoutMs: 1000, clock: () => 1_703_123_600_000 });
    const code = (error: unknown): string => (error as { readonly code?: string }).code ?? String(error);
    try {
      for (const { key } of (await backend.keys('')).toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
        const texts = await listsOf(backend).list(key);
        say(JSON.stringify([key, texts]));
      }
    } catch (error) {
      say(code(error));
    }
    await listsOf(backend)
      .append('ai:new', [draft('new')], { rule })
      .then(
        () => say('written'),
        (error) => say(code(error)),
      );
    await backend.close();
  },
  /** Prints a list, again for each line of the standard input, as another user if there is one. */
  watch: async () => {
    if (name !== '') process.setuid?.(Number(name));
    const backend = sqlite({ path, clock: () => 1_703_123_600_000 });
    const print = async (): Promise<void> => say(JSON.stringify(['ai:list', await listsOf(backend).list('ai:list')]));
    await print();
    process.stdin.on('data', () => void print());
    await once(process.stdin, 'end');
    await backend.close();
  },
  /** Opens the file when the standard input ends, writes, and prints the number of keys. */
  open: async () => {
    say('ready');
    await new Promise((resolve) => process.stdin.once('close', resolve).resume());
    const backend = sqlite({ path, busyTimeoutMs: 60_000 });
    await listsOf(backend).append(`ai:process:${name}`, [draft(name)], { rule });
    say(`${(await backend.keys('')).length}`);
    await backend.close();
  },
  /** Appends to a short list until it is killed. */
  append: async () => {
    const backend = sqlite({ path, busyTimeoutMs: 60_000 });
    for (let step = 0; ; step++) {
      await listsOf(backend).append('ai:other', [draft(`${step}`)], { rule: { ...rule, maxRecords: 5 } });
      if (step === 0) say('appending');
    }
  },
  /** Writes in all ways until it is killed. */
  write: async () => {
    const backend = sqlite({ path, busyTimeoutMs: 60_000 });
    for (let step = 0; ; step++) {
      const id = `${name}-${step}`;
      const rows = ['a', 'b'].map((half) => ({
        id: `${id}-${half}`,
        expected: undefined,
        next: `${id} ${'x'.repeat(step % 700)}`,
      }));
      await backend.change('ai:table', { rows });
      say(`row ${id}`);
      await listsOf(backend).append(`ai:list:${name}`, [draft(id), draft(`REMOVED-${id}-${'y'.repeat(step % 700)}`)], {
        rule,
      });
      const [removed = ''] = await listsOf(backend).list(`ai:list:${name}`, { limit: 1 });
      say(`record ${id}`);
      if (step % 3 === 0) {
        await listsOf(backend).remove(`ai:list:${name}`, [removed]);
        say(`removed REMOVED-${id}-`);
        say(`${(await backend.erase()) === 'done' ? 'erased' : 'pending'} REMOVED-${id}-`);
      }
      if (step % 5 === 0) {
        await backend.backup?.(`${path}.${id}.backup`);
        say(`backup ${path}.${id}.backup`);
      }
    }
  },
};

await tasks[task]?.();
process.stdin.destroy();
