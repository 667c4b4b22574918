import { setTimeout as delay } from 'node:timers/promises';
import { readFile, realpath } from 'node:fs/promises';
import type { AgentWorkflows, ApprovalRequest, Approvals, UserRules, WorkflowResponse } from '@cairn/agents';
import type { Memory } from '@cairn/memory';
import type { ToolSet } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import { writeAnswer } from '../../terminal/answer.ts';
import { askPerson } from '../../terminal/ask.ts';
import { CommandError, factsOf } from '../../terminal/errors.ts';
import { ExitCode, Interrupted } from '../../terminal/exit.ts';
import { useEnvironmentProxy } from '../../terminal/proxy.ts';
import { withOwnCommand } from '../../terminal/own-command.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { lineEscape } from '../../terminal/text.ts';
import { canAsk, openApprovals, openRules } from '../agents/approvals.ts';
import { toolSetsOf } from '../agents/open-agents.ts';
import { projectRoot } from '../agents/project.ts';
import { notTrusted, untrustedOf, type TrustItem } from '../agents/trust.ts';
import { openMemory } from '../memory/store.ts';
import { storeWords, type Settings, type WorkFlags } from './settings.ts';
import { loadStatusOf, WorkflowView } from './workflow-view.ts';

/** A process that is gone holds a workflow for this time. A process that works renews its hold three times in it. */
const LEASE_MS = 10_000;
const POLL_MS = 200;

/** The opened memory of a command, and what is shown while a workflow works. */
export interface WorkPlace {
  readonly context: CommandContext;
  readonly flags: WorkFlags;
  readonly memory: Memory;
  readonly isShared: boolean;
  readonly view: WorkflowView;
}

/**
 * Opens the store that the options name, and closes it.
 *
 * @param id the workflow that the command needs; only without one a missing store is created
 */
export async function withWorkPlace<T>(
  session: CommandContext,
  { flags, id }: { readonly flags: WorkFlags; readonly id?: string },
  use: (place: WorkPlace) => Promise<T>,
): Promise<T> {
  const view = new WorkflowView(session, flags, await loadStatusOf());
  const { memory, where, isShared, isAbsent } = await openMemory(session, flags, {
    onUnreadable: (notice) => view.notice(notice),
    directory: session.cwd,
  });
  try {
    if (id !== undefined && isAbsent()) {
      const message = `unknown workflow ${JSON.stringify(id)}: there is no memory at ${where}`;
      throw new CommandError({ code: 'UNKNOWN_WORKFLOW', message, fix: 'use the --store that it began with' });
    }
    return await use({ context: session, flags, memory, isShared, view });
  } finally {
    await memory.close();
    await view.flush();
  }
}

/** Leaves out the tools that change something. */
function readOnlySet(set: ToolSet): ToolSet {
  return {
    name: set.name,
    open: async (context) => {
      const opened = await set.open({ ...context, readOnly: true });
      const tools = Object.entries(opened.tools).filter(([, { annotations }]) => annotations.readOnlyHint);
      return { ...opened, tools: Object.fromEntries(tools) };
    },
    close: async () => set.close?.(),
  };
}

async function toolsOf(
  { memory, context: session, flags }: WorkPlace,
  { readOnly, language }: Settings,
): Promise<ToolSet[]> {
  const sets = await toolSetsOf(session, { stored: memory, stateDir: flags.stateDir, knowledge: { language } });
  return readOnly ? sets.map(readOnlySet) : sets;
}

/** Asks about the modules of the project, by what is in their files. @throws {CommandError} `NOT_TRUSTED` */
async function requireTrustedModules(
  { context: session, flags, view }: WorkPlace,
  { functions }: Settings,
  { rules, root }: { readonly rules: UserRules; readonly root: string },
): Promise<void> {
  const [{ trustHash }, { isWithin }] = await Promise.all([
    import('@cairn/agents'),
    import('@cairn/coding-agent/internal'),
  ]);
  const within = await realpath(root);
  const items: TrustItem[] = [];
  for (const { path } of functions) {
    // A missing module is reported where it is loaded.
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || !isWithin(real, within)) continue;
    const hash = trustHash({ kind: 'functions', content: await readFile(real, 'utf8') });
    items.push({ hash, name: 'module', path, may: 'its functions run as programs of yours' });
  }
  const onNotice = (notice: string): void => view.notice(notice);
  const options = { trust: flags.trust, canAsk: canAsk(session, flags), onNotice };
  const [untrusted] = await untrustedOf(session, rules, items, options);
  if (untrusted !== undefined) throw notTrusted(untrusted);
}

async function approvalsOf(place: WorkPlace, { root }: Settings, rules: UserRules): Promise<Approvals> {
  const { context: session, flags, view } = place;
  const show = async <T>(_: ApprovalRequest, ask: () => Promise<T>): Promise<T> => {
    await view.flush();
    return ask();
  };
  const asks = canAsk(session, flags);
  const onNotice = (notice: string): void => view.notice(notice);
  return openApprovals(session, rules, { root, flags, onNotice, ...(asks && { show }) });
}

