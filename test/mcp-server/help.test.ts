import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv, finished } from '../support/cli.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { startHttp } from './support.ts';

test.skipIf(process.platform === 'win32')('every example in `cairn mcp --help` starts a server', async () => {
  const [bin, home, cwd] = [temporaryDirectory(), temporaryDirectory(), createTree({ 'a.txt': 'alpha\n' })];
  writeFileSync(join(bin, 'cairn'), `#!/bin/sh\nexec "${process.execPath}" "${cairnEntry}" "$@"\n`, { mode: 0o755 });
  for (const directory of ['src/app', 'notes']) mkdirSync(join(home, directory), { recursive: true });
  const path = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
  // No request is sent: the agents need a model that could answer one.
  const model = { CAIRN_MODEL: 'scripted', CAIRN_BASE_URL: 'http://127.0.0.1:9/v1' };
  const env = cleanEnv({ PATH: path, HOME: home, ...model });
  const { stdout: help } = await cairn(['mcp', '--help']);
  const examples = [...help.matchAll(/^ {2}\$ (cairn .*?) {2,}\S.*$/gmu)].map(([, command = '']) => command);
  const [http, ...others] = examples.toSorted((a) => (a.includes('--http') ? -1 : 1));
  expect(others).toHaveLength(4);
  for (const example of others) {
    // Its input is empty, so it shuts down at once.
    const child = spawn('/bin/sh', ['-c', example], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const { exitCode, stdout, stderr } = await finished(child);
    expect({ exitCode, stdout }, example).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr, example).toMatch(/^cairn mcp: \d+ tools for \//u);
  }
  // The port of the example may be in use on this machine.
  const port = http?.split(' ').at(-1) ?? '';
  expect(http).toBe(`cairn mcp --http ${port}`);
  const server = await startHttp(['--root', cwd, '--http', '0']);
  expect(server.stderr()).toMatch(
    /\d+ tools for .*\n.*Authorization: Bearer .*\n.*listening on http:\/\/127\.0\.0\.1:\d+\/mcp/u,
  );
});
