import type { AgentResult, AgentRun, FinishReason } from '@cairn/agents';
import { errorDocument, writeAnswer } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { givenText } from '../../terminal/input.ts';
import { wholeNumber } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { countOf, formatCount } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import {
  modelOptions,
  placeOptions,
  requestOptions,
  withAgents,
  withoutOf,
  type OpenedAgents,
  type RequestFlags,
} from './open-agents.ts';
import { approvalOptions, canAsk, interruptible, openApprovals, openRules, type ApprovalFlags } from './approvals.ts';
import { agentArgument, agentName, definitionNotices, loadAgents, projectRoot } from './project.ts';
import { RunView } from './run-view.ts';
import { requireTrust } from './trust.ts';

const limitOptions = [
  [
    '--max-steps <n>',
    'requests to the model (default: set by the definition, else 50)',
    wholeNumber({ minimum: 1, maximum: 1000 }),
  ],
  [
    '--max-tokens <n>',
    'tokens, read and written (default: set by the definition, else no limit)',
    wholeNumber({ minimum: 1 }),
  ],
  [
    '--timeout <s>',
    'seconds (default: set by the definition, else 600)',
    wholeNumber({ unit: 'seconds', minimum: 1, maximum: 86_400 }),
  ],
  ['--verbose', 'print what the tree in the prompts saved, after the notices'],
] as const;

type RunFlags = FlagsOf<typeof limitOptions> & ApprovalFlags & RequestFlags;

/** What to do when a run ended before the model had finished. The other reasons are errors. */
const endings: Readonly<Partial<Record<FinishReason, string>>> = {
  steps: 'the run reached its limit of steps; continue it with --resume, or use a larger --max-steps',
  tokens: 'the run reached its limit of tokens; continue it with --resume, or use a larger --max-tokens',
  timeout: 'the run reached its time limit; continue it with --resume, or use a longer --timeout',
  length: 'the model cut its answer, because it reached the largest size that it can write; continue it with --resume',
  'content-filter': 'a filter of the provider cut the answer; use another prompt',
};

/** The prompt: the argument, or standard input for `-` and when it is piped. */
async function promptOf(given: string | undefined, { input }: CommandContext): Promise<string> {
  const prompt = await givenText(given, input, 'give the prompt as an argument, or pipe it');
  if (prompt.trim() === '') throw new UsageError('the prompt is empty', 'write what the agent is to do');
  return prompt.replace(/\n$/u, '');
}

function usageText({ steps, usage }: AgentResult): string {
  const { inputTokens, outputTokens, cachedInputTokens, isComplete } = usage;
  const cached = cachedInputTokens === 0 ? '' : ` (${formatCount(cachedInputTokens)} cached)`;
  const least = isComplete ? '' : 'at least ';
  const tokens = `${least}${formatCount(inputTokens)} tokens read${cached}, ${formatCount(outputTokens)} written`;
  return `${countOf(steps, 'step')}, ${tokens}`;
}

/** Shows a run to its end. One that cannot begin, or whose turn cannot be stored, has no result. */
async function settle(view: RunView, run: AgentRun) {
  try {
    await view.follow(run);
    const result = await run.result;
    return { result, failure: result.error };
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    // Before the reason is reported, the turn is stored.
    return { result: await run.result.catch(() => undefined), failure };
  }
}

function noticesOf(
  { contexts, isNew, owner, notices }: OpenedAgents,
  result: AgentResult | undefined,
  flags: RunFlags,
): readonly string[] {
  const ending = result && endings[result.finishReason];
  const isUnexpected = isNew && flags.session !== undefined;
  return [
    ...notices,
    ...contexts.problems.map(({ message }) => message),
    ...(ending === undefined ? [] : [ending]),
    ...(isUnexpected ? [`there was no session ${contexts.session}; it is new`] : []),
    ...(result === undefined ? [] : [`${usageText(result)}; session ${contexts.session}: ${continuation(owner)}`]),
  ];
}

function continuation(owner: OpenedAgents['owner']): string {
  if (owner === undefined) return '--resume continues it';
  const next = owner === 'terminal' ? 'the next run in this terminal' : 'the next run of the same parent process';
  return `${next} continues it, --new begins another`;
}

interface Task {
  readonly name: string;
  readonly prompt: string;
  readonly mentions: boolean;
  readonly view: RunView;
}

