import type { OptionNames } from '@cairn/tool/errors';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import { formatProblem, type AgentDefinition, type AgentDefinitions, type ContextMode } from '@cairn/context';
import { DEFAULT_MODE } from '@cairn/context/internal';
import { createTool, inputSchema, succeed, ToolError } from '@cairn/tool';
import type { OpenToolSet, ToolDefinition, Tools, ToolSet, ToolSetContext } from '@cairn/tool';
import { z } from 'zod';
import { fitting, inOrder, oneLine } from '../delegation/agent-list.ts';
import { RunTool } from '../delegation/run-tool.ts';
import { delegationTexts } from '../delegation/texts.ts';
import type { Agents } from '../run/agents.ts';

const LIST_AGENTS = 'list_agents';
const RUN_AGENT = 'run_agent';

/** About 2,400 tokens of English. */
const MAX_LIST_CHARACTERS = 8000;
const MAX_DESCRIPTION_CHARACTERS = 1000;
const MAX_PROBLEMS = 5;

type SessionAgents = Pick<Agents, 'run' | 'contexts' | 'close'>;

export interface AgentsToolSetOptions {
  /** Loads the definitions, for each session again. */
  readonly definitions: () => Promise<AgentDefinitions>;
  /** Makes the agents of one session. The first run of the session calls it, and the end of the session closes them. */
  readonly open: (definitions: AgentDefinitions, context: ToolSetContext) => Promise<SessionAgents>;
  /** Of the texts for the model. @default 'en' */
  readonly language?: Language | undefined;
  /** The characters of an answer that the model reads at once. @default 12_000 */
  readonly maxAnswerCharacters?: number | undefined;
  /** Releases what all sessions share. */
  readonly close?: (() => Promise<void>) | undefined;
}

export interface ListAgentsInput {
  readonly offset?: number | undefined;
}

export interface ListAgentsDetails {
  readonly agents: readonly {
    readonly name: string;
    readonly description: string;
    readonly mode: ContextMode;
    /** Absent for all tools. */
    readonly tools?: readonly string[];
  }[];
  readonly total: number;
  readonly nextOffset?: number;
}

function describe({ name, description, contextMode = DEFAULT_MODE, tools }: AgentDefinition): string {
  const facts = [contextMode, ...(tools === undefined ? [] : [tools.join(', ')])].join('; ');
  return `- ${name} (${facts}): ${oneLine(description, MAX_DESCRIPTION_CHARACTERS)}`;
}

function createListTool(
  { agents, problems }: AgentDefinitions,
  language: Language,
): ToolDefinition<ListAgentsInput, ListAgentsDetails> {
  const texts = delegationTexts[language];
  return createTool<ListAgentsInput, ListAgentsDetails>({
    name: LIST_AGENTS,
    description: texts.listDescription(RUN_AGENT),
    inputSchema: inputSchema({ offset: z.int().min(0).optional().describe(texts.listOffset) }),
    annotations: {
      title: texts.listTitle,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    run: async ({ offset = 0 }) => {
      const all = inOrder(agents.values());
      if (offset > 0 && offset >= all.length) {
        throw new ToolError('INVALID_INPUT', texts.noAgentAt(offset, all.length));
      }
      const rest = all.slice(offset);
      const shown = rest.slice(0, Math.max(1, fitting(rest, describe, MAX_LIST_CHARACTERS).length));
      const end = offset + shown.length;
      const isCut = end < all.length && shown.length > 0;
      const broken = problems.filter(({ severity }) => severity === 'error');
      const lines = [
        all.length === 0 ? texts.noAgents : texts.range(offset + 1, end, all.length),
        ...shown.map(describe),
        ...(isCut ? [texts.more(LIST_AGENTS, end)] : []),
        ...(broken.length > 0 ? [texts.problems, ...broken.slice(0, MAX_PROBLEMS).map(formatProblem)] : []),
        ...(broken.length > MAX_PROBLEMS ? [`… ${broken.length - MAX_PROBLEMS}`] : []),
      ];
      return succeed(lines.join('\n'), {
        agents: shown.map(({ name, description, contextMode: mode = DEFAULT_MODE, tools }) => ({
          name,
          description,
          mode,
          ...(tools && { tools }),
        })),
        total: all.length,
        ...(isCut && { nextOffset: end }),
      });
    },
  });
}

const agentsToolSetOptions: OptionNames<AgentsToolSetOptions> = {
  definitions: 'required',
  open: 'required',
  language: 'optional',
  maxAnswerCharacters: 'optional',
  close: 'optional',
};

/** Makes `list_agents` and `run_agent` for other hosts. Each session has its own agents; in a read-only one they change nothing. */
export function createAgentsToolSet(options: AgentsToolSetOptions): ToolSet {
  checkArguments.options('createAgentsToolSet', options, agentsToolSetOptions);
  const { language = 'en', maxAnswerCharacters } = options;
  const ends = new Set<Promise<void>>();
  const open = async (context: ToolSetContext): Promise<OpenToolSet> => {
    const definitions = await options.definitions();
    let opening: Promise<SessionAgents> | undefined;
    const agents = (): Promise<SessionAgents> => {
      opening ??= options.open(definitions, context).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    };
    const end = (): void => {
      const ended = Promise.resolve(opening)
        .then((opened) => opened?.close())
        .catch(() => undefined)
        .finally(() => void ends.delete(ended));
      ends.add(ended);
    };
    if (context.signal.aborted) end();
    else context.signal.addEventListener('abort', end, { once: true });
    const { readOnly } = context;
    const shared = { definitions, agents, language, readOnly, maxAnswerCharacters };
    const run = new RunTool({ tool: RUN_AGENT, isOtherMain: true, ...shared }).of();
    const list = createListTool(definitions, language);
    return { tools: { [LIST_AGENTS]: list as Tools[string], [RUN_AGENT]: run as Tools[string] } };
  };
  return {
    name: 'agents',
    open,
    close: async () => {
      await Promise.all(ends);
      await options.close?.();
    },
  };
}
