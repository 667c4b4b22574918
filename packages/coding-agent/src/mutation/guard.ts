import { ToolError } from '../errors.ts';
import { compare, recordOf } from '../ledger.ts';
import type { ResolvedPath } from '../sandbox.ts';
import { truncate } from '../truncate.ts';
import type { Workspace } from '../workspace.ts';
import { encodingFor, isBinary } from './encoding.ts';
import type { Snapshot } from './snapshot.ts';

/** How much of a file a refusal shows. */
const CONTEXT_LIMITS = { maxLines: 60, maxBytes: 6 * 1024, maxColumns: 500 };

/** The content as it is now, from a line. Whoever is shown it has read the file. */
function freshContext(workspace: Workspace, target: ResolvedPath, { bytes }: Snapshot, fromLine: number): string {
  const encoding = encodingFor(bytes, workspace.ledger.get(target.real)?.encoding);
  workspace.ledger.record(target.real, recordOf(bytes, workspace.ledger.get(target.real)?.encoding));
  if (isBinary(bytes, encoding)) return `${target.display} now holds ${bytes.length} bytes that are no text.`;
  const lines = encoding.decode(bytes.subarray(encoding.mark.length)).split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  const first = Math.max(0, fromLine - 1);
  const { lines: shown } = truncate(lines.slice(first), CONTEXT_LIMITS);
  const range = `lines ${first + 1}-${first + shown.length} of ${lines.length}`;
  return `${target.display} as it is now (${range}):\n${shown.join('\n')}`;
}

/** What is about to happen to a file. */
export interface Intent {
  /** Completes "not …": `overwritten`, `edited`, … */
  readonly verb: string;
  /** Refuse a file that was never read. */
  readonly mustBeRead: boolean;
  /** Where the change would be, for the context. */
  readonly lineNumber?: number | undefined;
}

/**
 * Refuses to change a file that is not what the caller knows. The refusal shows the file as it is, and counts as reading it.
 *
 * @throws {ToolError} `STALE`, `NOT_READ`.
 */
export function guard(workspace: Workspace, target: ResolvedPath, snapshot: Snapshot, intent: Intent): void {
  if (workspace.staleGuard === 'off') return;
  const known = compare(workspace.ledger.get(target.real), snapshot.bytes);
  if (known === 'fresh' || (known === 'unknown' && !intent.mustBeRead)) return;
  const path = target.display;
  const context = freshContext(workspace, target, snapshot, intent.lineNumber ?? 1);
  if (known === 'unknown') {
    const summary = `${path} exists and was never read, so it was not ${intent.verb}`;
    throw new ToolError('NOT_READ', [summary, 'It is shown below: call again if it is to go.'], { path, context });
  }
  const summary = `${path} was changed since it was last read, so it was not ${intent.verb}`;
  throw new ToolError(
    'STALE',
    [summary, 'It is shown below as it is now: check your change against it and call again.'],
    {
      path,
      context,
    },
  );
}
