import * as tool from '@cairn/tool';
import type { InputSchemaOptions } from '@cairn/tool/internal';
import type { z } from 'zod';

/** The names of parameters that models know from different hosts. */
const aliases: readonly (readonly string[])[] = [
  ['path', 'file_path', 'filePath', 'filepath', 'file', 'dir_path', 'directory'],
  ['old_text', 'old_string', 'oldText', 'oldString', 'old_str'],
  ['new_text', 'new_string', 'newText', 'newString', 'new_str'],
  ['replace_all', 'replaceAll', 'allow_multiple', 'allowMultiple'],
  ['content', 'file_text', 'contents'],
  ['glob', 'include', 'include_pattern'],
  ['from', 'source', 'old_path', 'oldPath'],
  ['to', 'destination', 'new_path', 'newPath'],
  ['patch', 'input', 'patch_text', 'patchText', 'diff'],
  ['ignore_case', 'ignoreCase'],
  ['edits', 'replacements'],
  ['timeout', 'timeout_ms', 'timeoutMs'],
];

/** Returns the names that a parameter has at different hosts, our own first. */
export function namesOf(parameter: string): readonly string[] {
  return aliases.find(([name]) => name === parameter) ?? [parameter];
}

/** Makes the schema of a coding tool's parameters, which also accepts the names that other hosts use. */
export function inputSchema<Shape extends z.ZodRawShape>(
  shape: Shape,
  options: Omit<InputSchemaOptions, 'aliases'> = {},
): z.ZodType<z.output<z.ZodObject<Shape, z.core.$strict>>> {
  return tool.inputSchema(shape, { ...options, aliases });
}
