import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { FileOperations } from '@cairn/coding-agent';
import {
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { symlink, temporaryDirectory } from '../support/tree.ts';
import { call, createBench, details, failure } from './support.ts';

describe('write', () => {
  test('creates a file and its directories', async () => {
    const { tools, text } = createBench({});
    const result = await tools.write.execute({ path: 'a/b/c.txt', content: 'x\n' });
    expect(textOf(result)).toMatch(/^Created a\/b\/c\.txt \(2 bytes, tag [0-9a-f]{8}\)\.$/u);
    expect(text('a/b/c.txt')).toBe('x\n');
  });

  test('does not overwrite an unread file, shows it, and overwrites it on the next call', async () => {
    const { tools, text } = createBench({ a: 'precious\n' });
    const refused = failure(await tools.write.execute({ path: 'a', content: 'new' }));
    expect(refused).toMatch(/^NOT_READ: a exists and was never read.* Nothing was changed\./u);
    expect(refused).toContain('a as it is now (lines 1-1 of 1):\nprecious');
    expect(text('a')).toBe('precious\n');
    expect(details(await tools.write.execute({ path: 'a', content: 'new' }))).toMatchObject({ created: false });
    expect(text('a')).toBe('new');
  });

  test('leaves no directory when one of several cannot be made', async () => {
    const { tools, paths } = createBench({});
    const long = await tools.write.execute({ path: `a/b/${'x'.repeat(300)}/c`, content: 'x' });
    expect(failure(long)).toMatch(/^NAME_TOO_LONG: .* Nothing was changed\./u);
    expect(paths()).toEqual([]);
  });

  test('works in a root that does not exist yet below a link', async () => {
    const { root } = createBench({ real: {}, link: symlink('real') });
    const below = createCodingTools({ root: join(root, 'link/new'), stateDirectory: temporaryDirectory() });
    details(await below.write.execute({ path: 'a', content: 'x' }));
    expect(readFileSync(join(root, 'real/new/a'), 'utf8')).toBe('x');
  });

  test('overwrites unread files when the guard is off', async () => {
    const { tools, text } = createBench({ a: '1' }, { staleGuard: 'off' });
    details(await tools.write.execute({ path: 'a', content: '2' }));
    expect(text('a')).toBe('2');
  });

  test('keeps the byte order mark, UTF-16 and CRLF of the file', async () => {
    const utf16 = Buffer.from('\ufeffa\r\nb\r\n', 'utf16le');
    const { tools, bytes } = createBench({ utf16, crlf: '\ufeffa\r\nb\r\n', mixed: 'a\r\nb\n' });
    for (const path of ['utf16', 'crlf', 'mixed']) {
      await tools.read.execute({ path });
      details(await tools.write.execute({ path, content: 'x\ny\n' }));
    }
    expect(bytes('utf16')).toEqual(Buffer.from('\ufeffx\r\ny\r\n', 'utf16le'));
    expect(bytes('crlf').toString()).toBe('\ufeffx\r\ny\r\n');
    expect(bytes('mixed').toString()).toBe('x\ny\n');
  });

  test('keeps the encoding that the file was read with', async () => {
    const { tools, bytes } = createBench({
      a: Buffer.from('caf\xe9\n', 'latin1'),
      b: Buffer.from('caf\xe9\n', 'latin1'),
    });
    for (const path of ['a', 'b']) await tools.read.execute({ path, encoding: 'latin1' });
    details(await tools.write.execute({ path: 'a', content: 'th\u00e9 \u20ac\n' }));
    expect(bytes('a')).toEqual(Buffer.from('th\xe9 \x80\n', 'latin1'));
    details(await tools.edit.execute({ path: 'b', edits: [{ old_text: 'caf\u00e9', new_text: '\u00fcber' }] }));
    expect(bytes('b')).toEqual(Buffer.from('\xfcber\n', 'latin1'));
    expect(failure(await tools.write.execute({ path: 'a', content: '\u4e16' }))).toMatch(/^ENCODING: .*windows-1252/u);
  });

  test('says when nothing would change', async () => {
    const { tools } = createBench({ a: 'x' });
    await tools.read.execute({ path: 'a' });
    expect(failure(await tools.write.execute({ path: 'a', content: 'x' }))).toMatch(/^NO_CHANGE/u);
  });
});

describe('edit', () => {
  test('answers with the lines, and shows the change when something was forgiven', async () => {
    const { tools, text } = createBench({ a: 'one  \ntwo\nthree\n' });
    const exact = await tools.edit.execute({ path: 'a', edits: [{ old_text: 'two', new_text: '2' }] });
    expect(textOf(exact)).toMatch(/^Edited a: 1 replacement at line 2, tag [0-9a-f]{8}\.$/u);
    const forgiven = await tools.edit.execute({ path: 'a', edits: [{ old_text: 'one\n2', new_text: 'one\nII' }] });
    expect(textOf(forgiven)).toContain('(trailing-blanks); the changes:\n@@ -1,3 +1,3 @@\n one  \n-2\n+II\n three');
    expect(details(forgiven).edits).toEqual([{ tier: 'trailing-blanks', replacements: 1, lineNumbers: [1] }]);
    expect(text('a')).toBe('one  \nII\nthree\n');
  });

  const spellings: readonly (readonly [reason: string, input: object])[] = [
    ['the canonical names', { path: 'a', edits: [{ old_text: 'x', new_text: 'y' }] }],
    ['flat', { path: 'a', old_text: 'x', new_text: 'y' }],
    ['file_path and old_string', { file_path: 'a', old_string: 'x', new_string: 'y' }],
    ['camel case', { filePath: 'a', oldText: 'x', newText: 'y' }],
    ['oldString and allow_multiple', { path: 'a', oldString: 'x', newString: 'y', allow_multiple: 'true' }],
    ['one object for a list', { path: 'a', edits: { oldText: 'x', newText: 'y' } }],
    ['a list as text', { path: 'a', edits: '[{"old_text":"x","new_text":"y"}]' }],
  ];

  test.each(spellings)('takes %s', async (_reason, input) => {
    const { tools, text } = createBench({ a: 'x' });
    details(await call(tools.edit, input));
    expect(text('a')).toBe('y');
  });

  test('all edits of one call are made, or none', async () => {
    const { tools, text } = createBench({ a: '1 2 3' });
    const edits = [
      { old_text: '1', new_text: 'a' },
      { old_text: '9', new_text: 'b' },
    ];
    expect(failure(await tools.edit.execute({ path: 'a', edits }))).toMatch(/^NO_MATCH: edits\[1\]\.old_text/u);
    expect(text('a')).toBe('1 2 3');
  });

  test('a binary file and a missing one are rejected', async () => {
    const { tools } = createBench({ a: 'x\0y' });
    const edits = [{ old_text: 'x', new_text: 'y' }];
    expect(failure(await tools.edit.execute({ path: 'a', edits }))).toMatch(/^BINARY/u);
    expect(failure(await tools.edit.execute({ path: 'aa', edits }))).toMatch(/^NOT_FOUND: .*Did you mean a\?/u);
  });

  test('a dry run reports the change and changes nothing', async () => {
    const { tools, text, paths } = createBench({ a: 'x\n' });
    const edited = await tools.edit.execute({ path: 'a', edits: [{ old_text: 'x', new_text: 'y' }] }, { dryRun: true });
    expect(details(edited)).toMatchObject({ dryRun: true, diff: { addedLines: 1, removedLines: 1 } });
    expect(textOf(edited)).toMatch(/^Would have edited a/u);
    const written = await tools.write.execute({ path: 'b/c', content: 'x\n' }, { dryRun: true });
    expect(textOf(written)).toMatch(/^Would have created b\/c/u);
    expect(text('a')).toBe('x\n');
    expect(paths()).toEqual(['a']);
  });
});

describe('staleness', () => {
  const edits = [{ old_text: 'x', new_text: 'y' }];
  const changes: readonly (readonly [reason: string, change: (path: string) => void, isStale: boolean])[] = [
    ['another content', (path) => writeFileSync(path, 'x other\n'), true],
    [
      'another content of the same size and time',
      (path) => {
        const { atimeMs, mtimeMs } = statSync(path);
        writeFileSync(path, 'x B\n');
        utimesSync(path, atimeMs / 1000, mtimeMs / 1000);
      },
      true,
    ],
    [
      'another file with another content',
      (path) => {
        writeFileSync(`${path}.new`, 'x B\n');
        renameSync(`${path}.new`, path);
      },
      true,
    ],
    ['only another time', (path) => utimesSync(path, 1, 1), false],
    ['the same content written again', (path) => writeFileSync(path, 'x A\n'), false],
  ];

  test.each(changes)('an edit after the file was read and has got %s', async (_reason, change, isStale) => {
    const { tools, root, text } = createBench({ a: 'x A\n' });
    await tools.read.execute({ path: 'a' });
    change(join(root, 'a'));
    const now = text('a');
    const result = await tools.edit.execute({ path: 'a', edits });
    expect(result.isError).toBe(isStale);
    expect(text('a')).toBe(isStale ? now : 'y A\n');
    const shown = textOf(result).includes(`a as it is now (lines 1-1 of 1):\n${now.trim()}`);
    expect(shown).toBe(isStale);
    // The rejection showed the file: the next call knows it.
    if (isStale) details(await tools.edit.execute({ path: 'a', edits }));
  });

  test('every change of a file is rejected when it is stale, and allowed when the guard is off', async () => {
    for (const staleGuard of ['strict', 'off'] as const) {
      const { tools, root } = createBench({ a: '1\n', b: '1\n', c: '1\n', d: { e: '1\n' }, f: '1\n' }, { staleGuard });
      for (const path of ['a', 'b', 'c', 'd/e', 'f']) {
        await tools.read.execute({ path });
        writeFileSync(join(root, path), '2\n');
      }
      const results = [
        await tools.write.execute({ path: 'a', content: 'x' }),
        await tools.delete.execute({ path: 'b' }),
        await tools.rename.execute({ from: 'c', to: 'cc' }),
        await tools.delete.execute({ path: 'd', recursive: true }),
        await tools.patch.execute({ patch: '*** Begin Patch\n*** Update File: f\n@@\n-2\n+3\n*** End Patch' }),
      ];
      const reasons = results.map((result) => (result.isError ? result.details.reason : 'done'));
      expect(reasons).toEqual(Array(5).fill(staleGuard === 'strict' ? 'STALE' : 'done'));
    }
  });

  test('a grep that showed a file counts as reading it', async () => {
    const { tools, root } = createBench({ a: 'x\n' });
    await tools.grep.execute({ pattern: 'x' });
    writeFileSync(join(root, 'a'), 'x changed\n');
    expect(failure(await tools.edit.execute({ path: 'a', edits }))).toMatch(/^STALE/u);
  });

  test('of a huge file only the part that was read is compared', async () => {
    const line = 'some line or other\n';
    const { tools, root } = createBench({ a: `x ${line.repeat(1_000_000)}` });
    await tools.read.execute({ path: 'a', limit: 1 });
    const content = readFileSync(join(root, 'a'));
    content.write('SOME', content.length - line.length);
    writeFileSync(join(root, 'a'), content);
    details(await tools.edit.execute({ path: 'a', edits: [{ old_text: 'x ', new_text: 'y ' }] }));
    content.write('z', 0);
    writeFileSync(join(root, 'a'), content);
    expect(failure(await tools.edit.execute({ path: 'a', edits }))).toMatch(/^STALE/u);
  });
});

describe('a file keeps its attributes', () => {
  const edit = { edits: [{ old_text: 'x', new_text: 'y' }] };

  test('a write follows a broken link', async () => {
    const { tools, root, text } = createBench({ link: symlink('new') });
    details(await tools.write.execute({ path: 'link', content: 'x' }));
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true);
    expect(text('new')).toBe('x');
  });

  test.runIf(process.getuid?.() === 0)('its owner', async () => {
    const { tools, root } = createBench({ a: 'x' });
    const { chownSync } = await import('node:fs');
    chownSync(join(root, 'a'), 12345, 12346);
    details(await tools.edit.execute({ path: 'a', ...edit }));
    expect(statSync(join(root, 'a'))).toMatchObject({ uid: 12345, gid: 12346 });
  });
});

