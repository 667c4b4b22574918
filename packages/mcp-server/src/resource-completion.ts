import type { Workspace } from '@cairn/coding-agent';
import { fuzzyFind } from '@cairn/natives';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CompleteRequestParams, CompleteResult, ResourceTemplateType } from '@modelcontextprotocol/server';
import { join, sep } from 'node:path';
import { allowedOnly } from './allowed.ts';

/** The template of every file that can be read. */
export const FILE_TEMPLATE: ResourceTemplateType = {
  uriTemplate: 'file:///{+path}',
  name: 'file',
  title: 'A file below a root',
  description: 'The content of a file: text when it is UTF-8, else its bytes. A directory gives its listing.',
};

/** More than anybody looks through; each is checked to lie below a root. */
const MOST_VALUES = 25;

const TIMEOUT_MS = 1000;

/** What fuzzy matching takes at most. */
const MOST_QUERY_BYTES = 1024;

/** An absolute path as the template has it: the slash that it begins with stands in the template. */
function templatePath(path: string): string {
  // Elsewhere than on Windows a backslash is a character of a name.
  return path.replaceAll(sep, '/').replace(/^\//u, '');
}

/** What is searched for in a root: what was typed, without the root when that was typed too. */
function queryIn(root: string, typed: string): string {
  const prefix = `${templatePath(root)}/`;
  return typed.startsWith(prefix) ? typed.slice(prefix.length) : typed;
}

/**
 * Files that what was typed may stand for, best first: letters of a path in a root, or the beginning of an absolute one.
 *
 * @throws {ProtocolError} for anything but the path of {@link FILE_TEMPLATE}.
 */
export async function completePath(
  { workspace, roots }: { readonly workspace: Workspace; readonly roots: readonly string[] },
  { ref, argument }: CompleteRequestParams,
  signal: AbortSignal,
): Promise<CompleteResult> {
  if (ref.type !== 'ref/resource' || ref.uri !== FILE_TEMPLATE.uriTemplate || argument.name !== 'path') {
    const message = `Only the path of ${FILE_TEMPLATE.uriTemplate} can be completed.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  if (Buffer.byteLength(argument.value) > MOST_QUERY_BYTES) return { completion: { values: [], total: 0 } };
  const found = await Promise.all(
    roots.map(async (root) => {
      const query = queryIn(root, argument.value);
      const options = {
        maxResults: MOST_VALUES,
        cache: true,
        timeoutMs: TIMEOUT_MS,
        onTimeout: 'partial',
        signal,
      } as const;
      const { matches, totalMatches } = await fuzzyFind({ query, path: root, ...options });
      return { total: totalMatches, matches: matches.map(({ path, score }) => ({ path: join(root, path), score })) };
    }),
  );
  const ranked = found.flatMap(({ matches }) => matches).toSorted((a, b) => b.score - a.score);
  const shown = ranked.slice(0, MOST_VALUES);
  const allowed = await allowedOnly(workspace, shown);
  const values = allowed.map(({ path }) => templatePath(path));
  const total = found.reduce((sum, one) => sum + one.total, 0) - (shown.length - allowed.length);
  return { completion: { values, total, hasMore: total > values.length } };
}
