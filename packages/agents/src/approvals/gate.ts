import { toolOfName } from '@cairn/coding-agent/internal';
import type { NamingProfile } from '@cairn/coding-agent';
import { type ChangedPath, type ToolDefinition, type ToolFailure, type ToolResult } from '@cairn/tool';
import { isObject, type Language } from '@cairn/tool/kernel';
import type { ApprovalOutcome, Approvals } from './approvals.ts';
import type { CallAction } from './decide.ts';
import { changesOf, type PreviewedChange } from './preview.ts';
import type { Rule } from './rule.ts';
import { rejection } from './texts.ts';

/** A call that passes the gate. */
export interface GatedCall {
  readonly run: string;
  readonly id: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when a person is asked, and with what was decided unless a rule allows it. */
  readonly onOutcome?: ((outcome: ApprovalOutcome | undefined) => void) | undefined;
}

export interface GateOptions {
  /** The name that the tool is offered under: rules see this one. */
  readonly name: string;
  readonly approvals: Approvals;
  readonly agent: string;
  readonly naming: NamingProfile;
  readonly language: Language;
  readonly rules?: readonly Rule[] | undefined;
}

/** Thrown by the gate before the first change, when no rule allows it. */
class Unapproved extends Error {}

/** A path may become another one while a person reads the question: then it is asked about again. */
const MAX_QUESTIONS = 5;

function failureOf(text: string): ToolFailure {
  return {
    isError: true,
    content: [{ type: 'text', text }],
    details: { reason: 'NOT_ALLOWED', hint: text, changed: false },
  };
}

/** Returns the action of a call, for rules. The name is the one that the tool is offered under. */
export function actionOf(
  { effect, annotations }: Pick<ToolDefinition, 'effect' | 'annotations'>,
  input: unknown,
  { name, naming, paths }: Pick<GateOptions, 'name' | 'naming'> & Pick<CallAction, 'paths'>,
): CallAction {
  const command = effect === 'command' && isObject(input) ? input['command'] : undefined;
  return {
    tool: effect === 'files' ? (toolOfName(name, naming) ?? name) : name,
    isReadOnly: annotations.readOnlyHint && effect !== 'command',
    ...(paths && { paths }),
    // A command that is not stated cannot match a rule about commands.
    ...(effect === 'command' && { command: typeof command === 'string' ? command : '' }),
  };
}

/** Runs the calls of one tool, if they are allowed. */
export class Gate {
  readonly #tool: ToolDefinition;
  readonly #options: GateOptions;

  constructor(tool: ToolDefinition, options: GateOptions) {
    this.#tool = tool;
    this.#options = options;
  }

  async execute(input: unknown, call: GatedCall): Promise<ToolResult> {
    const { effect, annotations } = this.#tool;
    if (!annotations.readOnlyHint && effect === 'files') return this.#changeFiles(input, call);
    const outcome = await this.#approve(actionOf(this.#tool, input, this.#options), input, call);
    if (!outcome.isAllowed) return this.#reject(outcome);
    return this.#tool.execute(input, { signal: call.signal });
  }

  /** Lets the call come to its first change, and asks there: its paths are then those that it changes. */
  async #changeFiles(input: unknown, call: GatedCall): Promise<ToolResult> {
    const { approvals, rules } = this.#options;
    const approved = new Set<string>();
    for (let questions = 0; ; questions++) {
      let paths: readonly ChangedPath[] = [];
      const decided = await approvals.decider(rules);
      const beforeChange = (given: readonly ChangedPath[]): void => {
        if (given.every(({ path, named }) => approved.has(`${path}\0${named}`))) return;
        paths = given;
        if (decided(actionOf(this.#tool, input, { ...this.#options, paths: given })).verdict !== 'allow')
          throw new Unapproved();
      };
      try {
        return await this.#tool.execute(input, { signal: call.signal, beforeChange });
      } catch (error) {
        if (!(error instanceof Unapproved)) throw error;
      }
      const outcome = await this.#approve(actionOf(this.#tool, input, { ...this.#options, paths }), input, call);
      if (!outcome.isAllowed) return this.#reject(outcome);
      if (questions === MAX_QUESTIONS) return this.#reject({ isAllowed: false, by: 'nobody' });
      for (const { path, named } of paths) approved.add(`${path}\0${named}`);
    }
  }

  async #approve(action: CallAction, input: unknown, call: GatedCall): Promise<ApprovalOutcome> {
    const { approvals, name, agent, rules } = this.#options;
    const { run, id, signal, onOutcome } = call;
    let isAsked = false;
    const asked = approvals.approve({
      run,
      id,
      agent,
      name,
      input,
      action,
      rules,
      signal,
      ...(action.paths && { preview: () => this.#preview(input, signal) }),
      onAsk: () => {
        isAsked = true;
        onOutcome?.(undefined);
      },
    });
    const outcome = await asked.catch((error: unknown) => {
      if (isAsked) onOutcome?.({ isAllowed: false, by: 'nobody' });
      throw error;
    });
    if (!outcome.isAllowed || outcome.by === 'person') onOutcome?.(outcome);
    return outcome;
  }

  async #preview(input: unknown, signal: AbortSignal | undefined): Promise<readonly PreviewedChange[]> {
    return changesOf(await this.#tool.execute(input, { signal, dryRun: true }));
  }

  #reject(outcome: ApprovalOutcome & { readonly isAllowed: false }): ToolFailure {
    const { name, language } = this.#options;
    return failureOf(rejection(name, outcome, language));
  }
}
