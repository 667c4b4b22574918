import type { ChangedPath, BeforeChange } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import type { ApprovalOutcome, Approvals } from '../approvals/approvals.ts';
import { actionOf } from '../approvals/gate.ts';
import { changesOf } from '../approvals/preview.ts';
import { rejection } from '../approvals/texts.ts';
import type { WorkflowFunction } from './types.ts';

/** `ask`: the call waits for a person in the record of the workflow. `deny`: with the text that the model reads. */
export type CallDecision =
  | { readonly verdict: 'allow'; readonly beforeChange?: BeforeChange | undefined }
  | { readonly verdict: 'ask' }
  | { readonly verdict: 'deny'; readonly text: string };

export interface CallApprovalsOptions {
  /** Absent: the tools run unless `needsApproval` states otherwise. */
  readonly approvals: Approvals | undefined;
  readonly needsApproval: (fn: WorkflowFunction, input: unknown) => boolean;
  readonly agent: string;
  readonly language: Language;
}

/** Decides about the calls of a workflow. */
export class CallApprovals {
  readonly #options: CallApprovalsOptions;

  constructor(options: CallApprovalsOptions) {
    this.#options = options;
  }

  /** Returns whether a call changes nothing, and runs without a question. */
  async isFree(fn: WorkflowFunction, input: unknown): Promise<boolean> {
    const { approvals, needsApproval } = this.#options;
    if (!fn.isReadOnly || needsApproval(fn, input)) return false;
    if (approvals === undefined || fn.tool === undefined) return true;
    const action = actionOf(fn.tool, input, { name: fn.name, naming: 'default' });
    return (await approvals.decider())(action).verdict === 'allow';
  }

  /** Returns whether a call runs. A person who can be asked now answers here; otherwise the call waits in the record. */
  async decide(fn: WorkflowFunction, input: unknown, signal: AbortSignal | undefined): Promise<CallDecision> {
    const { approvals, needsApproval, agent, language } = this.#options;
    if (needsApproval(fn, input)) return { verdict: 'ask' };
    const { tool } = fn;
    if (approvals === undefined || tool === undefined) return { verdict: 'allow' };
    const { name } = fn;
    let paths: readonly ChangedPath[] | undefined;
    const isFiles = tool.effect === 'files' && !tool.annotations.readOnlyHint;
    const beforeChange: BeforeChange = (given) => void (paths = given);
    const trial = isFiles ? await tool.execute(input, { signal, dryRun: true, beforeChange }) : undefined;
    const action = actionOf(tool, input, { name, naming: 'default', paths });
    const decided = (await approvals.decider())(action);
    // A call that fails is not asked about; if it should not fail after all, `rulesOnly` ends it.
    if (decided.verdict === 'allow' || (isFiles && paths === undefined)) {
      return { verdict: 'allow', beforeChange: await this.#rulesOnly(fn, input) };
    }
    if (decided.verdict === 'ask' && !approvals.canAsk) return { verdict: 'ask' };
    const preview = trial && (async () => changesOf(trial));
    const call = { run: agent, id: '', agent, name, input, action, preview, signal };
    const outcome = await approvals.approve(call);
    if (!outcome.isAllowed) return { verdict: 'deny', text: rejection(name, outcome, language) };
    return { verdict: 'allow', beforeChange: this.approved(fn, paths) };
  }

  /** Returns the last check of a call that a person approved: of these paths, or of those that it names. */
  approved(fn: WorkflowFunction, paths?: readonly ChangedPath[]): BeforeChange | undefined {
    if (paths === undefined) return undefined;
    const known = new Set(paths.map(({ path }) => path));
    return (given) => {
      if (given.some(({ path }) => !known.has(path))) throw this.#unapproved(fn, { isAllowed: false, by: 'nobody' });
    };
  }

  async #rulesOnly(fn: WorkflowFunction, input: unknown): Promise<BeforeChange | undefined> {
    const { approvals } = this.#options;
    const { tool, name } = fn;
    if (approvals === undefined || tool?.effect !== 'files') return undefined;
    const decide = await approvals.decider();
    return (paths) => {
      const { verdict } = decide(actionOf(tool, input, { name, naming: 'default', paths }));
      if (verdict !== 'allow') throw this.#unapproved(fn, { isAllowed: false, by: 'rule' });
    };
  }

  #unapproved({ name }: WorkflowFunction, outcome: ApprovalOutcome & { readonly isAllowed: false }): Error {
    return new Error(rejection(name, outcome, this.#options.language));
  }
}
