import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DoctorContext } from './check.ts';
import { checkGlossary } from './glossary.ts';
import { checkNode, checkOpenFiles, checkSqlite, judgeSqlite } from './machine.ts';

function context(more: Partial<DoctorContext> = {}): DoctorContext {
  return {
    env: {},
    platform: 'linux',
    arch: 'x64',
    home: '/home',
    temporary: tmpdir(),
    cwd: tmpdir(),
    proc: '/proc',
    node: '24.21.0',
    version: '0.1.0',
    engines: '^22.22.3 || >=24.15.0',
    signal: new AbortController().signal,
    ...more,
  };
}

/** A `/proc` in which these files are. */
function proc(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'cairn-proc-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

test.each([
  ['22.22.3', 'ok'],
  ['24.15.0', 'ok'],
  ['26.0.0', 'ok'],
  ['27.0.0-nightly2026', 'ok'],
  ['22.22.2', 'fail'],
  ['24.14.9', 'fail'],
  ['20.19.0', 'fail'],
])('Node %s: %s', async (node, status) => {
  expect(await checkNode(context({ node }))).toMatchObject({ status });
});

describe('SQLite', () => {
  test.each([
    ['none', undefined, 'warn', 'this Node has no node:sqlite'],
    ['an old one', '3.50.4', 'warn', 'SQLite 3.50.4 is older than 3.51.3'],
    ['a new one', '3.51.3', 'ok', 'SQLite 3.51.3'],
  ])('%s', (_, version, status, message) => expect(judgeSqlite(version)).toMatchObject({ status, message }));

  test('the one of this Node is ok', async () => {
    expect(await checkSqlite(context())).toMatchObject({ status: 'ok' });
  });
});

test.each([
  ['Max open files            1024                 4096                 files', 'ok', 'at most 1,024'],
  ['Max open files            256                  4096                 files', 'warn', 'at most 256'],
  ['Max open files            unlimited            unlimited            files', 'ok', 'no limit'],
  ['Max processes             1                    1                    processes', 'skip', 'does not report'],
])('%s: %s', async (line, status, message) => {
  const result = await checkOpenFiles(context({ proc: proc({ 'self/limits': `Limit\n${line}\n` }) }));
  expect(result).toMatchObject({ status, message: expect.stringContaining(message) });
});

describe('the glossaries', () => {
  /** A home whose configuration and knowledge have these glossaries. */
  function home(glossaries: { readonly user?: string; readonly team?: string }): Partial<DoctorContext> {
    const root = mkdtempSync(join(tmpdir(), 'cairn-home-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const places = { user: '.config/cairn', team: '.local/share/cairn/knowledge' };
    for (const place of ['user', 'team'] as const) {
      const text = glossaries[place];
      if (text === undefined) continue;
      mkdirSync(join(root, places[place]), { recursive: true });
      writeFileSync(join(root, places[place], 'glossary.txt'), text);
    }
    return { home: root };
  }

  test.each<[reason: string, glossaries: Parameters<typeof home>[0], status: string, message: string]>([
    ['none', {}, 'skip', 'none of your own; write '],
    ['a good one', { user: 'ledger, 账本\n' }, 'ok', '1 group of words in '],
    ['one of the team', { team: 'ledger, 账本\nbooking, 记账\n' }, 'ok', ', 2 of the team'],
    ['a bad line', { user: 'ledger, 账本\nalone\n' }, 'warn', 'is used: line 2: the line has no two words that differ'],
    [
      'a bad line of the team',
      { user: 'ledger, 账本\n', team: '\nalone\n' },
      'warn',
      'knowledge/glossary.txt is used: line 2',
    ],
    ['many bad lines', { user: 'alone\n'.repeat(5) }, 'warn', '; 2 more'],
    ['too many lines', { user: '# a\n'.repeat(10_001) }, 'warn', 'line 10001: a glossary has at most 10000 lines'],
  ])('%s', async (_, glossaries, status, message) => {
    const result = await checkGlossary(context(home(glossaries)));
    expect(result).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  test('the fix names the place to correct', async () => {
    const ofUser = await checkGlossary(context(home({ user: 'alone' })));
    expect(ofUser.fix).toBe('correct these lines');
    const ofTeam = await checkGlossary(context(home({ team: '# risk/words\nalone' })));
    expect(ofTeam.fix).toBe('correct the asset that the comment above the line names');
  });
});
