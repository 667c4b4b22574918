import { isObject, textOf, type ToolResult } from '@cairn/tool';
import { truncateLine } from '@cairn/tool/prompt';
import type { FunctionOutcome } from '../types.ts';

/** UTF-16 code units of what a model reads. Tools limit their results themselves, and stay below. */
const MAX_OUTPUT = 32_000;
/** UTF-16 code units of what the record of a workflow keeps. */
const MAX_RECORDED = 2000;

function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return truncateLine(text, maxCharacters - `… [${text.length} more characters]`.length);
}

/** Cuts what a call returned to 2,000 characters for the record; its end states how much is missing. */
export function cutOutput(text: string): string {
  return cut(text, MAX_RECORDED);
}

function isToolResult(value: unknown): value is ToolResult {
  return isObject(value) && typeof value['isError'] === 'boolean' && Array.isArray(value['content']);
}

function toText(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  if (value === undefined || value === null || value === '') return 'The function returned no value.';
  try {
    const json: unknown = JSON.stringify(value);
    if (typeof json === 'string') return json;
  } catch {
    // The value has a cycle or a BigInt. The call itself has succeeded.
  }
  return 'The function returned a value that is not JSON.';
}

/** Returns the result of a function as a model reads it. The result of a tool keeps whether it failed. */
export function outcomeOf(value: unknown): FunctionOutcome {
  if (isToolResult(value)) return { output: cut(textOf(value), MAX_OUTPUT), isError: value.isError };
  return { output: cut(toText(value), MAX_OUTPUT), isError: false };
}

export function outcomeOfError(error: unknown): FunctionOutcome {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return { output: cut(text, MAX_OUTPUT), isError: true };
}