export async function openWorkflows(place: WorkPlace, settings: Settings): Promise<AgentWorkflows> {
  const { memory, context: session } = place;
  const project = projectRoot(session, {});
  const rules = await openRules(session, project);
  await requireTrustedModules(place, settings, { rules, root: project });
  const { stream, merge, persona, root, language, functions, approve } = settings;
  useEnvironmentProxy(session.env);
  const { createWorkflows, loadFunctions, toStreamFunctions } = await import('@cairn/agents');
  for (const name of [stream, ...merge]) {
    const modules = functions.filter((one) => one.stream === name);
    const loaded = await Promise.all(modules.map(({ path }) => loadFunctions(path, root)));
    const isMain = name === stream;
    memory.defineStream({
      name,
      language,
      functions: toStreamFunctions(loaded.flat()),
      ...(modules.length > 0 && { root }),
      ...(isMain && persona !== undefined && { persona }),
    });
  }
  return createWorkflows({
    memory,
    model: settings.model,
    baseUrl: settings.baseUrl,
    env: session.env,
    toolSets: settings.tools ? await toolsOf(place, settings) : [],
    root,
    language,
    approvals: await approvalsOf(place, settings, rules),
    needsApproval: approve.includes('all') ? ({ isReadOnly }) => !isReadOnly : approve,
    leaseMs: LEASE_MS,
  });
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'WORKFLOW_BUSY';
}

/**
 * Continues a workflow. When a process that was killed still holds it, this waits until the hold ends; when the process that
 * holds it is alive, this fails.
 */
export async function whenFree<T>(
  { memory, context: session, view }: WorkPlace,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { signal } = session;
    const held = isBusy(error) ? (await memory.workflows.get(id, { signal })).lease : undefined;
    if (held === undefined) throw error;
    view.notice(`another process holds the workflow; it is free in ${LEASE_MS / 1000} s unless that process is alive`);
    for (;;) {
      await delay(POLL_MS, undefined, { signal });
      const { lease } = await memory.workflows.get(id, { signal });
      if (lease === undefined || lease.expiresAt <= Date.now()) return work();
      if (lease.expiresAt !== held.expiresAt) throw error;
    }
  }
}

function commandOf(verb: 'resume' | 'retry', id: string, flags: WorkFlags, answer: readonly string[] = []): string {
  return [`cairn workflow ${verb}`, shellQuote(id), ...answer, ...storeWords(flags)].join(' ');
}

function exitCodeOf({ status }: WorkflowResponse): number {
  if (status === 'done') return ExitCode.Hit;
  return status === 'waiting' || status === 'running' ? ExitCode.None : ExitCode.Error;
}

/** Returns the next command of the user, and the notice about it; `undefined` for a workflow that is done. */
function nextOf(
  { status, workflow, waitsFor }: WorkflowResponse,
  { flags, context: session }: WorkPlace,
): { readonly next: string; readonly notice: string } | undefined {
  if (workflow === undefined || (status !== 'waiting' && status !== 'failed')) return undefined;
  const isApproval = waitsFor?.kind === 'approval';
  const suggested =
    status === 'failed'
      ? commandOf('retry', workflow, flags)
      : commandOf('resume', workflow, flags, [isApproval ? 'yes' : "'<answer>'"]);
  const next = withOwnCommand(suggested, session.command);
  if (status === 'failed') return { next, notice: `the workflow failed; '${next}' tries its failed steps again` };
  if (!isApproval) return { next, notice: `it waits for your answer: ${next}` };
  return { next, notice: `it waits for your approval: ${next} (or no, or a reason to reject)` };
}

/** Asks the person at the terminal. `undefined` without an answer. */
async function answerOf({ context: session, flags }: WorkPlace, question: string): Promise<string | undefined> {
  if (flags.json === true) return undefined;
  const shown = question
    .split('\n')
    .map((line) => escapeControls(line))
    .join('\r\n');
  return askPerson(session, async (prompter) => {
    for (;;) {
      const answer = await prompter.ask(`${shown}\r\n> `);
      if (answer === undefined || answer.trim() !== '') return answer;
    }
  });
}

/**
 * Lets a workflow work until it ends or waits, and prints what came of it. Questions are asked in a terminal; elsewhere the
 * command that answers them is printed. @returns the exit status.
 */
export async function carryOut(
  place: WorkPlace,
  workflows: AgentWorkflows,
  begin: () => Promise<WorkflowResponse>,
): Promise<number> {
  const { context: session, flags, view } = place;
  const options = { signal: session.signal, onEvent: view.show };
  try {
    let response = await begin();
    while (response.status === 'waiting' && response.workflow !== undefined) {
      await view.flush();
      const id = response.workflow;
      const answer = await answerOf(place, response.text);
      if (answer === undefined) break;
      response = await workflows.resume(id, { ...options, answer });
    }
    await view.flush();
    const step = nextOf(response, place);
    await writeAnswer(session, flags, {
      lines: response.text.split(/\r\n|\r|\n/u).map(lineEscape(session.out)),
      document: { ...response, ...(step && { next: step.next }) },
      notices: () => [...(flags.json === true ? view.notices : []), ...(step ? [step.notice] : [])],
    });
    return exitCodeOf(response);
  } catch (error) {
    if (view.workflow === undefined || (view.isOver && !(error instanceof Interrupted))) throw error;
    const command = commandOf('resume', view.workflow, flags);
    const isInterrupted = session.signal.aborted || error instanceof Interrupted;
    if (!isInterrupted) {
      const facts = factsOf(error);
      const fix = `${facts.fix === undefined ? '' : `${facts.fix.replace(/[.\s]+$/u, '')}; `}continue it with '${command}'`;
      throw new CommandError({ ...facts, fix }, { cause: error });
    }
    await view.flush();
    if (flags.json === true) {
      const document = { workflow: view.workflow, status: 'running', next: command, notices: view.notices };
      await session.out.write(`${JSON.stringify(document)}\n`);
    } else {
      view.notice(`stopped; continue it with '${command}'`);
    }
    throw error;
  } finally {
    await workflows.close();
  }
}
