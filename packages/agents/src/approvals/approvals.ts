import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ChangedPath } from '@cairn/tool';
import type { OptionNames } from '@cairn/tool/kernel';
import { AgentError, checkArguments } from '../errors.ts';
import { patternOfCommand } from './command-words.ts';
import { decide, isRepeatable, rulePath, type CallAction, type Decision, type RuleScope } from './decide.ts';
import { protectedPlaces } from './protected-paths.ts';
import { readRule, readRules, type Rule, type RuleSource } from './rule.ts';
import type { PreviewedChange } from './preview.ts';

/** A call that a person decides about. */
export interface ApprovalRequest {
  /** The id of the run, and of the call in it. */
  readonly run: string;
  readonly id: string;
  readonly agent: string;
  /** The name of the tool, as the model calls it. */
  readonly name: string;
  readonly input: unknown;
  /** What the call changes, for tools that state it. */
  readonly paths?: readonly ChangedPath[];
  /** The changes of files, from a dry run of the call. */
  readonly changes?: readonly PreviewedChange[];
  /** The command line that it runs. */
  readonly command?: string;
  /** Why it asks, if no rule could change that: then `once` and `no` are the only answers. */
  readonly why?: string;
  /** The rules that the answers `session` and `always` add. Absent where only `once` and `no` are answers. */
  readonly session?: readonly string[];
  readonly always?: readonly string[];
}

/** `once`: this call. `session`: until the approvals end. `always`: kept for the project. `no`: with a reason for the model. */
export type ApprovalAnswer =
  | { readonly answer: 'once' | 'session' | 'always' }
  | { readonly answer: 'no'; readonly reason?: string | undefined };

