import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import semver from 'semver';
import { describe, expect, test } from 'vitest';
import { type CairnResult, cairnEntry, cairnProcess } from '../support/cli.ts';

const manifest = fileURLToPath(new URL('../../packages/cli/package.json', import.meta.url));
const { engines } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly engines: { readonly node: string } };

/** Runs a command in a Node that claims to be another version. */
async function cairnIn(node: string, args: readonly string[]): Promise<CairnResult> {
  const versions = `{ ...process.versions, node: ${JSON.stringify(node)} }`;
  const claim = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
  return cairnProcess(args, { preload: `data:text/javascript,${encodeURIComponent(claim)}` });
}

const refusal = (node: string): string =>
  `cairn: Node ${node} is not supported: cairn needs ${engines.node}; install Node 24 from https://nodejs.org\n`;

test.each([
  '14.21.3',
  '16.20.2',
  '18.20.8',
  '20.20.2',
  '21.0.0',
  '22.0.0',
  '22.22.2',
  '22.22.3',
  '22.23.0',
  '23.11.1',
  '24.14.1',
  '24.15.0',
  '25.0.0',
  '26.10.0',
])('Node %s runs cairn if it is in the range of the package, and is rejected in one line if not', async (node) => {
  const { exitCode, stdout, stderr } = await cairnIn(node, ['--version']);
  expect({ exitCode, stderr }).toEqual(
    semver.satisfies(node, engines.node) ? { exitCode: 0, stderr: '' } : { exitCode: 2, stderr: refusal(node) },
  );
  expect(stdout === '').toBe(exitCode === 2);
});

describe('in a Node that is not supported', () => {
  test('a server of MCP writes nothing to standard output and ends', async () => {
    const result = await cairnIn('20.20.2', ['mcp']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: refusal('20.20.2') });
  });

  test('the hook of a session ends with status 0, so that the session starts', async () => {
    const result = await cairnIn('20.20.2', ['hook', 'session-start', '--host', 'claude']);
    expect(result).toMatchObject({ exitCode: 0, stdout: '', stderr: refusal('20.20.2') });
  });

  test('--json makes the rejection a document, unless it is an operand', async () => {
    const { exitCode, stdout, stderr } = await cairnIn('20.20.2', ['grep', 'x', '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'UNSUPPORTED_NODE',
        message: `Node 20.20.2 is not supported: cairn needs ${engines.node}`,
        fix: 'install Node 24 from https://nodejs.org',
      },
    });
    expect((await cairnIn('20.20.2', ['grep', '--', '--json'])).stderr).toBe(refusal('20.20.2'));
  });
});

test('what runs before the version is known has no syntax that an old Node lacks', () => {
  const code = readFileSync(cairnEntry, 'utf8').replaceAll(/^\s*\/\/.*$/gmu, '');
  expect(code).not.toMatch(/\?\.|\?\?|\|\|=|&&=|\bclass\b|\bawait\b|\.at\(|catch \{|^import\b|^export\b/mu);
  // Everything else is loaded after the check.
  expect(code.match(/\bimport\b.*/gu)).toEqual(["import('#main');"]);
  expect(join(cairnEntry, '..', '..')).toBe(join(manifest, '..'));
});
