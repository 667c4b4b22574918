/** How long an agent host waits for the knowledge at the start of a session. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ms } from './report.ts';

const RUNS = 25;

const cairn = fileURLToPath(new URL('../../packages/cli/bin/cairn.js', import.meta.url));

/** Returns the fastest run of a program: other work of the machine only ever adds. The first one fills the cache of compiled modules. */
function fastestMs(args: readonly string[], directory: string): number {
  const input = JSON.stringify({ hook_event_name: 'SessionStart', source: 'startup', cwd: process.cwd() });
  // The sources are TypeScript; compiled before, they start as the published package does.
  const env = { ...process.env, CAIRN_KNOWLEDGE_DIR: directory, NODE_COMPILE_CACHE: join(directory, 'compiled') };
  const times = Array.from({ length: RUNS + 1 }, () => {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { input, env, encoding: 'utf8' });
    if (status !== 0 || stderr !== '') throw new Error(`node ${args.join(' ')}: ${stderr}`);
    return performance.now() - start;
  });
  return Math.min(...times.slice(1));
}

/** Measures `cairn hook session-start` on a knowledge directory, in processes of its own. */
export function measureSessionStart(directory: string): string {
  const bare = fastestMs(['--eval', ''], directory);
  const hook = fastestMs([cairn, 'hook', 'session-start', '--host', 'claude', '--timeout', '60000'], directory);
  return `\`cairn hook session-start\`, the fastest of ${RUNS} processes: ${ms(hook)}; ${ms(bare)} of them are Node without a program (\`node -e ''\`) and ${ms(hook - bare)} its own.`;
}