describe('abort', () => {
  test('an aborted call rejects with the reason and changes nothing', async () => {
    const { tools, text, paths } = createBench({ a: 'x' });
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    for (const options of [{ signal }, { abortSignal: signal }]) {
      const edits = [{ old_text: 'x', new_text: 'y' }];
      await expect(tools.edit.execute({ path: 'a', edits }, options)).rejects.toBe(reason);
      await expect(tools.write.execute({ path: 'b', content: '' }, options)).rejects.toBe(reason);
    }
    expect(text('a')).toBe('x');
    expect(paths()).toEqual(['a']);
  });

  test('an aborted call stops waiting at once, and later calls still wait their turn', async () => {
    const { tools, text } = createBench({ a: 'x y z' });
    const controller = new AbortController();
    const order: string[] = [];
    const edit = (from: string, to: string, signal?: AbortSignal): Promise<unknown> =>
      call(tools.edit, { path: 'a', old_text: from, new_text: to }, signal).then(
        () => order.push(to),
        () => order.push(`no ${to}`),
      );
    const calls = [edit('x', '1'), edit('y', '2', controller.signal), edit('z', '3')];
    controller.abort();
    await Promise.all(calls);
    // Calls made at once come in any order.
    expect(order[0]).toBe('no 2');
    expect(order.toSorted()).toEqual(['1', '3', 'no 2']);
    expect(text('a')).toBe('1 y 3');
  });
});

