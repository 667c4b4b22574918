/** A tree of 1,000,000 files in 40,000 directories that is the same wherever it is made. */

const SEED = 0x5eed;
export const DIRECTORIES = 40_000;
export const FILES = 1_000_000;
/** As deep as source trees go. */
const MAX_DEPTH = 9;
/** One file in N has a line in it; the others take an inode and no block. */
export const FILES_PER_LINE = 10;

const words =
  `access account action adapter address agent alias alloc archive array asset audit auth backend balance batch block
  bridge buffer build bundle cache call channel check client clock cluster codec column command commit common config
  connect console context control core counter create cursor data debug decode default delete device diff digest
  dispatch domain driver editor encode engine entry error event export extract factory fetch field filter flag flow
  format frame front graph group guard handler hash header helper history hook index input insert inspect item job
  join kernel key label layer layout lexer limit link list loader local lock log login main map mask match memory
  merge message meter method model module monitor mount mutex name network node number object offset option order
  output owner packet page panel parser patch path peer pixel plan point policy pool port prefix print probe process
  profile proxy query queue range read record region relay remote render report request reset resolve result retry
  role root route rule runtime sample scan schema scope score search select sensor server session shadow shape share
  signal size slice socket sort source span split stack state store stream string switch symbol sync system table
  target task template test text thread timer token trace track transfer tree trigger type unit update upload user
  value vector version view virtual visitor walker watch widget window worker wrapper zone`.split(/\s+/);
const extensions = ['c', 'css', 'go', 'h', 'java', 'js', 'json', 'md', 'py', 'rs', 'test.ts', 'ts', 'tsx', 'yaml'];

/** A source of numbers in [0, 1): Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** The name itself, or with a number where it is taken. */
function unused(stem: string, end: string, taken: Set<string>): string {
  let name = `${stem}${end}`;
  for (let number = 2; taken.has(name); number += 1) name = `${stem}${number}${end}`;
  taken.add(name);
  return name;
}

export interface PlannedDirectory {
  /** Relative to the root; parents come before their children. */
  readonly path: string;
  readonly files: number;
}

/** Every directory and how many files it has. */
export function planDirectories(): PlannedDirectory[] {
  const random = seeded(SEED);
  const directories: { path: string; depth: number; files: number; taken: Set<string> }[] = [];
  const root = { path: '', depth: 0, files: 0, taken: new Set<string>() };
  for (let index = 0; index < DIRECTORIES; index += 1) {
    const candidates = index === 0 ? [root] : [pick(directories, random), pick(directories, random), root];
    // Of two, the shallower, as people do; a few at the top.
    const [first = root, second = root] = candidates;
    const shallower = first.depth <= second.depth ? first : second;
    const parent = shallower.depth >= MAX_DEPTH || random() < 0.001 ? root : shallower;
    const name = unused(pick(words, random), '', parent.taken);
    const path = parent === root ? name : `${parent.path}/${name}`;
    directories.push({ path, depth: parent.depth + 1, files: FILES / DIRECTORIES, taken: new Set() });
  }
  // Some directories have many files and some have none.
  for (const directory of directories) {
    const moved = Math.floor(random() * directory.files);
    directory.files -= moved;
    pick(directories, random).files += moved;
  }
  return directories.map(({ path, files }) => ({ path, files }));
}

/** The names of the files in the directory with this index. */
export function planFiles(index: number, count: number): string[] {
  const random = seeded(SEED + 1 + index);
  const taken = new Set<string>();
  return Array.from({ length: count }, () =>
    unused(`${pick(words, random)}_${pick(words, random)}`, `.${pick(extensions, random)}`, taken),
  );
}
