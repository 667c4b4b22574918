/**
 * Recovery against a slow model: a commit of several files is killed at a random operation, then another program may change a file or
 * damage the journal, then recovery is killed at random, too, and runs again.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createCodingTools } from '@cairn/coding-agent';
import type { CodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import fc from 'fast-check';
import { createMortalOperations } from '../coding-agent/mortal-operations.ts';
import { newDirectory, removeTree } from '../support/tree.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';

/** What a patch does with a file. Two names of one file are changed in place. */
type Kind = 'edit' | 'edit-linked' | 'add' | 'delete' | 'move' | 'move-and-edit';

interface Case {
  readonly kinds: readonly Kind[];
  readonly dies: number;
  readonly recoveryDies: number;
  /** The numbers of files that another program writes after the kill; `isGone`: it removes them. */
  readonly foreign: readonly { readonly file: number; readonly isGone: boolean }[];
  /** How many bytes of a journal stay; `undefined`: all. */
  readonly cut: number | undefined;
}

const kinds: readonly Kind[] = ['edit', 'edit-linked', 'add', 'delete', 'move', 'move-and-edit'];

const oneCase: fc.Arbitrary<Case> = fc.record({
  kinds: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 4 }),
  dies: fc.nat(110),
  recoveryDies: fc.nat(60),
  foreign: fc.array(fc.record({ file: fc.nat(3), isGone: fc.boolean() }), { maxLength: 2 }),
  cut: fc.option(fc.nat(400), { nil: undefined, freq: 8 }),
});

/** The paths that a change takes from one content to another. */
type Model = Record<string, readonly [before: string | undefined, after: string | undefined]>;

function modelOf(kind: Kind, index: number): Model {
  const name = `f${index}`;
  const [old, fresh] = [`old ${index}\n`, `new ${index}\n`];
  if (kind === 'edit') return { [name]: [old, fresh] };
  if (kind === 'edit-linked') return { [name]: [old, fresh], [`links/${name}`]: [old, fresh] };
  if (kind === 'add') return { [`n${index}/${name}`]: [undefined, fresh] };
  if (kind === 'delete') return { [name]: [old, undefined] };
  return { [name]: [old, undefined], [`m${index}/${name}`]: [undefined, kind === 'move' ? old : fresh] };
}

function sectionOf(kind: Kind, index: number): string {
  const name = `f${index}`;
  const hunk = `@@\n-old ${index}\n+new ${index}\n`;
  if (kind === 'add') return `*** Add File: n${index}/${name}\n+new ${index}\n`;
  if (kind === 'delete') return `*** Delete File: ${name}\n`;
  if (kind === 'edit' || kind === 'edit-linked') return `*** Update File: ${name}\n${hunk}`;
  return `*** Update File: ${name}\n*** Move to: m${index}/${name}\n${kind === 'move' ? '' : hunk}`;
}

function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Everything below a directory, as one value. */
function fingerprint(root: string): string {
  const hash = createHash('sha1');
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()) {
    hash.update(`${path}\0`);
    try {
      hash.update(readFileSync(join(root, path)));
    } catch {
      // A directory.
    }
  }
  return hash.digest('hex');
}

async function dies(
  place: { readonly root: string; readonly stateDirectory: string },
  moment: number,
  run: (tools: CodingTools) => Promise<unknown>,
): Promise<boolean> {
  const { operations, died } = createMortalOperations(moment);
  const tools = createCodingTools({ ...place, operations, policy: { staleGuard: 'off' } });
  return (await Promise.race([run(tools), died])) === 'died';
}

