import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv, finished } from '../support/cli.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { startHttp } from './support.ts';
import type { Way } from './support.ts';

const launcher = fileURLToPath(
  import.meta
    .resolve('@modelcontextprotocol/inspector/package.json')
    .replace('package.json', 'clients/launcher/build/index.js'),
);

/** The entry of a server in the configuration of a host. */
type Entry = Readonly<Record<string, unknown>>;

async function entryFor(over: Way['over'], root: string): Promise<Entry> {
  if (over === 'stdio') return { command: process.execPath, args: [cairnEntry, 'mcp', '--root', root] };
  const { url } = await startHttp(['--root', root, '--http', '0', '--token', 'secret']);
  return { type: 'streamable-http', url, headers: { Authorization: 'Bearer secret' } };
}

/** Writes a host configuration with the server. Returns its path. */
function configWith(entry: Entry): string {
  const config = join(temporaryDirectory(), 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { cairn: entry } }));
  return config;
}

/** Runs a method with the command line of the inspector. Returns its output. */
async function inspect(config: string, args: readonly string[]): Promise<unknown> {
  const home = temporaryDirectory();
  const command = [launcher, '--cli', '--config', config, '--server', 'cairn', ...args];
  const child = spawn(process.execPath, command, { env: cleanEnv({ HOME: home }), stdio: ['ignore', 'pipe', 'pipe'] });
  const { exitCode, stdout, stderr } = await finished(child);
  // 5: the tool failed; the answer has the reason.
  if (exitCode !== 0 && exitCode !== 5) throw new Error(`the inspector ended with ${exitCode}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

describe.each(['stdio', 'http'] as const)('the inspector over %s', (over) => {
  test('lists the tools, calls one, and reads a file', async () => {
    const root = createTree({ 'a.txt': 'alpha\n' });
    const config = configWith(await entryFor(over, root));
    // With --strict it fails for a schema that some host cannot use.
    expect(await inspect(config, ['--method', 'tools/list', '--strict'])).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'grep' })]),
    });
    const call = ['--method', 'tools/call', '--tool-name', 'read', '--tool-arg'];
    expect(await inspect(config, [...call, 'path=a.txt'])).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('alpha') }],
    });
    expect(await inspect(config, [...call, 'path=b.txt'])).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('b.txt does not exist') }],
    });
    const uri = pathToFileURL(join(root, 'a.txt')).href;
    expect(await inspect(config, ['--method', 'resources/read', '--uri', uri])).toMatchObject({
      contents: [{ uri, mimeType: 'text/plain', text: 'alpha\n' }],
    });
  });
});

test('the inspector uses the configuration that `cairn mcp install` wrote', async () => {
  const root = createTree({ 'a.txt': 'alpha\n' });
  const installed = await cairn(['mcp', 'install', 'gemini', '--yes'], {
    cwd: root,
    env: { HOME: temporaryDirectory() },
  });
  expect(installed).toMatchObject({ exitCode: 0 });
  const config = join(root, '.gemini/settings.json');
  const call = ['--method', 'tools/call', '--tool-name', 'read', '--tool-arg', 'path=a.txt'];
  expect(await inspect(config, call)).toMatchObject({ content: [{ text: expect.stringContaining('alpha') }] });
});
