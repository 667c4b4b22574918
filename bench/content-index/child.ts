/** One contestant in its own process, forked by contestants.ts: `node --expose-gc child.ts <cairn|watched|fff> <root>`. */
import { setTimeout } from 'node:timers/promises';
import { answerRequests } from '../lib/messages.ts';
import { sample } from '../lib/sample.ts';
import type { Answer, Build, Found, Mode, Query, Request } from './protocol.ts';

/** One engine on one tree. */
interface Searcher {
  ask(query: Query, mode: Mode): Answer | Promise<Answer>;
  list(query: Query, mode: Mode): Found | Promise<Found>;
  build?(): Promise<Build>;
}

const [, , name = '', root = ''] = process.argv;
/** How long to wait between two checks whether the index is complete. */
const pauseMs = 10;
/** Longer than any build takes. */
const maxBuildMs = 300_000;

function cpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

async function cairn(watch: boolean): Promise<Searcher> {
  // The process of a peer does not load it.
  const { fsScanCacheStats, grep } = await import('@cairn/natives');
  const search = ({ pattern, ignoreCase }: Query, mode: Mode) =>
    grep({
      path: root,
      pattern,
      mode,
      cache: true,
      includeNodeModules: true,
      ...(ignoreCase && { ignoreCase }),
      ...(watch && { watch }),
    });
  const ask = async (query: Query, mode: Mode): Promise<Answer> => {
    const { filesWithMatches, totalMatches, filesSearched, filesExcluded = 0, freshness } = await search(query, mode);
    return { files: filesWithMatches, lines: totalMatches, candidates: filesSearched - filesExcluded, freshness };
  };
  const absent: Query = { kind: 'no match', pattern: 'zzqqyyxx_absent' };
  return {
    ask,
    list: async (query, mode) => {
      const { matches } = await search(query, mode);
      return Object.fromEntries(matches.map(({ path, matchCount = 1 }) => [path, matchCount]));
    },
    build: async () => {
      const firstCpu = process.cpuUsage();
      const firstBegan = performance.now();
      await ask(absent, 'count');
      const [firstMs, firstCpuMs] = [performance.now() - firstBegan, cpuMs(firstCpu)];
      await ask(absent, 'count');
      const cpu = process.cpuUsage();
      const began = performance.now();
      while (fsScanCacheStats().contentIndex.building && performance.now() - began < maxBuildMs)
        await setTimeout(pauseMs);
      const [wallMs, builtCpuMs] = [performance.now() - began, cpuMs(cpu)];
      // Watching begins with the next calls, and is trusted after a stat of every file.
      for (let call = 0; watch && call < 3; call += 1) await ask(absent, 'count');
      const { files, indexed, bytes, watches, offReason } = fsScanCacheStats().contentIndex;
      return { firstMs, firstCpuMs, wallMs, cpuMs: builtCpuMs, files, indexed, bytes, watches, offReason };
    },
  };
}

/** fff cannot count, so it returns the first match of each file, which is the least that it can do. */
async function fff(): Promise<Searcher> {
  const [{ loadPeer }, { openFff, valueOf }] = await Promise.all([
    import('../lib/peers.ts'),
    import('../lib/engines/fff.ts'),
  ]);
  const peer = await loadPeer('fff');
  if ('missing' in peer) throw new Error(peer.missing);
  const finder = await openFff(peer.api, root, { contentIndex: true });
  const unlimited = 2 ** 31 - 1;
  const search = ({ pattern, ignoreCase }: Query): readonly { readonly relativePath: string }[] => {
    const isPlain = /^\w+(?: \w+)*$/.test(pattern);
    const { items, nextCursor } = valueOf(
      finder.grep(pattern, {
        mode: isPlain ? 'plain' : 'regex',
        // Ignores case if the query is in lower case.
        smartCase: ignoreCase === true,
        maxFileSize: unlimited,
        maxMatchesPerFile: 1,
        pageSize: unlimited,
      }),
    );
    if (nextCursor !== null) throw new Error('fff: there are more pages');
    return items;
  };
  return {
    ask: (query) => {
      const { length } = search(query);
      return { files: length, lines: length };
    },
    list: (query) => Object.fromEntries(search(query).map(({ relativePath }) => [relativePath, 1])),
  };
}

const searcher = name === 'fff' ? await fff() : await cairn(name === 'watched');

answerRequests(async (request: Request): Promise<object> => {
  if (request.kind === 'prepare') return (await searcher.build?.()) ?? {};
  const { query, mode } = request;
  switch (request.kind) {
    case 'time': {
      let answer: Answer | undefined;
      const { ms } = await sample({
        run: async () => {
          answer = await searcher.ask(query, mode);
          return { count: answer.lines };
        },
      });
      return { ...answer, ms };
    }
    case 'work': {
      const began = process.cpuUsage();
      await searcher.ask(query, mode);
      return { cpuMs: cpuMs(began) };
    }
    case 'list':
      return searcher.list(query, mode);
  }
});
