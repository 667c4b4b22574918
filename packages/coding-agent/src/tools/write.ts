import { succeed, ToolError } from '@cairn/tool';
import { formatBytes } from '@cairn/tool/prompt';
import { z } from 'zod';
import { guard } from '../commit/guard.ts';
import { withLockedTarget } from '../commit/locked-targets.ts';
import { takeFileSnapshot } from '../commit/snapshot.ts';
import { changeFile, type ChangedFile } from '../commit/write-step.ts';
import { diffOfTexts } from '../edit/diff.ts';
import { encodeText, encodingFor, isBinary, type TextEncoding } from '../edit/encoding.ts';
import { requireFile } from '../files/open-resolved.ts';
import { inputSchema } from './input.ts';
import { mutating, type CodingToolSpec } from './spec.ts';

const shape = { path: z.string(), content: z.string() };

export interface WriteInput {
  readonly path: string;
  readonly content: string;
}

export interface WriteDetails extends ChangedFile {
  readonly created: boolean;
  /** All lines of the file ended with CRLF, and so do the lines of the new content. */
  readonly keptCrlf: boolean;
}

/** Returns whether a string has line endings and all are CRLF. */
function isCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/u.test(text);
}

function textOf(bytes: Buffer | undefined, encoding: TextEncoding): string {
  if (bytes === undefined || isBinary(bytes, encoding)) return '';
  return encoding.decode(bytes.subarray(encoding.mark.length));
}

/** Creates a file or replaces its content. Keeps the encoding, the byte order mark and CRLF line endings. */
export const writeTool: CodingToolSpec<WriteInput, WriteDetails> = {
  name: 'write',
  description: 'Create a file, with its directories, or replace a whole file that was read before.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: mutating('Write a file'),
  async run({ path, content }, context) {
    const { workspace, signal } = context;
    return withLockedTarget(workspace, { path }, signal, async (target) => {
      if (target.stat) requireFile(target);
      const before = target.stat && (await takeFileSnapshot(workspace, target));
      if (before) guard(workspace, target, before, { verb: 'overwritten', mustBeRead: true });
      const known = workspace.ledger.get(target.real)?.encoding;
      const encoding = encodingFor(before?.bytes ?? new Uint8Array(), known);
      const old = textOf(before?.bytes, encoding);
      const keptCrlf = isCrlf(old) && !content.includes('\r') && content.includes('\n');
      const text = keptCrlf ? content.replaceAll('\n', '\r\n') : content;
      const mark = text.startsWith('\ufeff') ? new Uint8Array() : encoding.mark;
      const bytes = Buffer.concat([mark, encodeText(encoding, text, target.display)]);
      if (before?.bytes.equals(bytes)) {
        const summary = `${target.display} already has exactly this content`;
        throw new ToolError('NO_CHANGE', [summary, 'There is nothing to write.'], { path: target.display });
      }
      const written = { target, parts: [bytes], before, encoding: known };
      const changed = await changeFile(context, written, diffOfTexts(old, text));
      const created = before === undefined;
      const notes = [formatBytes(bytes.length), `tag ${changed.tag}`];
      if (keptCrlf) notes.push('CRLF line ends kept');
      if (encoding.label !== 'utf-8') notes.push(encoding.label);
      const verb = `${context.dryRun ? 'Would have ' : ''}${created ? 'created' : 'replaced'}`;
      const says = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${target.display} (${notes.join(', ')}).`;
      return succeed(says, { ...changed, created, keptCrlf });
    });
  },
};
