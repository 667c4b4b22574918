/** A part of a system prompt. */
export interface SystemPart {
  readonly name: SystemPartName;
  readonly text: string;
}

/**
 * The parts in their order. Those that change least come first, so that providers can cache the longest beginning.
 *
 * - `agent`: the system prompt of the definition.
 * - `project`: the project instructions.
 * - `tools`: when to use the tools.
 * - `knowledge`: the index of what the team knows, and how to use it.
 * - `facts`: the newest facts of the memory.
 * - `workspace`: the directory tree.
 * - `mode`: which conversations the agent sees.
 * - `left-out`: what the history has and the request has not.
 */
export const SYSTEM_PARTS = [
  'agent',
  'project',
  'tools',
  'knowledge',
  'facts',
  'workspace',
  'mode',
  'left-out',
] as const;

export type SystemPartName = (typeof SYSTEM_PARTS)[number];

export function systemParts(texts: Readonly<Partial<Record<SystemPartName, string>>>): SystemPart[] {
  return SYSTEM_PARTS.flatMap((name) => {
    const text = texts[name]?.trim() ?? '';
    return text === '' ? [] : [{ name, text }];
  });
}

export function systemText(parts: readonly SystemPart[]): string {
  return parts.map(({ text }) => text).join('\n\n');
}
