import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithin } from '@cairn/coding-agent/internal';

/** Names of files and directories that decide how agents and tools behave. */
const PROTECTED = ['.git', '.cairn', '.claude', '.codex', '.mcp.json'];

/** The links that lead to them: also `.cairn/agents`, which may be a link itself. */
const LINKS = [...PROTECTED, join('.cairn', 'agents'), join('.claude', 'agents'), join('.codex', 'agents')];

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Returns a name as any file system may read it: without case, compatible and ignored characters, streams, trailing dots and spaces. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(IGNORABLE, '')
    .replace(/:.*$/u, '')
    .replace(/[. ]+$/u, '')
    .toLowerCase();
}

/** Folds each name of a path. */
export function foldPath(path: string): string {
  return path.split(/[/\\]/u).map(foldName).join('/');
}

/** Returns the protected name in a path that is relative to a root; `undefined` for none. */
export function protectedName(path: string): string | undefined {
  return path
    .split(/[/\\]/u)
    .map((name) => (/^git~\d+$/iu.test(name) ? '.git' : foldName(name)))
    .find((name) => PROTECTED.includes(name));
}

/** A directory or file whose changes always ask, canonical, with the name for messages. */
export interface ProtectedPlace {
  readonly path: string;
  readonly name: string;
}

/** Returns where the protected names of the roots lead when they are links, and the given places. */
export async function protectedPlaces(
  roots: readonly string[],
  more: readonly string[],
): Promise<readonly ProtectedPlace[]> {
  const links = roots.flatMap((root) => LINKS.map((name) => ({ path: join(root, name), name })));
  const places = [...links, ...more.map((path) => ({ path, name: path }))];
  const found = await Promise.all(
    places.map(async ({ path, name }) => ({ path: await realpath(path).catch(() => path), name })),
  );
  // A link to a root, or above one, would protect everything.
  return found.filter(({ path }) => !roots.some((root) => isWithin(root, path)));
}
