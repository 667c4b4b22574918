import { resolve } from 'node:path';
import type { ApprovalAnswer, ApprovalRequest, Approvals, AskPerson, PreviewedChange, UserRules } from '@cairn/agents';
import { escapeControls, homeDirectory, quotePath } from '@cairn/tool/paths';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { askPerson } from '../../terminal/ask.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { diffLines } from '../../terminal/diff-lines.ts';
import { Interrupted } from '../../terminal/exit.ts';
import { filled, oneOf, repeated } from '../../terminal/options.ts';
import { createPaint, usesColor, type ColorMode } from '../../terminal/output.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { countOf, escapeLine } from '../../terminal/text.ts';

export const approvalOptions = [
  [
    '--allow <rule>',
    'allow calls without asking: a tool, such as write, edit(src/**) or shell(npm test); repeat it for more',
    repeated(filled),
  ],
  ['--ask <rule>', 'ask about these calls, whatever is allowed; repeat it for more', repeated(filled)],
  ['--deny <rule>', 'reject these calls, whatever is allowed; repeat it for more', repeated(filled)],
  [
    '--permissions <mode>',
    'ask about every change, acceptEdits allows changes of files, bypassPermissions every call (default: set by the definition)',
    oneOf(['ask', 'acceptEdits', 'bypassPermissions']),
  ],
  ['--trust', 'trust what comes with the repository, as it is now'],
] as const;

export type ApprovalFlags = FlagsOf<typeof approvalOptions>;

/** The lines of a diff that are shown at once. */
const MAX_DIFF_LINES = 20;
const LAST_LINES = 5;

type Paint = ReturnType<typeof createPaint>;

function* changeLines(change: PreviewedChange, paint: Paint): Generator<string> {
  const { from, to, diff } = change;
  if (diff !== undefined) {
    yield* diffLines({ from, to, diff }, { paint, escape: escapeLine });
  } else if (to === undefined) {
    yield escapeLine(`delete ${quotePath(from ?? '')}`);
  } else {
    yield escapeLine(`rename ${quotePath(from ?? '')} to ${quotePath(to)}`);
  }
}

function folded(lines: readonly string[]): { readonly shown: readonly string[]; readonly isFolded: boolean } {
  if (lines.length <= MAX_DIFF_LINES) return { shown: lines, isFolded: false };
  const first = lines.slice(0, MAX_DIFF_LINES - LAST_LINES);
  const note = `… ${countOf(lines.length - MAX_DIFF_LINES, 'more line')}; d shows all`;
  return { shown: [...first, note, ...lines.slice(-LAST_LINES)], isFolded: true };
}

const YES = /^(?:y|yes|ok|once)$/iu;
const SESSION = /^s(?:ession)?$/iu;
const ALWAYS = /^a(?:lways)?$/iu;
const NO = /^no?(?:$|[\s:,]+)/iu;

/** Reads an answer; `undefined` when it has to be given again. Everything that is not one of the words is a reason to reject. */
export function readAnswer(typed: string, { session, always }: ApprovalRequest): ApprovalAnswer | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  if (YES.test(text)) return { answer: 'once' };
  if (SESSION.test(text)) return session && { answer: 'session' };
  if (ALWAYS.test(text)) return always && { answer: 'always' };
  return { answer: 'no', reason: text.replace(NO, '') };
}

function questionLines(request: ApprovalRequest, diff: readonly string[], paint: Paint): string[] {
  const { agent, name, input, changes, command, why, session, always } = request;
  const what =
    command !== undefined
      ? [`${name}: ${command}`]
      : changes === undefined || changes.length === 0
        ? [`${name} ${JSON.stringify(input) ?? ''}`]
        : [];
  const rows = [
    ['y', 'once'],
    ...(session ? [['s', `until this command ends: ${session.join(', ')}`]] : []),
    ...(always ? [['a', `always in this project: ${always.join(', ')}`]] : []),
    ['n', 'no; or type the reason'],
  ];
  return [
    // A line of a command must not look like a line of the question.
    ...what.flatMap((text) => text.split('\n').map((line, index) => escapeLine(index === 0 ? line : `  | ${line}`))),
    ...diff,
    ...(why === undefined ? [] : [escapeLine(`It asks because ${why}.`)]),
    paint.title(escapeLine(`Allow the agent ${agent} to call ${name}?`)),
    ...rows.map(([key, meaning]) => escapeLine(`  ${key}  ${meaning}`)),
  ];
}

