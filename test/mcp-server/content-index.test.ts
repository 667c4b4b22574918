import { contentIndexPolicy } from '@cairn/natives/internal';
import type { Client } from '@modelcontextprotocol/client';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTree } from '../support/tree.ts';
import { call, connectUrl, startHttp } from './support.ts';

const eager = { FS_CONTENT_INDEX_MIN_FILES: '0', FS_CONTENT_INDEX_SETTLE_MS: '0' };
const files = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [`d${index % 3}/${index}.ts`, `let x${index};\n`]),
);
const tree = {
  ...files,
  '.gitignore': 'ignored\n',
  ignored: 'only ignored\n',
  node_modules: { a: 'let dependency;\n' },
};

async function serve(root: string, env: Readonly<Record<string, string>>, args: readonly string[]): Promise<Client> {
  const { url } = await startHttp(['--root', root, '--http', '0', '--no-auth', ...args], env);
  return connectUrl(url, 'modern');
}

/** Returns the number of files that an index left out of a search without a match. */
async function filesExcluded(client: Client): Promise<unknown> {
  const { _meta } = await client.callTool({ name: 'grep', arguments: { pattern: 'absent text' } });
  return (_meta?.['cairn/facts'] as Record<string, unknown> | undefined)?.['filesExcluded'];
}

const inputs = [
  { pattern: 'x1\\d' },
  { pattern: 'let x7;' },
  { pattern: 'absent text' },
  { pattern: 'only ignored' },
  { pattern: 'only ignored', ignored: true },
  { pattern: 'let dependency' },
  { pattern: 'let x\\d+;', mode: 'count', path: 'd1' },
  { pattern: 'new line', mode: 'files' },
];

test.skipIf(!contentIndexPolicy(tmpdir()).keepsTimes).each([[[]], [['--watch']]])(
  'grep with an index of contents answers over MCP as without one, whatever another program changes: %j',
  async (args) => {
    const root = createTree(tree);
    const indexed = await serve(root, eager, args);
    const plain = await serve(root, { FS_CONTENT_INDEX_MAX_BYTES: '0' }, []);
    const expectSame = async (): Promise<void> => {
      for (const input of inputs) {
        expect(await call(indexed, 'grep', input), JSON.stringify(input)).toBe(await call(plain, 'grep', input));
      }
    };
    await expectSame();
    await expect.poll(() => filesExcluded(indexed)).toBe(Object.keys(tree).length - 1);
    expect(await filesExcluded(plain)).toBeUndefined();
    await expectSame();
    writeFileSync(join(root, 'd1/1.ts'), 'a new line\n');
    expect(await call(indexed, 'grep', { pattern: 'new line' })).toContain('d1/1.ts');
    writeFileSync(join(root, 'd1/new.ts'), 'a new line\n');
    expect(await call(indexed, 'grep', { pattern: 'new line' })).toContain('d1/new.ts');
    rmSync(join(root, 'd1/1.ts'));
    await expectSame();
  },
);
