import { truncateLine } from '@cairn/tool/prompt';
import { escapeControls } from '@cairn/tool/paths';
import { isContextMode, MODES } from '../modes/mode.ts';
import { matchesEverything } from '../modes/select-sentences.ts';
import { agentNameProblem, SHOWN_PARTS, type AgentDefinition } from './definition.ts';

/** The fields of the front matter. The body and the place of the file are not fields. */
export type FieldName = Exclude<keyof AgentDefinition, 'systemPrompt' | 'source' | 'path'>;

export function shownValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return escapeControls(truncateLine(text, 100));
}

/** Returns the advice for an invalid value; `undefined` for a valid value. */
type Check = (value: unknown) => string | undefined;

function wholeNumber(min: number, max: number): Check {
  return (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `use a whole number from ${min} to ${max}`;
}

function text(maxLength: number, { isEmptyValid = false } = {}): Check {
  return (value) => {
    if (typeof value !== 'string') return 'use text, in quotes where YAML would read it as something else';
    if (value.trim() === '' && !isEmptyValid) return 'use text that is not empty, or remove the field';
    return value.length > maxLength ? `use at most ${maxLength} characters` : undefined;
  };
}

function textList(maxItems: number, maxLength: number): Check {
  const item = text(maxLength);
  const use = `use a list of at most ${maxItems} texts, each of at most ${maxLength} characters, such as [one, two]`;
  return (value) =>
    Array.isArray(value) && value.length <= maxItems && value.every((entry) => item(entry) === undefined)
      ? undefined
      : use;
}

const PERMISSIONS = ['plan', 'ask', 'acceptEdits', 'bypassPermissions'] as const;

const checks: Readonly<Record<FieldName, Check>> = {
  name: text(1000),
  description: text(10_000, { isEmptyValid: true }),
  contextMode: (value) => (isContextMode(value) ? undefined : `use ${Object.keys(MODES).join(', ')}`),
  contextWindow: wholeNumber(1, 100_000),
  sharePatterns: (value) =>
    textList(100, 500)(value) ??
    ((value as readonly string[]).some(matchesEverything)
      ? 'use patterns with words, such as "project uses *", or contextMode: fork to share the whole conversation'
      : undefined),
  summarizeAfter: wholeNumber(2, 100_000),
  model: text(500),
  tools: textList(500, 200),
  maxSteps: wholeNumber(1, 1000),
  timeout: (value) =>
    typeof value === 'number' && value > 0 && value <= 86_400
      ? undefined
      : 'use a number of seconds from above 0 to 86400',
  maxTokens: wholeNumber(1, 1_000_000_000),
  shows: (value) =>
    Array.isArray(value) && value.every((part) => (SHOWN_PARTS as readonly unknown[]).includes(part))
      ? undefined
      : `use a list of ${SHOWN_PARTS.join(', ')}, or [] for none of them`,
  permissions: (value) =>
    (PERMISSIONS as readonly unknown[]).includes(value)
      ? undefined
      : `use ${PERMISSIONS.join(', ')}; to leave out single tools, list the others in tools`,
  allow: textList(500, 1000),
  ask: textList(500, 1000),
  deny: textList(500, 1000),
};

/** The names of the fields, in the order in which a file is written. */
export const fieldNames: readonly FieldName[] = Object.keys(checks) as FieldName[];

export function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(checks, name);
}

export function fieldProblem(name: FieldName, value: unknown): string | undefined {
  if (value === null) return 'has no value; remove the line, or write the value after the colon';
  const use = checks[name](value);
  if (use !== undefined) return `invalid value ${shownValue(value)}; ${use}`;
  return name === 'name' && typeof value === 'string' ? agentNameProblem(value.trim()) : undefined;
}
