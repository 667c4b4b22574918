import type { AgentDefinition, Language } from '@cairn/context';
import { escapeControls } from '@cairn/tool/paths';
import { delegationTexts } from './texts.ts';

/** The characters of the lines with descriptions, and of the names without. Together about 2,400 tokens of English. */
const MAX_DESCRIBED = 6000;
const MAX_NAMED = 2000;
const MAX_DESCRIPTION = 300;

/** Returns a description in one line. */
export function oneLine(description: string, maxCharacters: number = MAX_DESCRIPTION): string {
  const line = escapeControls(description.trim().replaceAll(/\s+/gu, ' '));
  return line.length <= maxCharacters ? line : `${line.slice(0, endOfPart(line, 0, maxCharacters - 1))}…`;
}

/** Returns where a part of a text ends. A surrogate pair stays together. */
export function endOfPart(text: string, offset: number, maxCharacters: number): number {
  const end = offset + maxCharacters;
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd8_00 && code <= 0xdb_ff ? end - 1 : end;
}

/** Returns the agents in the order of their names, which depends on nothing else. */
export function inOrder(agents: Iterable<AgentDefinition>): AgentDefinition[] {
  return [...agents].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Adds texts while they fit. */
function fitting(texts: readonly string[], maxCharacters: number): string[] {
  let left = maxCharacters;
  const end = texts.findIndex((text) => {
    left -= text.length + 1;
    return left < 0;
  });
  return texts.slice(0, end === -1 ? texts.length : end);
}

/**
 * Lists agents with their descriptions, for the description of a tool. The text is the same for the same agents. The rest is
 * named, as far as names fit, then counted.
 */
export function listAgents(agents: Iterable<AgentDefinition>, language: Language): string {
  const texts = delegationTexts[language];
  const sorted = inOrder(agents);
  if (sorted.length === 0) return texts.noAgents;
  const described = fitting(
    sorted.map(({ name, description }) => `- ${name}: ${oneLine(description)}`),
    MAX_DESCRIBED,
  );
  const rest = sorted.slice(described.length).map(({ name }) => name);
  const named = fitting(rest, MAX_NAMED);
  const uncounted = rest.length - named.length;
  return [
    texts.list,
    ...described,
    ...(named.length > 0 ? [texts.alsoNamed(named.join(language === 'zh' ? '、' : ', '))] : []),
    ...(uncounted > 0 ? [texts.notListed(uncounted)] : []),
  ].join('\n');
}
