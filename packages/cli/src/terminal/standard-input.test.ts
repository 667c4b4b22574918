import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { recordedContext } from '../testing/context.ts';
import type { Input } from './input.ts';
import type { CommandContext } from './command-context.ts';
import { chooseInput, openStandardInput } from './standard-input.ts';

const INSTEAD = 'to search files, add a path, such as .';

interface Opened {
  readonly context: CommandContext;
  readonly stream: Readable;
  /** Resolves with the first note. */
  readonly note: Promise<string>;
}

function opened(kind: Input['kind'], stream: Readable): Opened {
  let resolve: (line: string) => void = () => undefined;
  const note = new Promise<string>((done) => {
    resolve = done;
  });
  const { context } = recordedContext({
    input: { kind, stream: () => stream, read: async () => new Uint8Array() },
    err: { isTerminal: false, width: 80, write: async (line) => resolve(line) },
  });
  return { context, stream, note };
}

test.each(['pipe', 'file'] as const)('a command without paths works on a %s', async (kind) => {
  const { context } = opened(kind, Readable.from([Buffer.from('a\n'), Buffer.from('b\n')]));
  const { input, notices } = await chooseInput(context, INSTEAD);
  expect(await text(input ?? Readable.from([]))).toBe('a\nb\n');
  expect(notices).toEqual([]);
});

test('a pipe without a byte is reported', async () => {
  const { context } = opened('pipe', Readable.from([]));
  const { input, notices } = await chooseInput(context, INSTEAD);
  expect(input).toBeDefined();
  expect(notices).toEqual([`standard input was empty; ${INSTEAD}`]);
});

test.each(['terminal', 'other'] as const)('a command without paths does not read a %s', async (kind) => {
  const { context, stream } = opened(kind, new PassThrough());
  expect(await chooseInput(context, INSTEAD)).toEqual({ notices: [] });
  expect(stream.destroyed).toBe(false);
});

test('a long wait for a pipe has a note, and the wait goes on', async () => {
  const stream = new PassThrough();
  const { context, note } = opened('pipe', stream);
  const choice = chooseInput(context, INSTEAD);
  expect(await note).toBe(`cairn: waiting for standard input; ${INSTEAD}\n`);
  stream.end('late\n');
  const { input } = await choice;
  expect(await text(input ?? Readable.from([]))).toBe('late\n');
});

test('a socket counts when it has data', async () => {
  const { context } = opened('socket', Readable.from([Buffer.from('a\n')]));
  const { input } = await chooseInput(context, INSTEAD);
  expect(await text(input ?? Readable.from([]))).toBe('a\n');
});

test('a socket that ends without data does not count', async () => {
  const { context } = opened('socket', Readable.from([]));
  expect(await chooseInput(context, INSTEAD)).toEqual({ notices: [] });
});

test('an open socket without data is closed, and the choice is reported', async () => {
  const { context, stream } = opened('socket', new PassThrough());
  const { input, notices } = await chooseInput(context, INSTEAD);
  expect(input).toBeUndefined();
  expect(notices).toEqual(['standard input had no data within 100 ms, so files were searched; use - to wait']);
  expect(stream.destroyed).toBe(true);
});

test('a failure of standard input is a failure of the command', async () => {
  const stream = new PassThrough();
  const { context } = opened('pipe', stream);
  const input = openStandardInput(context, INSTEAD);
  stream.destroy(new Error('EIO'));
  await expect(input).rejects.toThrow('EIO');
});
