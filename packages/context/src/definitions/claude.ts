import { isFieldName, shownValue } from './fields.ts';
import type { FrontMatterField } from './front-matter.ts';
import type { Report } from './problem.ts';

type ToolNameOf = (name: string) => string | undefined;

/** Returns the names of a list or of a comma list. The commas of `Bash(git add:*, git log:*)` separate no names. */
function namesOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'string') return Array.isArray(value) ? value : undefined;
  return (value.match(/(?:\([^)]*\)|[^,(])+/gu) ?? []).map((name) => name.trim()).filter((name) => name !== '');
}

function toolsOf(
  field: FrontMatterField,
  disallowed: readonly unknown[],
  toolNameOf: ToolNameOf,
  report: Report,
): FrontMatterField[] {
  const names = namesOf(field.value);
  if (names === undefined) return [field];
  // `*` allows every tool, as a missing field does.
  if (names.length === 1 && names[0] === '*') return [];
  const known = names.filter((name) => {
    const isKnown = typeof name !== 'string' || toolNameOf(name) !== undefined;
    if (!isKnown) {
      const message = `Cairn has no tool ${shownValue(name)}; the agent works without it`;
      report('warning', message, { line: field.line, field: field.name });
    }
    return isKnown;
  });
  return [{ ...field, value: known.filter((name) => !disallowed.includes(name)) }];
}

/**
 * Returns the fields of a file of Claude Code as fields of Cairn. What Cairn does not have is left out, with a warning.
 *
 * @see https://code.claude.com/docs/en/sub-agents
 */
export function fromClaude(
  fields: readonly FrontMatterField[],
  toolNameOf: ToolNameOf,
  report: Report,
): FrontMatterField[] {
  const disallowed = namesOf(fields.find(({ name }) => name === 'disallowedTools')?.value) ?? [];
  return fields.flatMap((field) => {
    const { name, value, line } = field;
    const warn = (message: string): [] => {
      report('warning', message, { line, field: name });
      return [];
    };
    if (name === 'tools') return toolsOf(field, disallowed, toolNameOf, report);
    if (name === 'model' && typeof value === 'string') {
      return value === 'inherit'
        ? []
        : warn(`the model ${shownValue(value)} of Claude Code is not used; the agent uses the model of its caller`);
    }
    if (name === 'disallowedTools') {
      return fields.some((other) => other.name === 'tools')
        ? []
        : warn('this list is not enforced without `tools`; list in `tools` what the agent may use');
    }
    return isFieldName(name) ? [field] : warn('Cairn has no such field; it is ignored');
  });
}
