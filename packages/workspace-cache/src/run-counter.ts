import { relative, resolve, sep } from 'node:path';
import type { CacheAccess } from './content/types.ts';
import type { RunCounts } from './statistics/statistics.ts';

/** What an agent did without the cache. */
export interface AgentActivity {
  /** A directory that it listed with a tool that does not work through the cache: absolute, or relative to the root. */
  readonly listed?: string | undefined;
  /** Requests to a model that carried the section. */
  readonly requests?: number | undefined;
}

type RunFacts = Pick<RunCounts, 'metadata' | 'totalScans' | 'sectionTokens' | 'shownDirectories' | 'unassigned'>;

export class RunCounter {
  readonly #root: string;
  readonly #calls = { list: { hits: 0, misses: 0 }, read: { hits: 0, misses: 0 } };
  readonly #listed = new Set<string>();
  readonly #readCounts = new Map<string, number>();
  readonly #agents = new Set<string>();
  readonly #sums = { sections: 0, requests: 0, updateTokens: 0, cacheDirectoryCalls: 0 };
  #inits = 0;
  #unnamedSections = 0;

  /** Paths below `root` are counted relative to it. A tree cannot show directories outside of it. */
  constructor(root: string) {
    this.#root = root;
  }

  readonly noteAccess = ({ kind, path, isHit }: CacheAccess): void => {
    this.#calls[kind][isHit ? 'hits' : 'misses'] += 1;
    const inside = relative(this.#root, path);
    const isOutside = inside === '..' || inside.startsWith(`..${sep}`);
    const name = isOutside ? path : inside.split(sep).join('/');
    if (kind === 'read') this.#readCounts.set(name, (this.#readCounts.get(name) ?? 0) + 1);
    else if (!isOutside) this.#listed.add(name);
  };

  readonly noteCacheDirectory = (): void => {
    this.#sums.cacheDirectoryCalls += 1;
  };

  noteInit(): void {
    this.#inits += 1;
  }

  /** Counts a prompt that took the section. */
  noteSection(agent: string | undefined): void {
    this.#sums.sections += 1;
    if (agent === undefined) this.#unnamedSections += 1;
    else this.#agents.add(agent);
  }

  noteUpdates(tokens: number): void {
    this.#sums.updateTokens += tokens;
  }

  /** Counts what the cache cannot see. */
  noteActivity({ listed, requests = 0 }: AgentActivity): void {
    this.#sums.requests += requests;
    if (listed !== undefined) this.noteAccess({ kind: 'list', path: resolve(this.#root, listed), isHit: false });
  }

  counts(facts: RunFacts): RunCounts {
    return {
      ...facts,
      ...this.#sums,
      // Requests without a name may all be of one agent, unless each agent called `init`.
      agents: this.#agents.size + Math.min(this.#unnamedSections, Math.max(1, this.#inits)),
      listings: this.#calls.list,
      reads: this.#calls.read,
      listedDirectories: [...this.#listed],
      readCounts: this.#readCounts,
    };
  }
}
