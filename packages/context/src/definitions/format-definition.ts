import { stringify } from 'yaml';
import type { AgentDefinition } from './definition.ts';
import { fieldNames } from './fields.ts';

/** Returns the text of the file that defines an agent: `parseDefinition` of it gives the same definition. */
export function formatDefinition(definition: AgentDefinition): string {
  const fields = fieldNames.flatMap((name) =>
    definition[name] === undefined ? [] : [[name, definition[name]] as const],
  );
  return `---\n${stringify(Object.fromEntries(fields), { lineWidth: 0 })}---\n\n${definition.systemPrompt.trim()}\n`;
}
