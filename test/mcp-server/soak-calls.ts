import type { Client } from '@modelcontextprotocol/client';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { call, slowGrep } from './support.ts';
import type { Tree } from '../support/tree.ts';

const FILES = 40;

/** The files for the calls. They stay the same, so that any growth is the server's. */
export const soakTree: Tree = {
  'slow.txt': `${'a'.repeat(26)}!\n`.repeat(100),
  ...Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [
      `src/dir${index % 5}/file${index}.ts`,
      `const value = ${index};\n`.repeat(50),
    ]),
  ),
};

const path = (index: number): string => `src/dir${(index % FILES) % 5}/file${index % FILES}.ts`;

/** Makes one call and throws when its answer is wrong. */
type Kind = (client: Client, root: string, index: number) => Promise<unknown>;

async function expectText(answer: Promise<string>, part: string): Promise<void> {
  const text = await answer;
  if (!text.includes(part)) throw new Error(`the answer has no '${part}': ${text.slice(0, 300)}`);
}

async function expectFailure(answer: Promise<unknown>): Promise<void> {
  const failed = await answer.then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error('the call succeeded, but must fail');
}

/** Each kind undoes its own changes. */
const kinds: readonly Kind[] = [
  (client, _, index) => expectText(call(client, 'read', { path: path(index) }), 'const value'),
  (client) => expectText(call(client, 'glob', { pattern: '**/*.ts' }), 'file1.ts'),
  (client, _, index) => expectText(call(client, 'grep', { pattern: `value = ${index % FILES};` }), 'matches'),
  (client) => expectText(call(client, 'ls', { path: 'src', depth: 2 }), 'dir0'),
  async (client, _, index) => {
    const file = `new${index}.txt`;
    await expectText(call(client, 'write', { path: file, content: `${'x'.repeat(2000)}\n` }), file);
    await expectText(call(client, 'edit', { path: file, old_text: 'xxxx', new_text: 'yyyy', replace_all: true }), file);
    await expectText(call(client, 'rename', { from: file, to: `moved${index}.txt` }), 'moved');
    await expectText(call(client, 'delete', { path: `moved${index}.txt` }), 'moved');
  },
  (client) => expectText(call(client, 'read', { path: 'none.ts' }), 'error: '),
  (client) => expectText(call(client, 'grep', { pattern: 5 }), 'error: '),
  (client) => expectFailure(client.callTool({ name: 'none', arguments: {} })),
  (client) => expectFailure(client.readResource({ uri: 'file:///etc/passwd' })),
  (client, root, index) => client.readResource({ uri: pathToFileURL(join(root, path(index))).href }),
  (client) => client.listResources(),
  (client) => client.listTools(),
  (client) =>
    client.complete({
      ref: { type: 'ref/resource', uri: 'file:///{+path}' },
      argument: { name: 'path', value: 'file1' },
    }),
  async (client) => {
    const options = { onprogress: () => undefined };
    const { content } = await client.callTool(
      { name: 'glob', arguments: { pattern: '*.ts', path: 'src/dir1' } },
      options,
    );
    if (content.length !== 1) throw new Error('the answer has no text');
  },
  async (client) => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onprogress: () => undefined };
    const answer = client.callTool({ name: 'grep', arguments: { ...slowGrep, path: 'slow.txt' } }, options);
    // Now the request has been sent; an unsent one would cost the server nothing.
    await setImmediate();
    controller.abort(new Error('cancelled'));
    await expectFailure(answer);
  },
];

/** The number of requests in one round of every kind. */
export const CALLS_PER_ROUND: number = kinds.length + 3;

/** Makes rounds of all kinds, `width` of them at a time. */
export async function makeRounds(
  client: Client,
  root: string,
  { from, rounds, width }: { from: number; rounds: number; width: number },
): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    for (let round = next++; round < from + rounds; round = next++) {
      for (const [kind, run] of kinds.entries()) await run(client, root, round * kinds.length + kind);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
