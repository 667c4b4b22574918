/**
 * When the facts of an answer are given as `structuredContent` too.
 *
 * - `always`, `never`.
 * - `auto`: to clients that show their model the text all the same, and to programs; not to hosts that are known to hide it.
 */
export type StructuredWhen = 'auto' | 'always' | 'never';

/**
 * Hosts that put the structured content in the text's place before a model sees the answer, or did in a version that is in use,
 * by the beginning of the name they give as clients, in lower case.
 *
 * @see https://github.com/anthropics/claude-code/issues/55677
 * @see https://github.com/anomalyco/opencode/pull/32074 which does "as Codex"
 * @see https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1411 for Cursor
 */
const hidingText: readonly string[] = ['claude-code', 'codex', 'cursor', 'opencode', 'visual studio code', 'vscode'];

/** What a model is told that is shown the facts and not the text, by a host that is not known to do so. */
export const HIDDEN_TEXT_NOTE =
  'The answer itself is the text content. If only this is shown, start the server with --structured never.';

/** Whether a client is given structured content. */
export function isGivenStructured(when: StructuredWhen, clientName: string | undefined): boolean {
  if (when !== 'auto') return when === 'always';
  const name = clientName?.toLowerCase() ?? '';
  return !hidingText.some((start) => name.startsWith(start));
}
