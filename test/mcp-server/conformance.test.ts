import { serveHttp } from '@cairn/mcp-server/http';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { cleanEnv, finished } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { createConformanceService } from './conformance-service.ts';
import { startHttp } from './support.ts';

const suite = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/conformance/package.json').replace('package.json', 'dist/index.js'),
);
const exceptions = fileURLToPath(new URL('conformance-exceptions.yaml', import.meta.url));

/** Runs every scenario of the official suite for servers. */
function runSuite(url: string, args: readonly string[] = []): Promise<CairnResult> {
  const all = ['server', '--url', url, '--suite', 'all', '--output-dir', temporaryDirectory(), ...args];
  return finished(spawn(process.execPath, [suite, ...all], { env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Returns the passed and failed scenarios of a run. */
function scenarios({ stdout }: CairnResult): { readonly passed: string[]; readonly failed: string[] } {
  // A scenario with no checks has not passed.
  const named = (mark: string, checks: string): string[] =>
    [...stdout.matchAll(new RegExp(`^${mark} ([\\w-]+): ${checks}`, 'gmu'))].map(([, name = '']) => name);
  return { passed: named('✓', '[1-9]'), failed: named('✗', '') };
}

test('the HTTP transport passes the conformance suite with the fixtures of the suite', async () => {
  const errors: string[] = [];
  const onError = (error: Error): void => void errors.push(error.message);
  const listener = await serveHttp(createConformanceService(), { port: 0, token: undefined, onError });
  onTestFinished(() => listener.close());
  const result = await runSuite(listener.url);
  const { passed, failed } = scenarios(result);
  expect({ failed, exitCode: result.exitCode }, result.stdout).toEqual({ failed: [], exitCode: 0 });
  expect(passed.length).toBeGreaterThanOrEqual(31);
  expect(errors).toEqual([]);
});

test('cairn mcp passes every applicable scenario; the exceptions are listed with their reasons', async () => {
  const server = await startHttp(['--root', createTree({ 'a.txt': 'a' }), '--http', '0', '--no-auth']);
  const result = await runSuite(server.url, ['--expected-failures', exceptions]);
  expect(result.exitCode, result.stdout).toBe(0);
  expect(scenarios(result).passed).toEqual([
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'dns-rebinding-protection',
  ]);
});
