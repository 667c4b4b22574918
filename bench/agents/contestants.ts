/** The contestants of the task. Each is set up once, and then does the task in a session of its own. */
import { createAgents, createApprovals } from '@cairn/agents';
import { ContextManager } from '@cairn/context';
import { createTool, succeed } from '@cairn/tool';
import type { ToolSet } from '@cairn/tool';
import { tool, ToolLoopAgent } from 'ai';
import type { ModelProcess } from './model-process.ts';
import { instructions, Project, prompt, toolNames, tools } from './task.ts';

export interface Contestant {
  readonly name: string;
  /** Does the task, and returns the last text. */
  readonly run: (project: Project) => Promise<string>;
}

const calls = {
  search: (project: Project, input: unknown) => project.search(tools.search.schema.parse(input)),
  read: (project: Project, input: unknown) => project.read(tools.read.schema.parse(input)),
  edit: (project: Project, input: unknown) => project.edit(tools.edit.schema.parse(input)),
};

export function cairn({ url }: ModelProcess): Contestant {
  let current = new Project();
  const set: ToolSet = {
    name: 'project',
    open: () => ({
      tools: Object.fromEntries(
        toolNames.map((name) => [
          name,
          createTool({
            name,
            description: tools[name].description,
            inputSchema: tools[name].schema,
            annotations: {
              title: name,
              readOnlyHint: name !== 'edit',
              destructiveHint: name === 'edit',
              idempotentHint: true,
              openWorldHint: false,
            },
            run: async (input: unknown) => succeed(calls[name](current, input), {}),
          }),
        ]),
      ),
    }),
  };
  const definition = { name: 'renamer', description: 'Renames.', systemPrompt: instructions };
  const contexts = new ContextManager();
  const approvals = createApprovals({ root: '/', rules: [{ source: 'the benchmark', allow: ['*'] }] });
  const agents = createAgents({ root: '/', contexts, approvals, model: 'scripted', baseUrl: url, toolSets: [set] });
  return {
    name: 'cairn',
    run: async (project) => {
      current = project;
      const { text } = await agents.run({ agent: definition, prompt }).result;
      await contexts.clearHistory(definition.name);
      return text;
    },
  };
}

export function aiSdk({ model }: ModelProcess): Contestant {
  return {
    name: 'AI SDK ToolLoopAgent',
    run: async (project) => {
      const own = toolNames.map((name) => [
        name,
        tool({
          description: tools[name].description,
          inputSchema: tools[name].schema,
          execute: async (input: unknown) => calls[name](project, input),
        }),
      ]);
      const agent = new ToolLoopAgent({ model, instructions, tools: Object.fromEntries(own) });
      const answer = await agent.stream({ prompt });
      await answer.consumeStream();
      return answer.text;
    },
  };
}

/** What the benchmark uses of LangChain, so that types are checked where it is not installed. */
interface LangChain {
  readonly tool: (run: (input: unknown) => Promise<string>, fields: object) => object;
  readonly ChatOpenAI: new (fields: object) => object;
  readonly createReactAgent: (options: object) => {
    readonly stream: (
      input: object,
      options: { readonly streamMode: readonly string[] },
    ) => Promise<AsyncIterable<[mode: string, state: { readonly messages: readonly { readonly text: string }[] }]>>;
  };
}

const langChainModules = ['@langchain/core/tools', '@langchain/openai', '@langchain/langgraph/prebuilt'];

export async function langGraph({ url }: ModelProcess): Promise<Contestant> {
  const modules = await Promise.all(langChainModules.map((name) => import(name) as Promise<object>));
  const { tool: langChainTool, ChatOpenAI, createReactAgent } = Object.assign({}, ...modules) as LangChain;
  const llm = new ChatOpenAI({
    model: 'scripted',
    apiKey: 'none',
    configuration: { baseURL: url },
    streamUsage: true,
  });
  return {
    name: 'LangGraph.js createReactAgent',
    run: async (project) => {
      const own = toolNames.map((name) =>
        langChainTool(async (input: unknown) => calls[name](project, input), {
          name,
          description: tools[name].description,
          schema: tools[name].schema,
        }),
      );
      const agent = createReactAgent({ llm, tools: own, prompt: instructions });
      let text = '';
      // Asks the model for a stream, as a terminal that shows the answer does.
      const input = { messages: [{ role: 'user', content: prompt }] };
      const stream = await agent.stream(input, { streamMode: ['messages', 'values'] });
      for await (const [mode, state] of stream) if (mode === 'values') text = state.messages.at(-1)?.text ?? '';
      return text;
    },
  };
}
