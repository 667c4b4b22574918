import { z } from 'zod';
import { ToolError } from '../errors.ts';
import { inputSchema } from '../input.ts';
import { hashOf, tagOf } from '../ledger.ts';
import { commit, mutate, parentsStep } from '../mutation/commit.ts';
import { encodeText, encodingFor } from '../mutation/encoding.ts';
import { guard } from '../mutation/guard.ts';
import { requireFile, takeSnapshot } from '../mutation/snapshot.ts';
import { writeStep } from '../mutation/write-step.ts';
import { mutating } from '../spec.ts';
import type { ToolSpec } from '../spec.ts';
import { succeed } from '../tool.ts';
import { formatBytes } from './format.ts';

const shape = { path: z.string(), content: z.string() };

/** The parameters of `write`. */
export interface WriteInput {
  readonly path: string;
  readonly content: string;
}

/** What `write` did. */
export interface WriteDetails {
  readonly path: string;
  readonly created: boolean;
  /** Bytes. */
  readonly size: number;
  readonly tag: string;
}

/** Creates a file or replaces its content. */
export const writeTool: ToolSpec<WriteInput, WriteDetails> = {
  name: 'write',
  description: 'Create a file, with its directories, or replace a file that was read before.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: mutating('Write a file'),
  async run({ path, content }, { workspace, signal }) {
    const { real } = await workspace.resolve(path, { write: true });
    return mutate(workspace, [real], signal, async (temporaryOf) => {
      const target = await workspace.resolve(path, { write: true });
      if (target.real !== real) throw new ToolError('STALE', [`${target.display} was moved meanwhile`, 'Call again.']);
      if (target.stat) requireFile(target);
      const before = target.stat && (await takeSnapshot(workspace.operations, target));
      if (before) guard(workspace, target, before, { verb: 'overwritten', mustBeRead: true });
      const known = workspace.ledger.get(real)?.encoding;
      const encoding = encodingFor(before?.bytes ?? new Uint8Array(), known);
      const bytes = Buffer.concat([encoding.mark, encodeText(encoding, content, target.display)]);
      if (before?.bytes.equals(bytes)) {
        throw new ToolError('NO_CHANGE', [`${target.display} holds exactly this already`, 'Go on.'], {
          path: target.display,
        });
      }
      const step = writeStep(workspace, { target, temporary: temporaryOf(real), bytes, before, encoding: known });
      await commit(before ? [step] : [parentsStep(workspace.operations, target), step], signal);
      const created = before === undefined;
      const tag = tagOf(hashOf(bytes));
      const text = `${created ? 'Created' : 'Replaced'} ${target.display} (${formatBytes(bytes.length)}, tag ${tag}).`;
      return succeed(text, { path: target.display, created, size: bytes.length, tag });
    });
  },
};
