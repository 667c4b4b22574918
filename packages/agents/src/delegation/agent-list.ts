import type { AgentDefinition } from '@cairn/context';
import { startOf } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import { escapeControls } from '@cairn/tool/paths';
import { delegationTexts } from './texts.ts';

/** The characters of the lines with descriptions, and of the names without. Together about 2,400 tokens of English. */
const MAX_DESCRIBED = 6000;
const MAX_NAMED = 2000;
const MAX_DESCRIPTION = 300;

export function oneLine(description: string, maxCharacters: number = MAX_DESCRIPTION): string {
  const line = escapeControls(description.trim().replaceAll(/\s+/gu, ' '));
  return line.length <= maxCharacters ? line : `${startOf(line, maxCharacters - 1)}…`;
}

/** Returns the agents in the order of their names, which depends on nothing else. */
export function inOrder(agents: Iterable<AgentDefinition>): AgentDefinition[] {
  return [...agents].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns the texts of the first items, as many as fit. */
export function fitting<Item>(items: readonly Item[], textOf: (item: Item) => string, maxCharacters: number): string[] {
  const texts: string[] = [];
  let characters = 0;
  for (const item of items) {
    const text = textOf(item);
    characters += text.length + 1;
    if (characters > maxCharacters) break;
    texts.push(text);
  }
  return texts;
}

/** Lists agents for the description of a tool, with descriptions as far as they fit, then names, then a count. Stable. */
export function listAgents(agents: Iterable<AgentDefinition>, language: Language): string {
  const texts = delegationTexts[language];
  const sorted = inOrder(agents);
  if (sorted.length === 0) return texts.noAgents;
  const described = fitting(sorted, ({ name, description }) => `- ${name}: ${oneLine(description)}`, MAX_DESCRIBED);
  const rest = sorted.slice(described.length);
  const named = fitting(rest, ({ name }) => name, MAX_NAMED);
  const uncounted = rest.length - named.length;
  return [
    texts.list,
    ...described,
    ...(named.length > 0 ? [texts.alsoNamed(named.join(language === 'zh' ? '、' : ', '))] : []),
    ...(uncounted > 0 ? [texts.notListed(uncounted)] : []),
  ].join('\n');
}
