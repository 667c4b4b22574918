import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { finished, startCairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { newcomer, remember } from './newcomer.ts';

describe.skipIf(process.platform === 'win32')('cairn memory edit', () => {
  /** An editor: a script that gets the file as $1. */
  function editor(script: string): Readonly<Record<string, string>> {
    const path = join(temporaryDirectory(), 'my editor');
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { EDITOR: `'${path}' --wait`, VISUAL: '' };
  }

  /** The file that an answer names. */
  function keptFile({ stderr }: CairnResult): string {
    return /the edited text is in (\S+\.md)/u.exec(stderr)?.[1] ?? '';
  }

  const setEdit = (expression: string): string => `sed -i '${expression}' "$2"`;

  test('changes, adds and archives facts by what was edited', async () => {
    const cairn = newcomer();
    const [one, two] = [await remember(cairn, 'Deploy on Fridays'), await remember(cairn, 'The tests need redis')];
    const changed = cairn.elsewhere(cairn.home, editor(setEdit('s/Fridays/Mondays/')));
    expect(await changed(['memory', 'edit'])).toMatchObject({
      exitCode: 0,
      stderr: 'cairn: added 0, updated 1, archived 0\n',
    });
    expect((await cairn(['memory', 'show', one])).stdout).toContain('Deploy on Mondays');
    expect((await cairn(['memory', 'show', two])).stdout).not.toContain('until');
    expect(readdirSync(cairn.home).filter((name) => name.startsWith('cairn-edit-'))).toEqual([]);
  });

  test('an unchanged or emptied file changes nothing', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    for (const [script, message] of [
      ['true', 'the text was not changed; nothing was done'],
      [': > "$2"', 'the text is empty; nothing was done'],
      ['rm "$2"', 'nothing was done'],
    ] as const) {
      const result = await cairn.elsewhere(cairn.home, editor(script))(['memory', 'edit']);
      expect(result).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(message) });
    }
    expect((await cairn(['memory', 'list'])).stdout).toContain(id);
  });

  test.each([
    [
      'fails',
      'sed -i s/Fridays/Mondays/ "$2"; exit 3',
      /failed with status 3; nothing was changed; the edited text is in/u,
    ],
    [
      'is killed',
      'sed -i s/Fridays/Mondays/ "$2"; kill -KILL $$',
      /(?:ended by SIGKILL|status 137); nothing was changed; the edited text is in/u,
    ],
  ])('an editor that %s changes nothing, and its text is kept', async (_, script, message) => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    const result = await cairn.elsewhere(cairn.home, editor(script))(['memory', 'edit']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(readFileSync(keptFile(result), 'utf8')).toContain('Mondays');
    expect((await cairn(['memory', 'show', id])).stdout).toContain('Fridays');
  });

  test('an editor with another encoding changes nothing, and its text is kept', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, '部署在周五');
    const script = `printf '\\n## new\\n\\ncaf\\351\\n' >> "$2"`;
    const result = await cairn.elsewhere(cairn.home, editor(script))(['memory', 'edit']);
    expect(result).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/is not valid UTF-8; nothing was changed; the edited text is in .*convert it/u),
    });
    const file = keptFile(result);
    expect(await cairn(['memory', 'edit', '--apply', file])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not valid UTF-8'),
    });
    writeFileSync(file, readFileSync(file, 'latin1').replace('caf\u00e9', 'cafe'), 'latin1');
    expect(await cairn(['memory', 'edit', '--apply', file])).toMatchObject({ exitCode: 0 });
    expect((await cairn(['memory', 'list'])).stdout).toMatch(
      new RegExp(`: cafe\\n.*${id} project: 部署在周五\\n$`, 'u'),
    );
  });

  test('an interruption while the editor runs changes nothing, and its text is kept', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    const script = 'sed -i s/Fridays/Mondays/ "$2"; kill -INT "$(ps -o ppid= -p $PPID)" 2>/dev/null || kill -INT $PPID';
    const child = startCairn(['memory', 'edit'], {
      cwd: cairn.home,
      env: { HOME: cairn.home, TMPDIR: cairn.home, ...editor(script) },
    });
    const result = await finished(child);
    expect(result).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining('interrupted; nothing was changed'),
    });
    expect(readFileSync(keptFile(result), 'utf8')).toContain('Mondays');
    expect((await cairn(['memory', 'show', id])).stdout).toContain('Fridays');
  });

  test('an editor that does not exist, and none at all, are errors that state what to do', async () => {
    const cairn = newcomer();
    await remember(cairn, 'x');
    expect(await cairn.elsewhere(cairn.home, { EDITOR: 'no-such-editor' })(['memory', 'edit'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /the editor no-such-editor was not found; nothing was changed; set VISUAL or EDITOR/u,
      ),
    });
    expect(await cairn.elsewhere(cairn.home, { EDITOR: '', VISUAL: '' })(['memory', 'edit'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/no terminal for an editor.*set EDITOR, or use 'cairn memory update'/u),
    });
  });

  test('a rejected text is kept, and applied after it is corrected', async () => {
    const cairn = newcomer();
    const id = await remember(cairn, 'Deploy on Fridays');
    const refused = await cairn.elsewhere(
      cairn.home,
      editor(setEdit('s/Fridays/AKIAIOSFODNN7QWERTYU/')),
    )(['memory', 'edit']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    const file = keptFile(refused);
    expect(refused.stderr).toContain(`cairn memory edit --apply ${file}`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('AKIAIOSFODNN7QWERTYU', 'Mondays'));
    expect(await cairn(['memory', 'edit', '--apply', file])).toMatchObject({ exitCode: 0 });
    expect((await cairn(['memory', 'show', id])).stdout).toContain('Mondays');
  });
});
