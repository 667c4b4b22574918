/** The way of a newcomer: the blocks of the README about knowledge, as they are. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { cairnEntry, cleanEnv } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';

const readme = fileURLToPath(new URL('../../README.md', import.meta.url));

/** Returns the commands of the README's blocks about knowledge. */
function commandsOf(): string[] {
  const blocks = codeBlocksOf('README.md', readFileSync(readme, 'utf8')).filter(({ text }) =>
    /cairn knowledge (?:add|team)/u.test(text),
  );
  return blocks
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.replace(/^\$ /u, '').replace(/ {2,}#.*$/u, ''));
}

test.skipIf(process.platform === 'win32')(
  'the README alone leads to an asset, its line in the index, a search in Chinese, and a second clone',
  async () => {
    const commands = commandsOf();
    expect(commands).toHaveLength(9);
    const [bin, home] = [temporaryDirectory(), temporaryDirectory()];
    writeFileSync(join(bin, 'cairn'), `#!/bin/sh\nexec "${process.execPath}" "${cairnEntry}" "$@"\n`, { mode: 0o755 });
    const env = cleanEnv({ PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, HOME: home });
    const script = commands.map((command) => `${command}\necho '=='`).join('\n');
    const { stdout } = await promisify(execFile)('/bin/sh', ['-e', '-c', script], { cwd: home, env });

    const [added, index, found, , , pushed, , pulled, shown] = stdout.split('==\n');
    expect(added).toBe('general/redis-failover\n');
    expect(index).toContain('\nredis-failover|pitfall|general|Redis failover|redis|0\n');
    expect(found).toMatch(/^general\/redis-failover {2}pitfall {2}[\d.]+ {2}Redis failover\n {4}.*客户端要重试。\n$/u);
    expect(pushed).toMatch(/pushed +added +general\/redis-failover/u);
    expect(pulled).toMatch(/pulled +added +general\/redis-failover/u);
    expect(shown).toBe(
      '---\nname: redis-failover\ntype: pitfall\nproduct_line: general\ntitle: Redis failover\ntags: [redis]\n---\n\n主从切换需要 30 秒，客户端要重试。\n',
    );
  },
);
