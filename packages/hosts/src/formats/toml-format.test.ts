import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { changeText } from './config-format.ts';
import { tomlFormat } from './toml-format.ts';

const path = ['mcp_servers', 'cairn'];
const table = '[mcp_servers.cairn]\ncommand = "npx"\nargs = ["-y", "x"]\n';

function set(text: string): string {
  return changeText(tomlFormat, text, [{ path, value: { command: 'npx', args: ['-y', 'x'] } }]);
}

function replace(text: string): string {
  return changeText(tomlFormat, text, [
    { path: [...path, 'command'], value: 'npx' },
    { path: [...path, 'args'], value: ['-y', 'x'] },
  ]);
}

describe('adds an entry and keeps the rest', () => {
  const cases: readonly (readonly [why: string, before: string, after: string])[] = [
    ['an empty file', '', table],
    ['other settings', '# c\nmodel = "x" # d\n', `# c\nmodel = "x" # d\n\n${table}`],
    ['no line end at the end', 'a = 1', `a = 1\n\n${table}`],
    ['an empty line at the end', 'a = 1\n\n', `a = 1\n\n${table}`],
    ['another server', '[mcp_servers.a]\ncommand = "a"\n', `[mcp_servers.a]\ncommand = "a"\n\n${table}`],
    ['CRLF', 'a = 1\r\n', `a = 1\r\n\r\n${table.replaceAll('\n', '\r\n')}`],
    [
      'servers written on one line',
      'mcp_servers = { a = { command = "a" } } # k\nx = 1\n',
      'mcp_servers = { a = { command = "a" }, cairn = { command = "npx", args = ["-y", "x"] } } # k\nx = 1\n',
    ],
    [
      'servers on one line, with comments and notations of their own',
      `mcp_servers = { a = { t = 1.0, h = 0xff, l = 'C:\\x', args = [ # why\n  "1", # one\n] } } # k\n`,
      `mcp_servers = { a = { t = 1.0, h = 0xff, l = 'C:\\x', args = [ # why\n  "1", # one\n] }, cairn = { command = "npx", args = ["-y", "x"] } } # k\n`,
    ],
    [
      'no server on one line',
      'mcp_servers = {}\n',
      'mcp_servers = { cairn = { command = "npx", args = ["-y", "x"] } }\n',
    ],
    [
      'a text that looks like a table',
      'a = """\n[mcp_servers.cairn]\n"""\n',
      `a = """\n[mcp_servers.cairn]\n"""\n\n${table}`,
    ],
  ];
  test.each(cases)('%s', (_, before, after) => expect(set(before)).toBe(after));
});

describe('replaces an entry key by key', () => {
  const cases: readonly (readonly [why: string, before: string, after: string])[] = [
    [
      'comments, other keys and tables below it stay',
      '[mcp_servers.cairn] # h\ncommand = "old" # mine\nargs = [\n  "a", # ]\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.cairn.env]\nK = "v"\n[after]\nx = 1',
      '[mcp_servers.cairn] # h\ncommand = "npx" # mine\nargs = ["-y", "x"]\nstartup_timeout_sec = 20\n\n[mcp_servers.cairn.env]\nK = "v"\n[after]\nx = 1',
    ],
    [
      'a key that is missing',
      '[mcp_servers.cairn]\ncommand = "old"',
      '[mcp_servers.cairn]\ncommand = "npx"\nargs = ["-y", "x"]\n',
    ],
    [
      'dotted keys',
      'mcp_servers.cairn.command = "old" # c\nz = 1\n',
      'mcp_servers.cairn.command = "npx" # c\nmcp_servers.cairn.args = ["-y", "x"]\nz = 1\n',
    ],
    [
      'on one line in a table',
      '[mcp_servers]\ncairn = { command = "old", env = { K = "v" } } # c\n',
      '[mcp_servers]\ncairn = { command = "npx", env = { K = "v" }, args = ["-y", "x"] } # c\n',
    ],
    [
      'quoted names',
      '["mcp_servers" . \'cairn\']\n"command" = \'old\'\nargs = []\n',
      '["mcp_servers" . \'cairn\']\n"command" = "npx"\nargs = ["-y", "x"]\n',
    ],
    ['only a table below it', '[mcp_servers.cairn.env]\nK = "v"\n', `[mcp_servers.cairn.env]\nK = "v"\n\n${table}`],
  ];
  test.each(cases)('%s', (_, before, after) => expect(replace(before)).toBe(after));
});

test.each([
  ['at the end', `a = 1\n\n${table}`, 'a = 1\n'],
  [
    'in the middle, with tables below it',
    `${table}\n[mcp_servers.cairn.env]\nK = "v"\n\n[b]\nx = 1\n`,
    '\n[b]\nx = 1\n',
  ],
  ['from one line', 'mcp_servers = { a = { x = 1 }, cairn = { x = 2 } }\n', 'mcp_servers = { a = { x = 1 } }\n'],
])('an entry is taken out %s', (_, before, after) => {
  expect(changeText(tomlFormat, before, [{ path, value: undefined }])).toBe(after);
});

