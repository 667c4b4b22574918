import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newcomer, remember, type Newcomer } from './newcomer.ts';

/** Returns the path of the person's glossary, in a directory that exists. */
function glossaryOf({ home }: Newcomer): string {
  const directory = join(home, '.config', 'cairn');
  mkdirSync(directory, { recursive: true });
  return join(directory, 'glossary.txt');
}

const fact = 'The zorblat runs at night.';

describe("the user's glossary", () => {
  test.each([[['recall']], [['memory', 'recall']]])('is used by %s', async (command) => {
    const cairn = newcomer();
    await remember(cairn, fact);
    const before = await cairn([...command, '折光']);
    expect(before.stdout).not.toContain(fact);
    writeFileSync(glossaryOf(cairn), 'zorblat, 折光\n');
    expect(await cairn([...command, '折光'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(fact),
      stderr: '',
    });
  });

  test('with a bad line costs one notice, the good lines are used, and doctor names the line', async () => {
    const cairn = newcomer();
    await remember(cairn, fact);
    const path = glossaryOf(cairn);
    writeFileSync(path, '# mine\nalone\nzorblat, 折光\n(, )\n');
    const problem = 'line 2: the line has no two words that differ; write words separated by commas';
    const notice = `cairn: not all of the glossary ${path} is used: ${problem}; 1 more problem: see 'cairn doctor'\n`;
    for (const command of [['recall'], ['memory', 'recall']]) {
      const found = await cairn([...command, '折光']);
      expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(fact), stderr: notice });
    }
    const { exitCode, stdout } = await cairn(['doctor']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^warn {2}glossary +not all of \S+ is used: line 2: .*; line 4: .*; fix: correct these lines$/mu,
    );
  });

  test('that is a directory breaks nothing', async () => {
    const cairn = newcomer();
    await remember(cairn, fact);
    const path = glossaryOf(cairn);
    mkdirSync(path);
    const found = await cairn(['recall', 'zorblat']);
    expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(fact) });
    expect(found.stderr).toBe(`cairn: cannot use the glossary ${path}: it is not a file; remove it\n`);
  });
});

test('a glossary asset of the team is used by searches of facts, and its bad lines are in doctor', async () => {
  const cairn = newcomer();
  await remember(cairn, fact);
  const add = ['knowledge', 'add', '--new', '--type', 'glossary', '--title', 'Our words', '--name', 'words'];
  const body = 'Our words.\n\n```glossary\nzorblat, 折光\nalone\n```\n';
  expect(await cairn(add, body)).toMatchObject({ exitCode: 0 });
  const file = join(cairn.home, '.local/share/cairn/knowledge/glossary.txt');
  expect(existsSync(file)).toBe(true);
  const found = await cairn(['recall', '折光', '--kind', 'fact']);
  expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(fact) });
  const { stdout } = await cairn(['doctor']);
  expect(stdout).toMatch(/^warn {2}glossary +not all of \S+ is used: line 3: .*; fix: correct the asset/mu);
  await cairn(['knowledge', 'remove', 'words', '--yes']);
  expect((await cairn(['recall', '折光', '--kind', 'fact'])).stdout).not.toContain(fact);
});
