import { ToolError } from '@cairn/tool';
import { FORMAT_HINT } from './file-patch.ts';
import type { FilePatch } from './file-patch.ts';
import { parseUnified } from './parse-unified.ts';
import { parseV4a } from './parse-v4a.ts';

/** Every path that a patch names. */
export function pathsOf(patch: FilePatch): string[] {
  return patch.kind === 'update' && patch.to !== undefined ? [patch.path, patch.to] : [patch.path];
}

/** The first line of a patch in either format. A line of a unified diff may contain the first line of the other one. */
const firstLine =
  /(?:^|\n)(?:[^\S\n]*(?<v4a>\*\*\* Begin Patch)[^\S\n]*(?=\n|$)|diff --git |--- [^\n]*\n\+\+\+ |@@ -\d)/u;

/**
 * Reads a patch, of whichever format it is. Every line is part of a change, known to say nothing, or refused.
 *
 * @throws {ToolError} `INVALID_PATCH`.
 */
export function parsePatch(text: string): FilePatch[] {
  const plain = text.replace(/^\ufeff/u, '');
  const isV4a = firstLine.exec(plain)?.groups?.['v4a'] !== undefined;
  const patches = isV4a ? parseV4a(plain) : parseUnified(plain);
  if (patches.length === 0) throw new ToolError('INVALID_PATCH', ['The patch changes no file', FORMAT_HINT]);
  return patches;
}
