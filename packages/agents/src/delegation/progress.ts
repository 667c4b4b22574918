import { truncateLine } from '@cairn/tool/prompt';
import type { AgentEvent } from '../run/agent-run.ts';

const MAX_INPUT_CHARACTERS = 60;

/** Returns a function that states in a few words what runs do; `undefined` for events that change nothing of that. */
export function createProgress(): (event: AgentEvent) => string | undefined {
  const names = new Map<string, string>();
  return (event) => {
    if (event.type === 'start') names.set(event.run, event.agent);
    const name = names.get(event.run) ?? event.run;
    if (event.type === 'step') return `${name}: step ${event.step}`;
    if (event.type === 'retry') return `${name}: waits for the model: ${event.reason}`;
    if (event.type !== 'tool-start') return undefined;
    return `${name}: ${event.name} ${truncateLine(JSON.stringify(event.input) ?? '', MAX_INPUT_CHARACTERS)}`;
  };
}
