import { fuzzyFind } from '@cairn/natives';
import type { ResourceCompletion, ResourceTemplate } from '@cairn/tool';
import { join, sep } from 'node:path';
import type { Workspace } from '../workspace.ts';
import { allowedOnly } from './allowed.ts';

/** The template of every readable file. */
export const FILE_TEMPLATE: ResourceTemplate = {
  uriTemplate: 'file:///{+path}',
  name: 'file',
  title: 'A file below a root',
  description: 'The content of a file: text when it is UTF-8, else its bytes. A directory gives its listing.',
};

/** Enough for a person to choose from; each value costs one check that it lies below a root. */
const MAX_VALUES = 25;

const TIMEOUT_MS = 1000;

/** The limit of `fuzzyFind`. */
const MAX_QUERY_BYTES = 1024;

/** Returns an absolute path as the template has it: the leading slash belongs to the template. */
function templatePath(path: string): string {
  // A backslash separates on Windows alone; elsewhere it is a character of a name.
  return path.replaceAll(sep, '/').replace(/^\//u, '');
}

/** Returns the files that the typed text may stand for, best first: letters of a path in a root, or the start of an absolute path. */
export async function completePath(
  { workspace, roots }: { readonly workspace: Workspace; readonly roots: readonly string[] },
  typed: string,
  signal: AbortSignal,
): Promise<ResourceCompletion> {
  if (Buffer.byteLength(typed) > MAX_QUERY_BYTES) return { values: [], total: 0 };
  const found = await Promise.all(
    roots.map(async (root) => {
      const prefix = `${templatePath(root)}/`;
      const query = typed.startsWith(prefix) ? typed.slice(prefix.length) : typed;
      const options = { maxResults: MAX_VALUES, cache: true, timeoutMs: TIMEOUT_MS, signal };
      const { matches, totalMatches } = await fuzzyFind({ query, path: root, ...options, onTimeout: 'partial' });
      const placed = matches.map(({ path, score, guess }) => ({ path: join(root, path), score, guess }));
      return { total: totalMatches, matches: placed };
    }),
  );
  const ranked = found.flatMap(({ matches }) => matches).toSorted((a, b) => b.score - a.score);
  const shown = ranked.slice(0, MAX_VALUES);
  const allowed = await allowedOnly(workspace, shown);
  const total = found.reduce((sum, one) => sum + one.total, 0) - (shown.length - allowed.length);
  const guess = allowed.every((match) => match.guess) ? allowed[0]?.guess : undefined;
  return { values: allowed.map(({ path }) => templatePath(path)), total, ...(guess && { guess }) };
}
