import { describe, expect, test } from 'vitest';
import { runNode } from '../support/run-node.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

/** Without the announcement of the shell, the cached scans would last longer than the test. */
const LONG = { FS_SCAN_CACHE_TTL_MS: '3600000' };

function shellRun(code: string): unknown {
  const root = createTree({ '.gitignore': '*.log\n', 'README.md': '# A\n', src: { 'a.ts': '' } });
  return runNode(
    `
    import { createCodingTools, createShellTool, createWorkspace } from '@cairn/coding-agent';
    import { createWorkspaceCache } from '@cairn/workspace-cache';
    const root = ${JSON.stringify(root)};
    const cache = createWorkspaceCache({ root, onWarning: () => undefined });
    const workspace = cache.createWorkspace({ stateDirectory: ${JSON.stringify(temporaryDirectory())} });
    const tools = createCodingTools({ workspace });
    const shell = createShellTool({ workspace, approve: () => ({ approved: true }) });
    const { run } = await cache.init();
    ${code}
    await cache.close();`,
    LONG,
  );
}

describe('after a shell command', () => {
  test('updates name what came and went, and the section keeps its bytes', () => {
    const found = shellRun(`
      const section = run.section();
      await shell.execute({ command: 'touch src/b.ts x.log; mkdir new; touch new/c; rm README.md' });
      const updates = run.updates();
      const { others, total } = await run.refresh();
      report([updates, run.updates() === updates, run.section() === section, others, total]);`) as unknown[];
    expect(found[0]).toMatch(/src\/b\.ts/u);
    expect(found[0]).toMatch(/new\/c/u);
    expect(found[0]).toMatch(/README\.md/u);
    expect(found[0]).not.toContain('x.log');
    expect(found.slice(1)).toEqual([true, true, 0, 0]);
  });

  test.each([
    ['fails', `await shell.execute({ command: 'touch late; exit 1' });`],
    ['runs out of time', `await shell.execute({ command: 'touch late; sleep 100', timeout: 1000 });`],
    [
      'is aborted',
      `const abort = new AbortController();
       const running = shell.execute({ command: 'touch late; sleep 100' }, { signal: abort.signal }).catch(() => undefined);
       const { existsSync } = await import('node:fs');
       while (!existsSync(root + '/late')) await new Promise((done) => setImmediate(done));
       abort.abort();
       await running;`,
    ],
  ])('that %s, updates name what it changed', (_, code) => {
    expect(shellRun(`${code} report(run.updates());`)).toMatch(/\blate\b/u);
  });

  test('listings and contents that were kept are the new ones', () => {
    expect(
      shellRun(`
      const list = async () => (await tools.ls.execute({ path: 'src' })).details.entries.map(({ path }) => path);
      const read = async () => (await tools.read.execute({ path: 'src/a.ts' })).details.lines;
      const before = [await list(), await read()];
      await shell.execute({ command: 'echo new >src/a.ts; touch src/b.ts' });
      report([...before, await list(), await read()]);`),
    ).toEqual([['a.ts'], [], ['a.ts', 'b.ts'], ['new']]);
  });
});
