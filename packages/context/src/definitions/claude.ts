import type { Report } from './definition.ts';
import { isFieldName, shownValue } from './fields.ts';
import type { FrontMatterField } from './front-matter.ts';

/** The rest of a name in a list that names a part of a tool: `(git add:*)`. */
const PART = /\s*\([^]*$/u;

/** The permission modes that mean the same here. */
const MODES_OF_CLAUDE = ['plan', 'acceptEdits', 'bypassPermissions'];

type ToolNameOf = (name: string) => string | undefined;

/** Returns the names of a list or of a comma list. The commas of `Bash(git add:*, git log:*)` separate no names. */
function namesOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'string') return Array.isArray(value) ? value : undefined;
  return (value.match(/(?:\([^)]*\)|[^,(])+/gu) ?? []).map((name) => name.trim()).filter((name) => name !== '');
}

function allowsAll(names: readonly unknown[] | undefined): boolean {
  return names === undefined || (names.length === 1 && names[0] === '*');
}

/** Returns the test of the tools that a list disallows: as a whole, also where it names a part of a tool, and under any name. */
function disallowedBy(names: readonly unknown[], toolNameOf: ToolNameOf): (name: unknown) => boolean {
  const ours = (name: unknown): unknown => (typeof name === 'string' ? (toolNameOf(name) ?? name) : name);
  const disallowed = new Set(names.map((name) => ours(typeof name === 'string' ? name.replace(PART, '') : name)));
  return (name) => disallowed.has('*') || disallowed.has(ours(name));
}

function toolsOf(
  field: FrontMatterField,
  isDisallowed: (name: unknown) => boolean,
  toolNameOf: ToolNameOf,
  report: Report,
): FrontMatterField[] {
  const names = namesOf(field.value);
  if (names === undefined) return [field];
  // `*` allows every tool, as a missing field does.
  if (allowsAll(names)) return [];
  const isUnknown = (name: unknown): boolean => typeof name === 'string' && toolNameOf(name) === undefined;
  for (const name of names.filter(isUnknown)) {
    const message = `Cairn has no tool ${shownValue(name)}; the agent works without it`;
    report('warning', message, { line: field.line, field: field.name });
  }
  return [{ ...field, value: names.filter((name) => !isUnknown(name) && !isDisallowed(name)) }];
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
  const valueOf = (field: string): unknown => fields.find(({ name }) => name === field)?.value;
  const isDisallowed = disallowedBy(namesOf(valueOf('disallowedTools')) ?? [], toolNameOf);
  return fields.flatMap((field) => {
    const { name, value, line } = field;
    const warn = (message: string): [] => {
      report('warning', message, { line, field: name });
      return [];
    };
    if (name === 'tools') return toolsOf(field, isDisallowed, toolNameOf, report);
    if (name === 'model' && typeof value === 'string') {
      return value === 'inherit'
        ? []
        : warn(`the model ${shownValue(value)} of Claude Code is not used; the agent uses the model of its caller`);
    }
    if (name === 'permissionMode') {
      if (typeof value === 'string' && MODES_OF_CLAUDE.includes(value)) return [{ ...field, name: 'permissions' }];
      return value === 'default'
        ? []
        : warn(`Cairn does not use the permission mode ${shownValue(value)}; it knows ${MODES_OF_CLAUDE.join(', ')}`);
    }
    if (name === 'disallowedTools') {
      if (allowsAll(namesOf(valueOf('tools'))))
        return warn('this list is not enforced without `tools`; list in `tools` what the agent may use');
      const listed = namesOf(value);
      if (listed === undefined) return warn(`invalid value ${shownValue(value)}; use a list of tools`);
      const parts = listed.filter((one) => typeof one === 'string' && PART.test(one));
      return parts.length === 0
        ? []
        : warn(`Cairn does not disallow a part of a tool, as ${shownValue(parts[0])} does; the whole tool is left out`);
    }
    return isFieldName(name) ? [field] : warn('Cairn has no such field; it is ignored');
  });
}
