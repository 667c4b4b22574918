import { loadPeer } from '../peers.ts';
import type { Loaded, PeerName, Peers } from '../peers.ts';
import type { Engine } from '../task.ts';
import { fffEngine } from './fff.ts';
import { fdirEngine, fuzzysortEngine, globLibraryEngine } from './libraries.ts';
import { matcherEngine } from './matchers.ts';
import { piNativesEngine } from './pi-natives.ts';
import { programEngine } from './programs.ts';

/** The engines that can be measured. */
export type ContestantName =
  | 'cairn'
  | 'rg'
  | 'fd'
  | 'pi-natives'
  | 'fff'
  | 'fff+content'
  | 'fuzzysort'
  | 'nucleo'
  | 'frizbee'
  | 'fast-glob'
  | 'tinyglobby'
  | 'fdir';

/** Programs are processes already; every other contestant gets one. */
export function isProgram(name: ContestantName): boolean {
  return ['rg', 'fd', 'nucleo', 'frizbee'].includes(name);
}

async function made<Name extends PeerName>(name: Name, make: (api: Peers[Name]) => Engine): Promise<Engine> {
  const peer: Loaded<Peers[Name]> = await loadPeer(name);
  if ('missing' in peer) throw new Error(peer.missing);
  return make(peer.api);
}

const engines: Readonly<Record<ContestantName, () => Promise<Engine>>> = {
  // Not loaded into the process of a peer.
  cairn: async () => (await import('./cairn.ts')).cairn,
  rg: () => made('rg', (api) => programEngine('rg', api)),
  fd: () => made('fd', (api) => programEngine('fd', api)),
  'pi-natives': () => made('pi-natives', piNativesEngine),
  fff: () => made('fff', (api) => fffEngine(api, { contentIndex: false })),
  'fff+content': () => made('fff', (api) => fffEngine(api, { contentIndex: true })),
  fuzzysort: () => made('fuzzysort', fuzzysortEngine),
  nucleo: () => made('nucleo', matcherEngine),
  frizbee: () => made('frizbee', matcherEngine),
  'fast-glob': () => made('fast-glob', globLibraryEngine),
  tinyglobby: () => made('tinyglobby', globLibraryEngine),
  fdir: () => made('fdir', fdirEngine),
};

/** Loads a contestant into this process. */
export function loadEngine(name: ContestantName): Promise<Engine> {
  return engines[name]();
}