async function follow(
  opened: OpenedAgents,
  { name, prompt, mentions, view }: Task,
  flags: RunFlags,
  context: CommandContext,
): Promise<number> {
  const { agents, contexts } = opened;
  const { contextMode: mode, model, maxSteps, maxTokens, timeout } = flags;
  const run = agents.run({
    agent: name,
    prompt,
    mentions,
    mode,
    without: withoutOf(flags),
    model,
    maxSteps,
    maxTokens,
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
    // Where half an answer is not shown, one that the server cuts is asked for again.
    partialText: view.isStreaming,
    signal: context.signal,
  });
  const { result, failure } = await settle(view, run);
  await view.writeAnswer(result?.text ?? '');
  const report = flags.verbose === true ? agents.workspaceRun()?.report().split('\n') : undefined;
  for (const notice of [...noticesOf(opened, result, flags), ...(report ?? [])]) await view.notice(notice);
  if (flags.json === true) {
    const { calls, started, notices: all, text, steps } = view;
    const facts = { run: run.run, session: contexts.session, agent: name, ...started };
    const { finishReason = 'error', text: last = text, steps: count = steps, usage = run.usage } = result ?? {};
    const error = failure === undefined || context.signal.aborted ? {} : { error: errorDocument(context, failure) };
    const document = { ...facts, finishReason, text: last, steps: count, usage, calls, ...error };
    // The document of an aborted run is complete, too.
    const { signal } = new AbortController();
    await writeAnswer({ ...context, signal }, flags, { lines: [], document, notices: () => all });
  }
  if (context.signal.aborted) throw context.signal.reason;
  if (failure !== undefined && flags.json !== true) throw failure;
  return result?.finishReason === 'stop' ? ExitCode.Hit : ExitCode.Error;
}

const examples = `
Examples:
  $ export CAIRN_BASE_URL=http://localhost:11434/v1 CAIRN_MODEL=qwen3     any server with the OpenAI API
  $ cairn agents run reviewer 'Review @src/main.ts'         @path attaches a file
  $ git diff | cairn agents run reviewer -                  the prompt from standard input
  $ cairn agents run reviewer 'And the tests?'              continues the session of this terminal
  $ cairn agents run reviewer --new 'Review the README.'    begins another session
  $ cairn agents run @architect --context-mode shared 'Design the login.'

The key of the server is in CAIRN_API_KEY. Standard output has the answer; calls of tools and notices are on standard error. Runs in
one terminal continue one session, as do runs of one parent process without a terminal; with CI set, each run begins one. Ctrl-C stops the
run: the session keeps what it has done.`;

export const agentsRunCommand: CommandFactory = defineCommand({
  description: 'Run an agent with a prompt, and print its answer.',
  summary: 'run an agent with a prompt',
  args: [agentArgument, ['[prompt]', 'the task; - reads standard input (default: standard input, if it is piped)']],
  options: [...requestOptions, ...approvalOptions, ...limitOptions, ...modelOptions, ...placeOptions],
  examples,
  run: async (context, flags: RunFlags, name: string, given: string | undefined) => {
    const prompt = await promptOf(given, context);
    const [definitions, { findAgent }, { resolveModel }] = await Promise.all([
      loadAgents(context, flags),
      import('@cairn/context'),
      import('@cairn/agents'),
    ]);
    const agent = findAgent(definitions, agentName(name));
    // Before anything is opened or created.
    resolveModel({ model: flags.model ?? agent.model, baseUrl: flags.baseUrl, env: context.env });
    const about = await definitionNotices(definitions, agent.name);
    const root = projectRoot(context, flags);
    const rules = await openRules(context, root);
    const asks = canAsk(context, flags);
    const onNotice = (notice: string): void => void about.push(notice);
    const trusted = { definitions, agent, trust: flags.trust, canAsk: asks, onNotice };
    const trustedAgents = await requireTrust(context, rules, trusted);
    const { stoppable, stopping } = interruptible(context);
    const view = new RunView(stoppable, flags);
    const approvals = await openApprovals(stoppable, rules, {
      root,
      flags,
      onNotice: (notice) => void view.notice(notice),
      show: asks ? (request, ask) => view.question(request, () => stopping(ask)) : undefined,
    });
    return withAgents(stoppable, flags, { definitions: trustedAgents, writes: true, approvals }, async (opened) => {
      opened.notices.push(...about);
      const mentions = given !== undefined && given !== '-';
      return follow(opened, { name: agent.name, prompt, mentions, view }, flags, stoppable);
    });
  },
});