/** Asks a person. Rejects with the reason of the signal. */
export type AskPerson = (
  request: ApprovalRequest,
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<ApprovalAnswer>;

/** Options of {@link createApprovals}. */
export interface ApprovalsOptions {
  /** The directory of the project, absolute: paths in rules are relative to it. */
  readonly root: string;
  /** Further directories that the tools may use, absolute. */
  readonly roots?: readonly string[] | undefined;
  /** @default none: reading is allowed, everything else asks */
  readonly rules?: readonly RuleSource[] | undefined;
  /** The names of tools that Cairn does not have, which rules may name. @default none */
  readonly tools?: readonly string[] | undefined;
  /** Files and directories, absolute, whose changes always ask, as those of `.git`, `.cairn`, `.claude`, `.codex` and `.mcp.json` do. */
  readonly protect?: readonly string[] | undefined;
  /** Asks a person. Questions come one at a time. Default: no person can be asked, and such calls are rejected. */
  readonly ask?: AskPerson | undefined;
  /** Keeps the rules of the answer `always`, for the next approvals. Default: the answer is not offered. */
  readonly keep?: ((rules: readonly string[]) => Promise<void>) | undefined;
  /** Returns the advice for the user how to allow a call that no person could be asked about. @default the rules that would allow it */
  readonly hint?: ((rules: readonly string[]) => string) | undefined;
}

/** The decision of a person or a rule about a call. */
export type ApprovalOutcome =
  | { readonly isAllowed: true; readonly by: 'rule' | 'person' }
  | { readonly isAllowed: false; readonly by: 'rule' | 'person' | 'nobody'; readonly reason?: string };

/** A call, as {@link Approvals.approve} gets it. */
export interface ApprovalCall extends Pick<ApprovalRequest, 'run' | 'id' | 'agent' | 'name' | 'input'> {
  readonly action: CallAction;
  /** The rules of the run, which its definition adds. */
  readonly rules?: readonly Rule[] | undefined;
  /** Called before a person is asked. */
  readonly preview?: (() => Promise<readonly PreviewedChange[]>) | undefined;
  /** Called immediately before `ask` of the approvals. */
  readonly onAsk?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Decides about calls by rules, and asks a person about the others. */
export interface Approvals {
  /** Whether there is a person to ask. */
  readonly canAsk: boolean;
  /** Returns the function that states what the rules say about calls, with those of a run. Answers count from then on. */
  decider(rules?: readonly Rule[]): Promise<(action: CallAction) => Decision>;
  /** Decides about a call, with a question if no rule does. Rejects with the reason of the call's signal. */
  approve(call: ApprovalCall): Promise<ApprovalOutcome>;
  /** Reads the rules of a definition, with the tools that rules may name. @throws {AgentError} `INVALID_RULE` */
  readRules(source: RuleSource): Rule[];
}

const FILE_REPEATS = 20;

type Repeated = Pick<ApprovalRequest, 'session' | 'always'>;

/** Returns the rules that allow only what a call does, and that allow its tool. */
function rulesFor(action: CallAction, { roots }: RuleScope): Repeated {
  const { tool, command, paths } = action;
  if (!isRepeatable(action)) return {};
  const about = (text: string, isLiteral: boolean): string => `${tool}(${isLiteral ? JSON.stringify(text) : text})`;
  if (command !== undefined) {
    const pattern = patternOfCommand(command);
    const rules = pattern && [about(pattern.text, pattern.isLiteral)];
    return rules === undefined ? {} : { session: rules, always: rules };
  }
  if (paths === undefined) return { session: [tool], always: [tool] };
  const names = [...new Set(paths.map(({ path }) => rulePath(path, roots)))];
  const isPlain = (name: string): boolean => /^[\p{L}\p{N}_./@+-]+$/u.test(name) && name.includes('/');
  if (names.length > FILE_REPEATS) return { session: [tool] };
  return { session: [tool], always: names.map((name) => about(name, !isPlain(name))) };
}

/** Returns the rules of {@link rulesFor} that can be read again and allow no more than this tool. */
function repeatedBy(action: CallAction, scope: RuleScope): Repeated {
  const { tool } = action;
  const isExact = (text: string): boolean => {
    const rule = readRule(text, { verdict: 'allow', source: '', tools: [tool] });
    return 'tool' in rule && rule.tool === tool && !tool.endsWith('*');
  };
  const { session, always } = rulesFor(action, scope);
  return {
    ...(session?.every(isExact) && { session }),
    ...(always?.every(isExact) && { always }),
  };
}

const approvalsOptions: OptionNames<ApprovalsOptions> = {
  root: 'required',
  roots: 'optional',
  rules: 'optional',
  tools: 'optional',
  protect: 'optional',
  ask: 'optional',
  keep: 'optional',
  hint: 'optional',
};

class Broker implements Approvals {
  readonly #options: ApprovalsOptions;
  readonly #given: readonly Rule[];
  /** Added by answers. */
  readonly #answered: Rule[] = [];
  #roots: Promise<readonly string[]> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.#given = readRules(options.rules ?? [], options.tools);
  }

  get canAsk(): boolean {
    return this.#options.ask !== undefined;
  }

  readRules(source: RuleSource): Rule[] {
    return readRules([source], this.#options.tools);
  }

  async decider(rules: readonly Rule[] = []): Promise<(action: CallAction) => Decision> {
    const scope = await this.#scope();
    return (action) => this.#decide(action, rules, scope);
  }

  #decide(action: CallAction, rules: readonly Rule[], scope: RuleScope): Decision {
    return decide([...this.#given, ...rules, ...this.#answered], action, scope);
  }

  async approve(call: ApprovalCall): Promise<ApprovalOutcome> {
    const scope = await this.#scope();
    const outcome = this.#byRule(call, scope);
    if (outcome !== undefined) return outcome;
    // A person reads one question at a time, and its answer may decide about the next call.
    const asked = this.#last.then(async () => {
      call.signal?.throwIfAborted();
      const now = await this.#scope();
      return this.#byRule(call, now) ?? this.#ask(call, now);
    });
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  #byRule({ action, rules = [] }: ApprovalCall, scope: RuleScope): ApprovalOutcome | undefined {
    const { verdict, rule } = this.#decide(action, rules, scope);
    if (verdict === 'allow') return { isAllowed: true, by: 'rule' };
    if (verdict === 'ask') return undefined;
    const reason = rule && `the rule ${rule.text} of ${rule.source} denies it`;
    return { isAllowed: false, by: 'rule', ...(reason !== undefined && { reason }) };
  }

  async #ask(call: ApprovalCall, scope: RuleScope): Promise<ApprovalOutcome> {
    const { ask, keep, hint } = this.#options;
    const { run, id, agent, name, input, action, rules = [], signal } = call;
    const { rule, always } = this.#decide(action, rules, scope);
    const why = always ?? (rule && `the rule ${rule.text} of ${rule.source} asks`);
    const repeated = why === undefined ? repeatedBy(action, scope) : {};
    if (ask === undefined) {
      const { always: exact, session = [] } = repeated;
      const needed = exact ?? session;
      const shown = hint ?? ((texts) => `Allow it with the rule ${texts.join(', ')}.`);
      const only = `${why ?? 'no rule can allow more than one simple command'}, and no person can be asked here`;
      return { isAllowed: false, by: 'nobody', reason: needed.length === 0 ? only : shown(needed) };
    }
    const changes = await call.preview?.();
    call.onAsk?.();
    const { paths, command } = action;
    const answer = await ask(
      {
        run,
        id,
        agent,
        name,
        input,
        ...(paths && { paths }),
        ...(changes && { changes }),
        ...(command !== undefined && { command }),
        ...(why !== undefined && { why }),
        ...(repeated.session && { session: repeated.session }),
        ...(repeated.always && keep && { always: repeated.always }),
      },
      { signal },
    );
    signal?.throwIfAborted();
    if (answer.answer === 'no') {
      const reason = answer.reason?.trim() ?? '';
      return { isAllowed: false, by: 'person', ...(reason !== '' && { reason }) };
    }
    const added = answer.answer === 'once' ? undefined : repeated[answer.answer];
    if (added !== undefined) {
      if (answer.answer === 'always') await keep?.(added);
      const { tools = [] } = this.#options;
      this.#answered.push(...readRules([{ source: 'an answer', allow: added }], [...tools, action.tool]));
    }
    return { isAllowed: true, by: 'person' };
  }

  async #scope(): Promise<RuleScope> {
    const { root, roots = [], protect = [] } = this.#options;
    this.#roots ??= Promise.all(
      [root, ...roots].map(async (path) => [await realpath(path).catch(() => path), path]),
    ).then((found) => [...new Set(found.flat())]);
    const all = await this.#roots;
    // Links may have been made since the last call.
    return { roots: all, places: await protectedPlaces(all, protect) };
  }
}

/**
 * Makes what decides about the calls of agents and workflows: by rules, else by a person. Reading is allowed unless a rule says
 * otherwise; a mutation, a command, and a tool of another server need a rule or an answer.
 *
 * @throws {AgentError} `INVALID_RULE` with the place of the rule; `INVALID_OPTION`
 */
export function createApprovals(options: ApprovalsOptions): Approvals {
  checkArguments.options('createApprovals', options, approvalsOptions);
  const { root, roots = [], protect = [] } = options;
  const relative = [root, ...roots, ...protect].find((path) => !isAbsolute(path));
  if (relative !== undefined) {
    const summary = `The path ${JSON.stringify(relative)} is not absolute`;
    throw new AgentError('INVALID_OPTION', [summary, 'Pass an absolute path.'], { option: 'root' });
  }
  return new Broker(options);
}
