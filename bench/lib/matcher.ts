/** The matchers of other projects that are written in Rust: `bench/matchers`, built when they are first loaded. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { mustRun } from './debian.ts';
import { neutralEnvironment } from './environment.ts';

/** How many paths match a query, and the best of them. */
interface Matched {
  readonly count: number;
  readonly best: readonly string[];
}

/** A matcher that has its paths and waits for queries. One query at a time. */
interface Matcher {
  readonly pid: number | undefined;
  ask(query: string): Promise<Matched>;
  close(): void;
}

/** Starts a matcher on paths without line breaks. */
export type StartMatcher = (paths: readonly string[]) => Matcher;

const crates = { nucleo: 'nucleo-matcher', frizbee: 'frizbee' };

export type MatcherName = keyof typeof crates;

const directory = fileURLToPath(new URL('../matchers', import.meta.url));
const target = fileURLToPath(new URL('../../target/matchers', import.meta.url));

/** The version of the crate that was built in. */
function lockedVersion(crate: string): string {
  const lock = readFileSync(`${directory}/Cargo.lock`, 'utf8');
  const version = new RegExp(`name = "${crate}"\\nversion = "(.+)"`).exec(lock)?.[1];
  if (version === undefined) throw new Error(`${directory}/Cargo.lock does not name ${crate}`);
  return version;
}

/** Builds the program, unless it is up to date, and gives what starts it. */
export function rustMatcher(name: MatcherName): { version: string; api: StartMatcher } {
  mustRun('cargo', ['build', '--quiet', '--release', '--locked', '--target-dir', target], directory);
  const start: StartMatcher = (paths) => {
    const child = spawn(`${target}/release/cairn-bench-matchers`, [name], {
      env: neutralEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.write(`${paths.join('\n')}\n\n`);
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (query: string): Promise<Matched> => {
      child.stdin.write(`${query}\n`);
      const { done, value } = await answers.next();
      if (done === true) throw new Error(`${name} ended while it was asked for ${query}`);
      const [count = 0, ...best] = value.split(' ').map(Number);
      return { count, best: best.flatMap((index) => paths[index] ?? []) };
    };
    return { pid: child.pid, ask, close: () => child.stdin.end() };
  };
  return { version: lockedVersion(crates[name]), api: start };
}
