/**
 * A process that runs command lines in sequence, as `packages/cli/src/main.ts` runs one: each with the arguments,
 * environment and directory of a process of its own. It spares a test the start of Node and the loading of every module.
 */
import { invalidateFsScanCache } from '@cairn/natives';
import process from 'node:process';
import { Readable } from 'node:stream';
// The command line has no exports: a program starts it.
// oxlint-disable-next-line no-restricted-imports
import { run } from '../../packages/cli/src/run.ts';
// oxlint-disable-next-line no-restricted-imports
import { recordedContext } from '../../packages/cli/src/testing/context.ts';
import { cairnEntry } from './cli-entry.ts';

export interface HostRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Absent when standard input is `/dev/null`. */
  readonly input?: Uint8Array | undefined;
}

export interface HostAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function answer({ args, cwd, env, input }: HostRequest): Promise<HostAnswer> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, cairnEntry, ...args];
  // A new process has no scans.
  invalidateFsScanCache();
  const chunks = input === undefined || input.length === 0 ? [] : [Buffer.from(input)];
  const { context, texts } = recordedContext({
    input: {
      kind: input === undefined ? 'other' : 'pipe',
      stream: () => Readable.from(chunks),
      read: () => Promise.resolve(Buffer.concat(chunks)),
    },
    width: 80,
    env: process.env,
    cwd,
    command: () => env['CAIRN_COMMAND'] ?? 'cairn',
  });
  const exitCode = await run(args, context);
  return { exitCode, stdout: texts.out, stderr: texts.err };
}

async function serve(request: HostRequest): Promise<void> {
  try {
    process.send?.(await answer(request));
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    process.disconnect();
  }
}

process.on('message', (request: HostRequest) => void serve(request));
