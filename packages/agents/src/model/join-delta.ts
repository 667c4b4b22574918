import type { StreamPart } from './model-object.ts';

/** Adds a piece of text to the last part when both are pieces of one text. Returns whether it did. */
export function joinDelta(parts: StreamPart[], part: StreamPart): boolean {
  const last = parts.at(-1);
  if (last === undefined || !('delta' in part) || !('delta' in last)) return false;
  if (last.type !== part.type || last.id !== part.id || part.providerMetadata !== undefined) return false;
  parts[parts.length - 1] = { ...last, delta: last.delta + part.delta };
  return true;
}