test('rejects invalid TOML and names the place', () => {
  expect(() => set('a = 1\nb = = 2\n')).toThrow(
    expect.objectContaining({ code: 'CONFIG_SYNTAX', position: { line: 2, column: 5 } }),
  );
});

test('rejects an edit that would touch other parts', () => {
  // Rendering the value again would lose the comment and the notation of the number.
  for (const rest of ['t = 0xff', "t = 'x'", 't = [ # why\n1]']) {
    const before = `mcp_servers = { a = { ${rest} }, cairn = { command = "old" } }\n`;
    const wanted = expect.objectContaining({ code: 'CONFIG_UNSUPPORTED' });
    expect(() => replace(before), rest).toThrow(wanted);
    expect(() => changeText(tomlFormat, before, [{ path, value: undefined }]), rest).toThrow(wanted);
  }
});

test.each([
  ['a text', 'mcp_servers = "x"\n', 1],
  ['an empty text', 'a = 1\nmcp_servers = ""\n', 2],
  ['a long text', 'mcp_servers = """\n{}"""\n', 1],
  ['a number', 'mcp_servers = 3\n', 1],
  ['a large number', 'mcp_servers = 9223372036854775807\n', 1],
  ['a truth value', 'mcp_servers = true\n', 1],
  ['a date', 'mcp_servers = 1979-05-27\n', 1],
  ['an empty array', 'mcp_servers = []\n', 1],
  ['an array of tables on one line', 'mcp_servers = [{ a = 1 }]\n', 1],
  ['an array of tables', 'a = 1\n\n[[mcp_servers]]\na = 1\n', 3],
  ['an array of tables with a table below it', '[[mcp_servers]]\n[mcp_servers.a]\nb = 1\n', 1],
])('rejects %s instead of the table of servers, and names the line', (_, before, line) => {
  const wanted = expect.objectContaining({ code: 'CONFIG_SHAPE', position: { line, column: 1 } });
  expect(() => set(before)).toThrow(wanted);
  expect(() => replace(before)).toThrow(wanted);
});

/** Lines that mislead a parser that reads TOML line by line. */
const lines = fc.constantFrom(
  '# [mcp_servers.cairn]',
  's = "a # b"',
  'm = """\n[mcp_servers.cairn]\ncommand = "x" \\""" # c\n""""',
  "l = '''\n[x]\n''''",
  'list = [ # c\n  "]", # "\n  { a = [1, 2] },\n]',
  'date = 1979-05-27 07:32:00Z # d',
  'q = [ """a"""", "]", "[" ]',
  'hex = 0xdead_beef',
  'f = inf',
  '"q.k" = 1',
  'd.e.f = { g = "}" }',
  '',
);
const headers = fc.constantFrom(
  '[t]',
  '[mcp_servers.other]',
  '["mcp_servers"."x y".env]',
  '[[rows]]',
  '  [ u . v ]  # c',
);

test('in any file only the entry changes, every line stays, and removing it restores the file', () => {
  const block = fc.tuple(headers, fc.uniqueArray(lines, { maxLength: 4 }));
  fc.assert(
    fc.property(
      fc.uniqueArray(lines, { maxLength: 5 }),
      fc.uniqueArray(block, { selector: ([header]) => header, maxLength: 4 }),
      fc.constantFrom('\n', '\r\n'),
      (top, blocks, eol) => {
        const before = `${[...top, ...blocks.flatMap(([header, body]) => [header, ...body])].join('\n')}\n`.replaceAll(
          '\n',
          eol,
        );
        const after = set(before);
        expect(after.startsWith(before.trimEnd())).toBe(true);
        const { mcp_servers: servers, ...rest } = parse(after);
        const { cairn, ...others } = servers as Record<string, unknown>;
        expect(cairn).toEqual({ command: 'npx', args: ['-y', 'x'] });
        const was = parse(before);
        expect({ ...rest, mcp_servers: others }).toEqual({ ...was, mcp_servers: was['mcp_servers'] ?? {} });
        const removed = changeText(tomlFormat, after, [{ path, value: undefined }]);
        expect(removed.trimEnd()).toBe(before.trimEnd());
      },
    ),
    { numRuns: 1000 },
  );
});

test('rejects an element of an array', () => {
  expect(() => changeText(tomlFormat, 'a = [1]\n', [{ path: ['a', 0], value: 2 }])).toThrow(
    expect.objectContaining({ code: 'CONFIG_UNSUPPORTED' }),
  );
});
