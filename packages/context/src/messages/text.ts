import type { ToolResultPart, UnifiedMessage } from './message.ts';

/** Returns the texts of a message, joined by line feeds. Reasoning, tool parts and media have none. */
export function textOf({ content }: UnifiedMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns a value as JSON; a value that has no JSON form as its name. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** Returns the text of a result. Images and files in it are named by their media type. */
export function resultTextOf({ value, type, reason }: ToolResultPart['output']): string {
  if (type === 'execution-denied') return reason ?? type;
  if (type !== 'content' || !Array.isArray(value)) return typeof value === 'string' ? value : jsonOf(value);
  return value
    .map((part: { type?: unknown; text?: unknown; mediaType?: unknown }) =>
      typeof part.text === 'string' ? part.text : `[${String(part.mediaType ?? part.type)}]`,
    )
    .join('\n');
}
