import { hash } from 'node:crypto';
import { execFileSync, type StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Environment } from './output.ts';

/** A terminal or a parent process, whose runs continue one session. */
export interface SessionOwner {
  /** Equal for the runs of one terminal, or of one parent process, and for no others. */
  readonly id: string;
  readonly kind: 'terminal' | 'parent';
}

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** The controlling terminal; empty for none. */
  readonly tty: string;
  /** When it began, as the system writes it: pids are used again. */
  readonly startedAt: string;
  /** The leader of its session, where the system tells. */
  readonly leader?: number | undefined;
}

type FindProcess = (pid: number) => ProcessFacts | undefined;

/** Reads a line of `/proc/<pid>/stat`. The name of the program is in parentheses and may have any character. */
export function parseStat(line: string): ProcessFacts | undefined {
  const [pid] = line.split(' ', 1);
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [, parent, , leader, tty] = fields;
  // Field 22; the first two are before the fields.
  const startedAt = fields[19];
  if (pid === undefined || parent === undefined || tty === undefined || startedAt === undefined) return undefined;
  return { pid: Number(pid), parent: Number(parent), leader: Number(leader), tty: tty === '0' ? '' : tty, startedAt };
}

/** Reads the output of `ps -axo pid=,ppid=,tty=,lstart=`. */
export function parseProcesses(output: string): Map<number, ProcessFacts> {
  const processes = new Map<number, ProcessFacts>();
  for (const line of output.split('\n')) {
    const [, pid, parent, tty = '', startedAt = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/u.exec(line) ?? [];
    if (pid === undefined) continue;
    const facts = { pid: Number(pid), parent: Number(parent), tty: /^\?+$|^-$/u.test(tty) ? '' : tty, startedAt };
    processes.set(facts.pid, facts);
  }
  return processes;
}

/** Returns the shell of a terminal: the leader of the session, or the first process on the way up that has the terminal. */
function shellOf(own: ProcessFacts, find: FindProcess): ProcessFacts | undefined {
  if (own.tty === '') return undefined;
  if (own.leader !== undefined) return own.leader === own.pid ? undefined : find(own.leader);
  let shell: ProcessFacts | undefined;
  for (let next = find(own.parent); next?.tty === own.tty; next = find(next.parent)) shell = next;
  return shell;
}

/** Returns the owner of the runs of a process; `undefined` when nothing lasts longer than the process. */
export function ownerOf(
  pid: number,
  find: FindProcess,
): { readonly kind: SessionOwner['kind']; readonly facts: string } | undefined {
  const own = find(pid);
  if (own === undefined) return undefined;
  const shell = shellOf(own, find);
  if (shell !== undefined) return { kind: 'terminal', facts: `${own.tty} ${shell.pid} ${shell.startedAt}` };
  // The first process adopts what lost its parent.
  const parent = own.parent > 1 ? find(own.parent) : undefined;
  return parent && { kind: 'parent', facts: `${parent.pid} ${parent.startedAt}` };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function listProcesses(): Map<number, ProcessFacts> {
  try {
    const args = ['-axo', 'pid=,ppid=,tty=,lstart='];
    const stdio = ['ignore', 'pipe', 'ignore'] satisfies StdioOptions;
    return parseProcesses(execFileSync('ps', args, { encoding: 'utf8', stdio, timeout: 5000 }));
  } catch {
    return new Map();
  }
}

/** Returns the function that finds a process. Windows has neither way, so that each run begins a session there. */
function processes(platform: NodeJS.Platform): FindProcess {
  if (platform === 'win32') return () => undefined;
  if (platform === 'linux') {
    return (pid) => {
      const line = read(`/proc/${pid}/stat`);
      return line === undefined ? undefined : parseStat(line);
    };
  }
  const listed = listProcesses();
  return (pid) => listed.get(pid);
}

/** Returns the owner that the runs of this terminal or parent process share. In continuous integration, runs do not depend on others. */
export function sessionOwner(env: Environment, platform: NodeJS.Platform = process.platform): SessionOwner | undefined {
  const { CI: ci = '' } = env;
  if (ci !== '' && ci !== '0' && ci.toLowerCase() !== 'false') return undefined;
  const found = ownerOf(process.pid, processes(platform));
  if (found === undefined) return undefined;
  // Pids and ticks begin again at each start of the machine, and machines may share a store.
  const machine = [hostname(), read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''];
  return { id: hash('sha256', [...machine, found.kind, found.facts].join('\n')), kind: found.kind };
}
