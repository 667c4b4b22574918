import { isObject, type Fields } from '@cairn/tool';
import { withoutFence } from './labels.ts';

/** A JSON object in an answer, and the text round it. */
export interface FoundObject {
  readonly object: Fields;
  readonly rest: string;
}

/** Parses JSON; `undefined` for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const FENCE_AFTER = /^\s*```/u;

/** Finds the object of an answer that is JSON, also in a code fence with text before and after it. */
export function findObject(text: string): FoundObject | undefined {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  const object = start === -1 ? undefined : parseJson(text.slice(start, end + 1));
  if (!isObject(object)) return undefined;
  const [before, after] = [text.slice(0, start), text.slice(end + 1)];
  return { object, rest: `${withoutFence(before)}\n${after.replace(FENCE_AFTER, '')}` };
}
