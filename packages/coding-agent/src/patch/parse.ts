import { ToolError } from '@cairn/tool';
import { FORMAT_HINT, type FilePatch } from './file-patch.ts';
import { parseUnified } from './parse-unified.ts';
import { hasTwoReadings, parseV4a, type Reading } from './parse-v4a.ts';

export function pathsOf(patch: FilePatch): string[] {
  return patch.kind === 'update' && patch.to !== undefined ? [patch.path, patch.to] : [patch.path];
}

/** The first line of a patch in either format. A line of a unified diff may contain the first line of the other one. */
const firstLine =
  /(?:^|\n)(?:[^\S\n]*(?<v4a>\*\*\* Begin Patch)[^\S\n]*(?=\n|$)|diff --git |--- [^\n]*\n\+\+\+ |@@ -\d)/u;

/**
 * Reads a patch, of whichever format it is. Every line is part of a change, known to say nothing, or rejected.
 *
 * @throws {ToolError} `INVALID_PATCH`.
 */
export function parsePatch(text: string, reading: Reading = 'signs'): FilePatch[] {
  const plain = text.replace(/^\ufeff/u, '');
  const isV4a = firstLine.exec(plain)?.groups?.['v4a'] !== undefined;
  const patches = isV4a ? parseV4a(plain, reading) : parseUnified(plain);
  if (patches.length === 0) throw new ToolError('INVALID_PATCH', ['The patch changes no file', FORMAT_HINT]);
  return patches;
}

/** Whether `error` means that a reading of a patch does not fit the format, or the lines of a file. */
function isMisread(error: unknown): boolean {
  return ToolError.isInstance(error) && (error.code === 'INVALID_PATCH' || error.code === 'NO_MATCH');
}

/**
 * Applies the reading of a patch that fits. A marker with whitespace before it is first a line of the file, as the sign of the line
 * states; if no file has that line, it is a marker, as Codex takes it.
 *
 * @param apply changes nothing when it fails
 * @throws {ToolError} what the first reading throws, unless only the second one could be parsed.
 */
export async function applyReading<T>(
  text: string,
  parse: (reading: Reading) => readonly FilePatch[],
  apply: (patches: readonly FilePatch[]) => Promise<T>,
): Promise<T> {
  let isParsed = false;
  try {
    const patches = parse('signs');
    isParsed = true;
    return await apply(patches);
  } catch (error) {
    if (!hasTwoReadings(text) || !isMisread(error)) throw error;
    let patches: readonly FilePatch[];
    try {
      patches = parse('markers');
    } catch {
      throw error;
    }
    return apply(patches).catch((other: unknown) => {
      throw isParsed && isMisread(other) ? error : other;
    });
  }
}
