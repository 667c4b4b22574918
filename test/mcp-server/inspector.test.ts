import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cairnEntry, cleanEnv, finished } from '../support/cli.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { startHttp } from './support.ts';
import type { Way } from './support.ts';

const launcher = fileURLToPath(
  import.meta
    .resolve('@modelcontextprotocol/inspector/package.json')
    .replace('package.json', 'clients/launcher/build/index.js'),
);

/** What a host has in its configuration. */
type Entry = Readonly<Record<string, unknown>>;

async function entryFor(over: Way['over'], root: string): Promise<Entry> {
  if (over === 'stdio') return { command: process.execPath, args: [cairnEntry, 'mcp', '--root', root] };
  const { url } = await startHttp(['--root', root, '--http', '0', '--token', 'secret']);
  return { type: 'streamable-http', url, headers: { Authorization: 'Bearer secret' } };
}

/** Runs a method by the inspector's command line, with a server in its configuration. */
async function inspect(entry: Entry, args: readonly string[]): Promise<unknown> {
  const home = temporaryDirectory();
  const config = join(home, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { cairn: entry } }));
  const command = [launcher, '--cli', '--config', config, '--server', 'cairn', ...args];
  const child = spawn(process.execPath, command, { env: cleanEnv({ HOME: home }), stdio: ['ignore', 'pipe', 'pipe'] });
  const { exitCode, stdout, stderr } = await finished(child);
  // 5: the tool failed, which the answer says.
  if (exitCode !== 0 && exitCode !== 5) throw new Error(`the inspector ended with ${exitCode}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

describe.each(['stdio', 'http'] as const)('the inspector over %s', (over) => {
  test('lists the tools, calls one, and reads a file', async () => {
    const root = createTree({ 'a.txt': 'alpha\n' });
    const entry = await entryFor(over, root);
    // It ends with a status of its own when a schema has something that another host could not take.
    expect(await inspect(entry, ['--method', 'tools/list', '--strict'])).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'grep' })]),
    });
    const call = ['--method', 'tools/call', '--tool-name', 'read', '--tool-arg'];
    expect(await inspect(entry, [...call, 'path=a.txt'])).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('alpha') }],
    });
    expect(await inspect(entry, [...call, 'path=b.txt'])).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('b.txt does not exist') }],
    });
    const uri = pathToFileURL(join(root, 'a.txt')).href;
    expect(await inspect(entry, ['--method', 'resources/read', '--uri', uri])).toMatchObject({
      contents: [{ uri, mimeType: 'text/plain', text: 'alpha\n' }],
    });
  });
});
