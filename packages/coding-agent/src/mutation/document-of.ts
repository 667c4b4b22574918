import { ToolError } from '@cairn/tool';
import type { ResolvedPath } from '../sandbox.ts';
import type { Workspace } from '../workspace.ts';
import type { TextDocument } from './document.ts';
import { encodingFor, isBinary } from './encoding.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The text of a file that is about to be changed, in the encoding it was last read with.
 *
 * @throws {ToolError} `BINARY`.
 */
export function documentOf(workspace: Workspace, target: ResolvedPath, { bytes }: Snapshot): TextDocument {
  const encoding = encodingFor(bytes, workspace.ledger.get(target.real)?.encoding);
  if (!isBinary(bytes, encoding)) return { bytes, encoding };
  const summary = `${target.display} is no text: it holds NUL bytes`;
  throw new ToolError('BINARY', [summary, 'Only text can be edited.'], { path: target.display });
}