interface QuestionOptions {
  readonly color: ColorMode;
  readonly signal: AbortSignal | undefined;
}

/** Asks the person at the terminal about a call: what it would change comes before the question. Without an answer it is a no. */
async function askAbout(
  context: CommandContext,
  request: ApprovalRequest,
  { color, signal }: QuestionOptions,
): Promise<ApprovalAnswer> {
  const paint = createPaint(usesColor(color, context.err.isTerminal, context.env));
  const all = (request.changes ?? []).flatMap((change) => [...changeLines(change, paint)]);
  const { shown, isFolded } = folded(all);
  const ends = signal === undefined ? context.signal : AbortSignal.any([context.signal, signal]);
  const answer = await askPerson({ ...context, signal: ends }, async (prompter, terminal) => {
    await prompter.discardTyped();
    const write = (lines: readonly string[]): void => terminal.write(lines.map((line) => `${line}\r\n`).join(''));
    write(questionLines(request, shown, paint));
    for (;;) {
      const typed = await prompter.ask('> ');
      if (typed === undefined) return { answer: 'no' } as const;
      if (isFolded && /^\s*d\s*$/iu.test(typed)) {
        write(all);
        continue;
      }
      const given = readAnswer(typed, request);
      if (given !== undefined) return given;
    }
  });
  return answer ?? { answer: 'no' };
}

/** Whether there is a person to ask. */
export function canAsk(context: CommandContext, { json }: Pick<AnswerFlags, 'json'>): boolean {
  return json !== true && context.input.kind === 'terminal' && context.err.isTerminal;
}

/** Returns a context that Ctrl-C at a question ends, too: there it is a key, and no signal. */
export function interruptible(context: CommandContext): {
  readonly stoppable: CommandContext;
  readonly stopping: <T>(ask: () => Promise<T>) => Promise<T>;
} {
  const end = new AbortController();
  const stopping = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof Interrupted) end.abort(error);
      throw error;
    }
  };
  return { stoppable: { ...context, signal: AbortSignal.any([context.signal, end.signal]) }, stopping };
}

export interface OpenApprovalsOptions {
  readonly root: string;
  readonly roots?: readonly string[] | undefined;
  readonly flags: Partial<ApprovalFlags> & Partial<AnswerFlags>;
  /** Shows a question at the right time: between the lines about calls. Default: no person is asked. */
  readonly show?: (<T>(request: ApprovalRequest, ask: () => Promise<T>) => Promise<T>) | undefined;
  readonly onNotice: (notice: string) => void;
}

export async function openRules(context: Pick<CommandContext, 'env'>, root: string): Promise<UserRules> {
  const { openUserRules } = await import('@cairn/agents');
  return openUserRules({ root, env: context.env, home: homeDirectory(context.env) });
}

/** Makes the approvals of a command: by the rules of its options, of the user and of the project, else by the person at the terminal. */
export async function openApprovals(
  context: CommandContext,
  rules: UserRules,
  { root, roots, flags, show, onNotice }: OpenApprovalsOptions,
): Promise<Approvals> {
  const { createApprovals, rulesOfMode } = await import('@cairn/agents');
  const { allow, ask, deny, permissions = '', color = 'auto' } = flags;
  const given = [
    { source: '--allow', allow },
    { source: '--ask', ask },
    { source: '--deny', deny },
    { source: '--permissions', ...rulesOfMode(permissions) },
  ];
  const asking: AskPerson | undefined =
    show && ((request, { signal }) => show(request, () => askAbout(context, request, { color, signal })));
  return createApprovals({
    root: resolve(root),
    roots,
    rules: [...given, ...rules.sources],
    protect: [rules.directory],
    ask: asking,
    keep: async (kept) => {
      try {
        await rules.keep(kept);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        onNotice(escapeControls(`the answer counts until this command ends, because it could not be kept: ${why}`));
      }
    },
    hint: (needed) => `To allow it, add ${needed.map((rule) => `--allow ${shellQuote(rule)}`).join(' ')}`,
  });
}
