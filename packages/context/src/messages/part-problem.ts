import { isObject } from '@cairn/tool/kernel';
import type { Fields } from '@cairn/tool/kernel';
/** Returns the first of some fields that is not a text. */
function missingText(part: Fields, names: readonly string[]): string | undefined {
  return names.find((name) => typeof part[name] !== 'string');
}

/** The roles whose messages have a part, and the texts that it has. Other parts are those of a newer AI SDK, or have no text. */
const known: Readonly<Record<string, readonly [roles: readonly string[], texts: readonly string[]]>> = {
  text: [['user', 'assistant'], ['text']],
  reasoning: [['assistant'], ['text']],
  'tool-call': [['assistant'], ['toolCallId', 'toolName']],
  'tool-result': [
    ['assistant', 'tool'],
    ['toolCallId', 'toolName'],
  ],
};

/** Returns the problem with a part of a message, so that no view of the history could read it; `undefined` when nothing is. */
export function partProblem(role: string, part: unknown): string | undefined {
  if (!isObject(part) || typeof part['type'] !== 'string') return 'has no type';
  const { type, output } = part;
  const [roles, texts] = (Object.hasOwn(known, type) ? known[type] : undefined) ?? [[role], []];
  if (!roles.includes(role)) return `of the type ${type} is not one of a message with the role ${role}`;
  const missing = missingText(part, texts);
  if (missing !== undefined) return `of the type ${type} has no text ${missing}`;
  if (type !== 'tool-result') return undefined;
  const isOutput =
    isObject(output) &&
    typeof output['type'] === 'string' &&
    (output['type'] !== 'content' || (Array.isArray(output['value']) && output['value'].every(isObject)));
  return isOutput ? undefined : 'of the type tool-result has no output with a type';
}
