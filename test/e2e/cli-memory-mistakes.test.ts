import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { messages, newcomer, remember } from './newcomer.ts';

describe('an option without an effect, and two that exclude each other, are rejected', () => {
  const noEffect = 'cairn: --project has no effect with these options; leave it out\n';
  const ofUser = 'cairn: --project has no effect with these options; leave it out, or use --scope project\n';
  const cases: readonly (readonly [string, string])[] = [
    ['forget --everything --yes --project beta', noEffect],
    ['forget --everything --project beta', noEffect],
    ['forget --scope user --yes --project beta', ofUser],
    ['forget --stream agent --project beta', noEffect],
    ['export --project beta', noEffect],
    ['export --format markdown --project beta', noEffect],
    ['remember x --scope user --project beta', ofUser],
    ['list --scope user --project beta', ofUser],
    ['recall x --group g --project beta', noEffect],
    ['edit --scope user --project beta', ofUser],
    ['update x --no-tags --tag y', 'options "--no-tags" and "--tag <name>" exclude each other; leave one of them out'],
    ['update x --pin --no-pin', 'options "--pin" and "--no-pin" exclude each other; leave one of them out'],
    ['update x --no-shared --shared', 'options "--no-shared" and "--shared" exclude each other'],
    ['list --since 1d --until 3d', '--since 1d is not before --until 3d; use an earlier --since, or a later --until'],
    ['recall x --since 2026-01-02 --until 2026-01-01', '--since 2026-01-02 is not before --until 2026-01-01'],
  ];
  test.each(cases)('memory %s', async (words, message) => {
    const cairn = newcomer();
    await remember(cairn, 'kept', '--project', 'beta');
    const result = await cairn(['memory', ...words.split(' ')]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect((await cairn(['memory', 'list', '--project', 'beta'])).stdout).toContain('kept');
  });

  test('with --scope project, --project selects what is exported and forgotten', async () => {
    const cairn = newcomer();
    await remember(cairn, 'own');
    await remember(cairn, 'of beta', '--project', 'beta');
    const beta = ['--scope', 'project', '--project', 'beta'];
    const exported = await cairn(['memory', 'export', '--format', 'markdown', ...beta]);
    expect(exported.stdout).toContain('of beta');
    expect(exported.stdout).not.toContain('own');
    expect(await cairn(['memory', 'forget', '--yes', ...beta])).toMatchObject({ exitCode: 0 });
    expect((await cairn(['memory', 'list'])).stdout).toContain('own');
  });
});

test.each([
  [['recall', '', '--role', ''], '--role is empty; give it a value'],
  [['export', '--group', ''], '--group is empty; give it a value'],
  [['export', '--stream', ''], '--stream is empty; give it a value'],
  [['backup', ''], "the name of the file is empty; name a new file, such as 'memory.db'"],
])('an empty value is rejected: memory %j', async (words, message) => {
  const result = await newcomer()(['memory', ...words]);
  expect(result).toEqual({ exitCode: 2, signal: null, stdout: '', stderr: `cairn: ${message}\n` });
});

test.each([
  [['update', 'fact_x', 'new', 'text', ''], "but got 4: fact_x new text ''; use --text <text> for a text"],
  [['messages', 'chat'], 'but got 1: chat; use --group <name> for a group'],
  [['show', 'fact_x', 'fact_y'], 'but got 2: fact_x fact_y; leave out the extra ones'],
  [['recall', 'two', 'words'], 'but got 2: two words; put quotes around a text that contains spaces'],
  [['remember', 'two', 'words'], 'but got 2: two words; put quotes around a text that contains spaces'],
])('words that a command does not take: memory %j', async (words, message) => {
  const result = await newcomer()(['memory', ...words]);
  expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) });
});

test('extra words of a note are rejected with the quotes that are missing', async () => {
  const result = await newcomer()(['notes', 'add', 'build', 'two', 'words']);
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('quotes around a text') });
});

test('a restored fact and the successor that is archived for it are both reported', async () => {
  const cairn = newcomer();
  const first = await remember(cairn, 'Deploy on Fridays');
  const second = await remember(cairn, 'Deploy on Mondays', '--replaces', first);
  const third = await remember(cairn, 'Deploy on Tuesdays', '--replaces', second);
  const restored = await cairn(['memory', 'restore', first]);
  expect(restored.stderr).toBe(`cairn: restored ${first}\ncairn: archived ${third}, which had replaced it\n`);
  expect((await cairn(['memory', 'list'])).stdout).not.toContain('Tuesdays');
});

test('a search that finds nothing names its filters', async () => {
  const cairn = newcomer();
  await remember(cairn, 'Deploy on Fridays');
  const { stderr } = await cairn(['memory', 'recall', 'deploy', '--tag', 'a,b', '--since', '7d']);
  expect(stderr).toContain(
    'cairn: nothing found with --tag a,b --since 7d in 1 fact and 0 messages of the stream agent',
  );
  expect(stderr).toContain('try other words, leave out filters, or see');
  expect((await cairn(['memory', 'recall', 'x', '--role', 'user'])).stderr).toContain(
    'nothing found with --role user in',
  );
});

test('forgetting a message by its id names the command that erases it', async () => {
  const cairn = newcomer();
  await cairn(['memory', 'import'], messages(['a group', 'user', 'hello']));
  const command = "cairn memory forget --stream agent --group 'a group' --message 'message_a group0'";
  expect(await cairn(['memory', 'forget', 'message_a group0'])).toMatchObject({
    exitCode: 2,
    stderr: `cairn: message_a group0 is a message, not a fact; '${command}' erases it\n`,
  });
});

test('an import counts one unreadable line in the singular', async () => {
  const { stderr } = await newcomer()(['memory', 'import'], '{"kind":"other"}\n');
  expect(stderr).toContain('1 is kept as it is for the next export, because it is not readable');
});

test('a text that is too long is reported without options of the library', async () => {
  const { stderr } = await newcomer()(['memory', 'remember'], 'x'.repeat(2 ** 20 + 1));
  expect(stderr).toContain('Store a shorter text. Nothing was stored.');
});

test('a base URL that an option names is not reported as a mistake in the variable', async () => {
  const words = ['run', 'x', '--model', 'm', '--base-url', 'garbage'];
  const { stderr } = await newcomer()(['workflow', ...words]);
  expect(stderr).toContain('Correct --base-url or CAIRN_BASE_URL: use one such as');
});

test('a store and agents below a file: the file is named', async () => {
  const cairn = newcomer();
  const file = join(cairn.home, 'file');
  writeFileSync(file, '');
  mkdirSync(join(cairn.home, 'work'));
  const below = newcomer({}, file, join(cairn.home, 'work'));
  for (const store of [[], ['--store', join(file, 'memory.db')]]) {
    expect(await below(['memory', 'remember', 'x', ...store])).toMatchObject({
      exitCode: 2,
      stderr: `cairn: [memory:sqlite] ${file} is not a directory. Move that file, or use another path.\n`,
    });
  }
  const agent = ['agents', 'new', 'writer', '--user', '--description', 'Writes', '--prompt', 'Write.'];
  expect(await below(agent)).toMatchObject({
    exitCode: 2,
    stderr: `cairn: ${file} is not a directory. Move that file. Nothing was written.\n`,
  });
});