test('a link that is put in the way of a commit does not lead it elsewhere', async () => {
  const { tools, root } = createBench({ d: { a: 'x' }, elsewhere: { a: 'x' } });
  const edited = tools.edit.execute({ path: 'd/a', edits: [{ old_text: 'x', new_text: 'y' }] });
  renameSync(join(root, 'd'), join(root, 'moved'));
  symlinkSync('elsewhere', join(root, 'd'));
  await edited;
  expect(readFileSync(join(root, 'moved/a'), 'utf8') + readFileSync(join(root, 'elsewhere/a'), 'utf8')).toMatch(
    /^x[xy]$/u,
  );
});

test('parallel edits of one file by two of its names all survive', async () => {
  const { root, tools, text } = createBench({ a: 'one\ntwo\nthree\n' });
  linkSync(join(root, 'a'), join(root, 'b'));
  const edits = [
    ['a', 'one'],
    ['b', 'three'],
  ] as const;
  const results = await Promise.all(
    edits.map(([path, word]) =>
      tools.edit.execute({ path, edits: [{ old_text: word, new_text: word.toUpperCase() }] }),
    ),
  );
  results.forEach(details);
  expect(text('b')).toBe('ONE\ntwo\nTHREE\n');
});

describe('legacy encodings, in which a character may contain the bytes of another', () => {
  const shiftJis = Buffer.from([0x83, 0x41, 0x20, 0x3d, 0x20, 0x31, 0x0a]);
  const gb18030 = Buffer.concat([Buffer.from([0x94, 0x39, 0xfc, 0x36]), Buffer.from(' keep foo  \nbar\n')]);
  const rows = [
    ['the second half of a character does not match', shiftJis, 'shift_jis', 'A = 1'],
    ['a place whose offset is unknown does not match', gb18030, 'gb18030', 'foo\nbar'],
  ] as const;
  test.for(rows)('%s', async ([, content, encoding, old_text]) => {
    const { tools, bytes } = createBench({ a: content });
    details(await tools.read.execute({ path: 'a', encoding }));
    const result = await tools.edit.execute({ path: 'a', edits: [{ old_text, new_text: 'x' }] });
    expect(failure(result)).toMatch(/^NO_MATCH/u);
    expect(bytes('a')).toEqual(content);
  });
});

