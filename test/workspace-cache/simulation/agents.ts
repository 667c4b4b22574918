/** The seven agents of the simulated run, and the model that decides for them. */
import type { ChatMessage, ModelReply, ModelRequest } from '../../support/model-server.ts';
import type { Project } from './projects.ts';
import { shownDirectories } from './shown-directories.ts';

export interface Agent {
  readonly name: string;
  readonly directories: readonly string[];
  readonly files: readonly string[];
}

/** Create and structure come in sequence; the detail agents run at once. */
export interface Agents {
  readonly inOrder: readonly Agent[];
  readonly atOnce: readonly Agent[];
}

/** The agents of section 5 of the source document: each lists three directories and reads the core files. */
export function agentsOf({ directories, coreFiles, detailFiles }: Project): Agents {
  return {
    inOrder: ['create', 'structure'].map((name) => ({ name, directories, files: coreFiles })),
    atOnce: detailFiles.map((file, index) => ({
      name: `detail ${index + 1}`,
      directories,
      files: [...coreFiles, file],
    })),
  };
}

/** The prompt of an agent, by which the model knows it again. */
export function taskOf({ name }: Agent): string {
  return `You are the agent ${name}. Get to know the project, then write your part of its documentation.`;
}

const textOf = (message: ChatMessage | undefined): string =>
  typeof message?.content === 'string'
    ? message.content
    : (message?.content ?? []).map((part) => ('text' in part ? part.text : '')).join('');

/** Whether an agent sent a request. */
export function isFor({ chat }: ModelRequest, agent: Agent): boolean {
  return textOf(chat.messages[1]) === taskOf(agent);
}

/**
 * The model: it lists each directory that its agent needs and the prompt does not show in full, reads each file, one call a
 * request, and then answers.
 */
export function modelFor(agents: readonly Agent[]): (request: ModelRequest) => ModelReply {
  return (request) => {
    const { chat } = request;
    const agent = agents.find((one) => isFor(request, one));
    if (agent === undefined) throw new Error('no agent has the task of the request');
    const made = new Set(
      chat.messages.flatMap((message) =>
        message.role === 'assistant' ? (message.tool_calls ?? []).map((call) => call.function.arguments) : [],
      ),
    );
    const shown = shownDirectories(textOf(chat.messages[0]));
    const calls = [
      ...agent.directories
        .filter((path) => !shown.has(path))
        .map((path) => ({ name: 'ls', input: { path: path || '.' } })),
      ...agent.files.map((path) => ({ name: 'read', input: { path } })),
    ];
    const next = calls.find(({ input }) => !made.has(JSON.stringify(input)));
    return next === undefined ? { text: `The part of ${agent.name} is written.` } : { toolCalls: [next] };
  };
}
