import { ToolError } from '@cairn/tool';
import { FORMAT_HINT } from './file-patch.ts';
import type { FilePatch } from './file-patch.ts';
import { parseUnified } from './parse-unified.ts';
import { parseV4a } from './parse-v4a.ts';

/** A patch without the fence of Markdown around it. */
function unfenced(text: string): string {
  return /^\s*```\w*\r?\n([\s\S]*?)\r?\n?```\s*$/u.exec(text)?.[1] ?? text;
}

/** Every path that a patch names. */
export function pathsOf(patch: FilePatch): string[] {
  return patch.kind === 'update' && patch.to !== undefined ? [patch.path, patch.to] : [patch.path];
}

/**
 * Reads a patch, of whichever format it is.
 *
 * @throws {ToolError} `INVALID_PATCH`.
 */
export function parsePatch(text: string): FilePatch[] {
  const plain = unfenced(text);
  const patches = /^\s*\*\*\* Begin Patch\s*$/mu.test(plain) ? parseV4a(plain) : parseUnified(plain);
  if (patches.length === 0) throw new ToolError('INVALID_PATCH', ['The patch changes no file', FORMAT_HINT]);
  return patches;
}