describe('a new file takes the place of nothing', () => {
  /** A file system that cannot rename without replacing. */
  const renameNoReplace = async (): Promise<boolean> => false;

  test.each([true, false])(
    'a file that another program creates at the last moment stays (one step: %s)',
    async (hasIt) => {
      const operations: FileOperations = {
        ...nodeFileOperations,
        renameNoReplace: async (from, to) => {
          writeFileSync(to, 'theirs');
          return hasIt && nodeFileOperations.renameNoReplace(from, to);
        },
      };
      const { tools, text, paths } = createBench({}, undefined, { operations });
      expect(failure(await tools.write.execute({ path: 'd/new', content: 'ours' }))).toMatch(
        /^STALE: .*another program/u,
      );
      expect(text('d/new')).toBe('theirs');
      expect(paths()).toEqual(['d', 'd/new']);
    },
  );

  test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])(
    'a file system that answers %s to a second name gets it by a rename',
    async (code) => {
      const link = (): Promise<void> => Promise.reject(Object.assign(new Error(code), { code }));
      const { tools, text, paths } = createBench({}, undefined, {
        operations: { ...nodeFileOperations, renameNoReplace, link },
      });
      details(await tools.write.execute({ path: 'new', content: 'ours' }));
      expect(text('new')).toBe('ours');
      expect(paths()).toEqual(['new']);
    },
  );

  test('when its temporary name cannot be removed, neither name is left', async () => {
    let isFirst = true;
    const unlink: FileOperations['unlink'] = (path) => {
      if (!isFirst) return nodeFileOperations.unlink(path);
      isFirst = false;
      return Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }));
    };
    const { tools, paths } = createBench({}, undefined, {
      operations: { ...nodeFileOperations, renameNoReplace, unlink },
    });
    expect(failure(await tools.write.execute({ path: 'new', content: 'ours' }))).toMatch(/^PERMISSION/u);
    expect(paths()).toEqual([]);
  });

  test('when neither name can be removed, the error reports it and the next call removes both', async () => {
    const names: string[] = [];
    const unlink: FileOperations['unlink'] = (path) => {
      names.push(path);
      return names.length > 2
        ? nodeFileOperations.unlink(path)
        : Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }));
    };
    const { tools, paths } = createBench({}, undefined, {
      operations: { ...nodeFileOperations, renameNoReplace, unlink },
    });
    const answer = await tools.write.execute({ path: 'new', content: 'ours' });
    expect(failure(answer)).toMatch(
      /^IO: The change failed partway, and undoing it failed too: new .* Check new before/u,
    );
    expect(answer.details).toMatchObject({ changed: true });
    details(await tools.write.execute({ path: 'other', content: '' }));
    expect(paths()).toEqual(['other']);
  });
});
