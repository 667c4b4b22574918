import { describe, expect, test } from 'vitest';
import { BrokenPipe } from './exit.ts';
import {
  createOutput,
  createPaint,
  usesColor,
  writeLines,
  type ColorMode,
  type Environment,
  type TextStream,
} from './output.ts';

function recorder(): TextStream & { readonly writes: string[] } {
  const writes: string[] = [];
  return {
    writes,
    write(text, done) {
      writes.push(text);
      done();
    },
  };
}

describe('colour', () => {
  const cases: readonly (readonly [
    reason: string,
    mode: ColorMode,
    isTerminal: boolean,
    env: Environment,
    colored: boolean,
  ])[] = [
    ['a terminal', 'auto', true, {}, true],
    ['a pipe', 'auto', false, {}, false],
    ['NO_COLOR in a terminal', 'auto', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR says nothing', 'auto', true, { NO_COLOR: '' }, true],
    ['FORCE_COLOR in a pipe', 'auto', false, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0 in a terminal', 'auto', true, { FORCE_COLOR: '0' }, false],
    ['FORCE_COLOR beats NO_COLOR', 'auto', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['a terminal that knows no colours', 'auto', true, { TERM: 'dumb' }, false],
    ['always beats NO_COLOR and a pipe', 'always', false, { NO_COLOR: '1' }, true],
    ['never beats FORCE_COLOR and a terminal', 'never', true, { FORCE_COLOR: '1' }, false],
  ];
  test.each(cases)('%s', (_reason, mode, isTerminal, env, colored) => {
    expect(usesColor(mode, isTerminal, env)).toBe(colored);
  });

  test('without colour a text is unchanged, with colour it ends with a reset', () => {
    expect(createPaint(false).hit('x')).toBe('x');
    expect(createPaint(true).hit('x')).toBe('\u001b[1;31mx\u001b[0m');
    expect(createPaint(true).hit('')).toBe('');
  });
});

describe('writing', () => {
  test('many lines are few writes', async () => {
    const stream = recorder();
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    await writeLines(createOutput(stream), lines, new AbortController().signal);
    expect(stream.writes.join('')).toBe(`${lines.join('\n')}\n`);
    expect(stream.writes.length).toBeLessThan(10);
  });

  test('writes nothing without lines', async () => {
    const stream = recorder();
    await writeLines(createOutput(stream), [], new AbortController().signal);
    expect(stream.writes).toEqual([]);
  });

  test('an aborted signal stops between two chunks', async () => {
    const stream = recorder();
    const controller = new AbortController();
    const reason = new Error('stop');
    function* lines(): Generator<string> {
      yield 'x'.repeat(1 << 17);
      controller.abort(reason);
      yield 'y'.repeat(1 << 17);
    }
    await expect(writeLines(createOutput(stream), lines(), controller.signal)).rejects.toBe(reason);
    expect(stream.writes.join('')).not.toContain('y');
  });

  test('returns to the event loop after each write, where a Ctrl-C is seen', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('event loop'));
    await createOutput(recorder()).write('x');
    order.push('written');
    expect(order).toEqual(['event loop', 'written']);
  });

  const failures: readonly (readonly [code: string, name: string])[] = [
    ['EPIPE', BrokenPipe.name],
    ['ERR_STREAM_DESTROYED', BrokenPipe.name],
    ['ENOSPC', 'OutputError'],
  ];
  test.each(failures)('a write that fails with %s is a %s', async (code, name) => {
    const stream: TextStream = { write: (_text, done) => done(Object.assign(new Error(code), { code })) };
    await expect(createOutput(stream).write('x')).rejects.toMatchObject({ name });
  });
});

test('the width is that of the terminal, now, and 80 without one', () => {
  const terminal = { ...recorder(), isTTY: true, columns: 120 };
  const output = createOutput(terminal);
  expect(output.width).toBe(120);
  terminal.columns = 40;
  expect(output.width).toBe(40);
  expect(createOutput({ ...recorder(), columns: 0 }).width).toBe(80);
  expect(createOutput(recorder()).width).toBe(80);
});
