/**
 * When an answer has its facts as `structuredContent` too.
 *
 * - `always`, `never`.
 * - `auto`: for every client except the hosts that are known to hide the text when there is structured content.
 */
export type StructuredWhen = 'auto' | 'always' | 'never';

/**
 * Hosts that show a model the structured content instead of the text, or did so in a version that is in use. Each entry is
 * the start of the client name that the host sends, in lower case.
 *
 * @see https://github.com/anthropics/claude-code/issues/55677
 * @see https://github.com/anomalyco/opencode/pull/32074 which does "as Codex"
 * @see https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1411 for Cursor
 */
const hostsHidingText: readonly string[] = [
  'claude-code',
  'codex',
  'cursor',
  'opencode',
  'visual studio code',
  'vscode',
];

/** A note for a model whose host hides the text and is not in the list. */
export const HIDDEN_TEXT_NOTE =
  'The text content holds the answer. If you see only this object, start the server with --structured never.';

/** Returns whether a client gets structured content. */
export function wantsStructured(when: StructuredWhen, clientName: string | undefined): boolean {
  if (when !== 'auto') return when === 'always';
  const name = clientName?.toLowerCase() ?? '';
  return !hostsHidingText.some((start) => name.startsWith(start));
}
