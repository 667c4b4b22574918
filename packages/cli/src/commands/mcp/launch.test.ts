import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseLaunch, givenLaunch, splitWords } from './launch.ts';
import type { RunningProgram } from './launch.ts';

const main = join('/', 'usr', 'lib', 'node_modules', '@cairn', 'cli', 'dist', 'main.js');

function program(more: Partial<RunningProgram>): RunningProgram {
  return { main, node: '/usr/bin/node', path: '/a:/usr/bin', platform: 'linux', realPath: () => undefined, ...more };
}

const links = (known: Readonly<Record<string, string>>) => (path: string) => known[path];

describe.skipIf(process.platform === 'win32')('a host starts cairn', () => {
  const cases: readonly (readonly [why: string, program: Partial<RunningProgram>, words: string, isLocal: boolean])[] =
    [
      ['by name when the PATH has this program', { realPath: links({ '/usr/bin/cairn': main }) }, 'cairn', false],
      [
        'by npx when the PATH has another one first',
        { realPath: links({ '/a/cairn': '/other', '/usr/bin/cairn': main }) },
        'npx -y @cairn/cli',
        false,
      ],
      [
        'by npx when only an npm script adds it to the PATH',
        { path: '/p/node_modules/.bin', realPath: links({ '/p/node_modules/.bin/cairn': main }) },
        'npx -y @cairn/cli',
        false,
      ],
      [
        'by npx when npx runs it',
        {
          main: '/h/.npm/_npx/1/node_modules/@cairn/cli/dist/main.js',
          realPath: links({ '/usr/bin/cairn': '/h/.npm/_npx/1/node_modules/@cairn/cli/dist/main.js' }),
        },
        'npx -y @cairn/cli',
        false,
      ],
      ['through cmd on Windows', { platform: 'win32' }, 'cmd /c npx -y @cairn/cli', false],
      ['by its path from a clone', { main: '/src/cairn/main.ts' }, '/usr/bin/node /src/cairn/main.ts', true],
    ];
  test.each(cases)('%s', (_, more, words, isLocal) => {
    const launch = chooseLaunch(program(more));
    expect([[launch.command, ...launch.args].join(' '), launch.isLocal]).toEqual([words, isLocal]);
  });
});

test.each([
  ['npx -y @cairn/cli', ['npx', '-y', '@cairn/cli']],
  ['  "/a b/node" \'c d\'e ""', ['/a b/node', 'c de', '']],
  ['C:\\node\\node.exe x', ['C:\\node\\node.exe', 'x']],
  ['', []],
])('%j is split into words', (text, words) => expect(splitWords(text)).toEqual(words));

test.each([
  ['cairn', false],
  ['/opt/cairn', true],
  ['C:\\cairn.cmd', true],
])('%s contains a path of this machine: %s', (command, isLocal) => expect(givenLaunch(command).isLocal).toBe(isLocal));
