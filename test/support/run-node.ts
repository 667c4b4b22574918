import { spawnSync } from 'node:child_process';

/**
 * Runs a module in a process of its own, with more environment, and returns what it passes to `report`. The module sees
 * every export of `@cairn/natives` by name.
 */
export function runNode(code: string, env: NodeJS.ProcessEnv = {}): unknown {
  const source = `
    import * as natives from '@cairn/natives';
    const { CairnError, FileType, GrepOutputMode, fsScanCacheStats, fuzzyFind, glob, grep, invalidateFsScanCache, treeSummary } = natives;
    const report = (value) => process.stdout.write(JSON.stringify(value));
    ${code}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`the module ended with exit code ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