/** Returns the problem, and whether the commit was killed. */
async function check(given: Case): Promise<{ readonly wrong: readonly string[]; readonly isKilled: boolean }> {
  const base = newDirectory();
  const place = { root: join(base, 'root'), stateDirectory: join(base, 'state') };
  const { root, stateDirectory } = place;
  try {
    const models = given.kinds.map(modelOf);
    const all: Model = Object.assign({}, ...models) as Model;
    for (const directory of [root, stateDirectory, join(root, 'links')]) mkdirSync(directory, { mode: 0o700 });
    for (const [path, [before]] of Object.entries(all)) {
      if (before === undefined) continue;
      if (path.startsWith('links/')) linkSync(join(root, path.slice('links/'.length)), join(root, path));
      else writeFileSync(join(root, path), before);
    }
    const patch = `*** Begin Patch\n${given.kinds.map(sectionOf).join('')}*** End Patch\n`;
    const isKilled = await dies(place, given.dies, async (tools) => {
      const answer = await tools.patch.execute({ patch });
      if (answer.isError) throw new Error(textOf(answer));
    });

    const journals = readdirSync(stateDirectory).filter((name) => name.endsWith('.journal'));
    const isCut = isKilled && given.cut !== undefined && journals.length > 0;
    if (isCut) {
      for (const name of journals) {
        const path = join(stateDirectory, name);
        truncateSync(path, Math.min(given.cut ?? 0, readFileSync(path).length - 1));
      }
    }
    const paths = Object.keys(all).filter((path) => !path.startsWith('links/'));
    const foreign = new Map<string, string | undefined>();
    // A journal that is cut is tested alone.
    for (const { file, isGone } of isCut ? [] : given.foreign) {
      const path = paths[file % paths.length] ?? '';
      // Only one of two links is a change of the other one, too.
      if (given.kinds.some((kind, index) => kind === 'edit-linked' && path === `f${index}`)) continue;
      // What the commit had not made yet cannot be removed.
      if (isGone && !existsSync(join(root, path))) continue;
      const content = isGone ? undefined : `another user, ${path}\n`;
      foreign.set(path, content);
      if (content === undefined) rmSync(join(root, path), { force: true });
      else {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
    }
    const untouched = fingerprint(root);

    await dies(place, given.recoveryDies, (tools) => tools.ls.execute({ path: '.' }));
    const answer = await createCodingTools(place).ls.execute({ path: '.' });
    const wrong: string[] = [];
    if (answer.isError) wrong.push(`reading fails: ${textOf(answer)}`);
    const says = textOf(answer);
    const isStillThere = journals.some((name) => existsSync(join(stateDirectory, name)));
    if (isCut && isStillThere) {
      if (!journals.some((name) => says.includes(name))) wrong.push('a damaged journal is not reported');
      if (fingerprint(root) !== untouched) wrong.push('a damaged journal changed files');
      return { wrong, isKilled };
    }
    const left = [
      ...readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.cairn-|\.saved-/u.test(path)),
      ...readdirSync(stateDirectory),
    ];
    wrong.push(...left.map((path) => `${path} is left`));
    for (const [path, content] of foreign) {
      const found = contentOf(join(root, path));
      // A file that was written in place is the same file: it may still be moved, or moved back.
      const ends = Object.keys(models.find((model, index) => given.kinds[index] === 'move' && path in model) ?? {});
      if (content !== undefined && ends.some((end) => contentOf(join(root, end)) === content)) continue;
      if (found !== content) wrong.push(`${path} of another user holds ${JSON.stringify(found)}`);
    }
    // A change that another user touched at either of its paths is left out; the others belong together.
    const rest = models.filter((model) => !Object.keys(model).some((path) => foreign.has(path)));
    const isAll = (side: 0 | 1): boolean =>
      rest.every((model) =>
        Object.entries(model).every(([path, sides]) => contentOf(join(root, path)) === sides[side]),
      );
    if (!isAll(0) && !isAll(1)) wrong.push(`half: ${says}`);
    if (!isKilled && foreign.size === 0 && !isAll(1)) wrong.push('a finished commit is not there');
    return { wrong, isKilled };
  } finally {
    removeTree(base);
  }
}

export const journalFuzzer: Fuzzer = createFuzzer<readonly Case[]>({
  name: 'journal',
  casesPerBatch: 10,
  batch: fc.array(oneCase, { minLength: 10, maxLength: 10 }),
  compare: async (cases) => {
    const differences: string[] = [];
    let hits = 0;
    for (const given of cases) {
      const { wrong, isKilled } = await check(given);
      hits += Number(isKilled);
      differences.push(...wrong.map((what) => `${JSON.stringify(given)}: ${what}`));
    }
    return { cases: cases.length, differences, hits };
  },
});
