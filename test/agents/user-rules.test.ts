/** The rules and the trust that are kept for a user: by several processes, and when one is killed. */
import { openUserRules, trustHash } from '@cairn/agents';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startScript } from '../memory/child-process.ts';
import { createTree } from '../support/tree.ts';

const script = fileURLToPath(new URL('rules-child.ts', import.meta.url));

function place(): { readonly root: string; readonly home: string; readonly env: Readonly<Record<string, string>> } {
  const directory = createTree({ 'project/': {}, 'home/': {} });
  return { root: join(directory, 'project'), home: join(directory, 'home'), env: {} };
}

test('nothing is written before something is kept, and what is kept is for the user only', async () => {
  const at = place();
  const rules = await openUserRules(at);
  expect(readdirSync(at.home)).toEqual([]);
  await rules.keep(['write(a.txt)']);
  expect(statSync(rules.path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(rules.path)).mode & 0o777).toBe(0o700);
  const [, project] = (await openUserRules(at)).sources;
  expect(project).toMatchObject({ source: rules.path, allow: ['write(a.txt)'] });
});

test('a link to the project has the same rules, and another project has none', async () => {
  const at = place();
  const link = join(dirname(at.root), 'link');
  symlinkSync(at.root, link);
  await (await openUserRules(at)).keep(['write']);
  expect((await openUserRules({ ...at, root: link })).sources[1]?.allow).toEqual(['write']);
  expect((await openUserRules({ ...at, root: at.home })).sources[1]?.allow).toEqual([]);
});

test('a rule that cannot be read again is not kept', async () => {
  const at = place();
  const rules = await openUserRules(at);
  await expect(rules.keep(['wirte(a.txt)'])).rejects.toMatchObject({ code: 'INVALID_RULE' });
  expect(readdirSync(at.home)).toEqual([]);
});

test('an invalid file is an error with its path, and is not overwritten', async () => {
  const at = place();
  const rules = await openUserRules(at);
  await rules.keep(['write']);
  writeFileSync(rules.path, '{"allow":["write"],"deny":[7]}');
  await expect(openUserRules(at)).rejects.toMatchObject({ code: 'INVALID_RULE', path: rules.path });
  await expect(rules.keep(['edit'])).rejects.toMatchObject({ code: 'INVALID_RULE' });
  expect(readFileSync(rules.path, 'utf8')).toContain('"deny":[7]');
});

test('trust is by content, whatever the order of its fields', async () => {
  const at = place();
  const rules = await openUserRules(at);
  const hash = trustHash({ name: 'a', tools: ['read', 'write'] });
  await rules.trust([{ hash, name: 'agent a' }]);
  const again = await openUserRules(at);
  expect(again.isTrusted(trustHash({ tools: ['read', 'write'], name: 'a' }))).toBe(true);
  for (const other of [
    { name: 'a', tools: ['write', 'read'] },
    { name: 'a' },
    { name: 'b', tools: ['read', 'write'] },
  ]) {
    expect(again.isTrusted(trustHash(other))).toBe(false);
  }
});

test('two processes lose no rule of each other, and kills leave a whole file and no lock', async () => {
  const at = place();
  mkdirSync(join(at.home, '.config'), { recursive: true });
  chmodSync(at.home, 0o700);
  const kept: string[] = [];
  for (let round = 0; round < 12; round++) {
    const names = [`a${round}`, `b${round}`];
    const children = names.map((name) => ({ name, ...startScript(script, [at.root, at.home, name]) }));
    // Killed while the next one is kept, after another number each time.
    await Promise.race(children.map(({ printed }) => printed(1 + (round % 4))));
    for (const { child } of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
    for (const { name, lines } of children) kept.push(...lines.map((number) => `write(${name}/${number}.txt)`));
    const allow = (await openUserRules(at)).sources[1]?.allow ?? [];
    expect(kept.filter((rule) => !allow.includes(rule))).toEqual([]);
  }
  expect(kept.length).toBeGreaterThan(12);
  const rules = await openUserRules(at);
  await rules.keep(['write(last.txt)']);
  expect(readdirSync(dirname(rules.path)).filter((name) => !/^lock$|\.json$/u.test(name))).toEqual([]);
}, 120_000);
