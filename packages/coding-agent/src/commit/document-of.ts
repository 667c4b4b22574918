import { ToolError } from '@cairn/tool';
import type { TextDocument } from '../edit/document.ts';
import { encodingFor, isBinary } from '../edit/encoding.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import type { CommitScope } from './scope.ts';
import type { FileSnapshot } from './snapshot.ts';

/**
 * The text of a file that is about to be changed, in the encoding it was last read with.
 *
 * @throws {ToolError} `BINARY`.
 */
export function documentOf(workspace: CommitScope, target: ResolvedPath, { bytes }: FileSnapshot): TextDocument {
  const encoding = encodingFor(bytes, workspace.ledger.get(target.real)?.encoding);
  if (!isBinary(bytes, encoding)) return { bytes, encoding };
  const summary = `${target.display} is not a text file: it contains NUL bytes`;
  throw new ToolError('BINARY', [summary, 'Only text files can be edited.'], { path: target.display });
}
