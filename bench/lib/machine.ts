/** What the figures were measured on. */
import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

import { loadPeer, peerNames } from './peers.ts';

export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  readonly rustc: string;
  readonly revision: string;
  /** By name: the version, or why it is not there. */
  readonly peers: Readonly<Record<string, string>>;
}

function ask(command: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', cwd: import.meta.dirname });
  return status === 0 ? stdout.trim() : 'unknown';
}

export async function describeMachine(): Promise<Machine> {
  const peers: Record<string, string> = {};
  for (const name of peerNames) {
    const peer = await loadPeer(name);
    peers[name] = 'missing' in peer ? peer.missing : peer.version;
  }
  return {
    date: new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.versions.node,
    rustc: ask('rustc', ['--version']).replace(/^rustc /, ''),
    revision: ask('git', ['describe', '--always', '--dirty']),
    peers,
  };
}
