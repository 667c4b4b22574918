import type { PreparedRequest } from '@cairn/agents';
import type { LeftOut, UnifiedMessage } from '@cairn/context';
import { writeAnswer } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { readText } from '../../terminal/input.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { countOf, formatBytes, formatCount, lineEscape } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { placeOptions, requestOptions, withAgents, withoutOf } from './open-agents.ts';
import { agentArgument, agentName, definitionNotices, loadAgents } from './project.ts';

/** Bytes have no form in JSON. */
function asJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    one instanceof Uint8Array ? Buffer.from(one).toString('base64') : one,
  );
}

/** Returns the parts of a message: text as it is, everything else as JSON. */
function contentOf({ content }: UnifiedMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : asJson(part))).join('\n');
}

function leftOutText({ history, messages, tokens, reason }: LeftOut): string {
  return `${countOf(messages, 'message')} of ${history === 'main' ? 'main' : 'the agent'}, ${formatCount(tokens)} tokens (${reason})`;
}

function namedTokens(parts: readonly { readonly name: string; readonly tokens: number }[]): string {
  return parts.map(({ name, tokens }) => `${name} ${formatCount(tokens)}`).join(', ');
}

/** Returns a part that a definition can leave out: its tokens, or the reason why it is not there. */
function showText({ part, tokens, hiddenBy }: PreparedRequest['shows'][number]): string {
  const reasons = { definition: 'the definition', option: '--without', caller: 'the caller' } as const;
  if (hiddenBy !== undefined) return `${part} not shown (${reasons[hiddenBy]})`;
  return tokens === 0 ? `${part} nothing` : `${part} ${formatCount(tokens)}`;
}

function* linesOf(request: PreparedRequest, where: string): Generator<string, void, undefined> {
  const { bytes } = request;
  const { agent, mode, system, messages, tools, shows, leftOut, tokens } = request;
  yield `${agent}, mode ${mode}, ${where}: about ${formatCount(tokens.total)} tokens, ${formatBytes(bytes.total)}`;
  yield `  system    ${formatCount(tokens.system)}: ${namedTokens(system)}`;
  yield `  shows     ${shows.map(showText).join(', ')}`;
  yield `  messages  ${formatCount(tokens.messages)}: ${countOf(messages.length, 'message')}`;
  yield `  tools     ${formatCount(tokens.tools)}: ${namedTokens(tools)}`;
  yield `  left out  ${leftOut.length === 0 ? 'nothing' : leftOut.map(leftOutText).join('; ')}`;
  yield '\n== system prompt';
  yield system.map(({ text }) => text).join('\n\n');
  for (const [index, message] of messages.entries()) {
    yield `\n== message ${index + 1}: ${message.role}`;
    yield contentOf(message);
  }
  for (const { name, description, inputSchema } of tools) {
    yield `\n== tool ${name}`;
    yield description;
    yield JSON.stringify(inputSchema);
  }
}

const examples = `
Examples:
  $ cairn agents context reviewer                                    what the next run in this terminal would send
  $ cairn agents context reviewer --new                              what the first run of a session would send
  $ cairn agents context reviewer --context-mode shared --resume     in another mode, in the newest session
  $ cairn agents context reviewer --without facts,tree               without the facts and the tree
  $ cairn agents context reviewer 'Review @src/main.ts' --json       with a prompt, as JSON

Nothing is sent, and no model is needed. Tokens are estimated.`;

export const agentsContextCommand: CommandFactory = defineCommand({
  description: 'Print exactly what a run would send: the system prompt, the messages and the tools, with their tokens.',
  summary: 'print exactly what a run would send',
  args: [agentArgument, ['[prompt]', 'the task; - reads standard input']],
  options: [...requestOptions, ...placeOptions],
  examples,
  run: async (context, flags, given, task) => {
    const prompt = task === '-' ? await readText(context.input, 'pipe the prompt, or give it as an argument') : task;
    if (prompt?.trim() === '') throw new UsageError('the prompt is empty', 'write one, or leave it out');
    const name = agentName(given);
    const definitions = await loadAgents(context, flags);
    const about = await definitionNotices(definitions, name);
    return withAgents(context, flags, { definitions, writes: false }, async ({ agents, contexts, isNew, notices }) => {
      const request = await agents.prepare({
        agent: name,
        ...(prompt !== undefined && { prompt }),
        mentions: true,
        mode: flags.contextMode,
        without: withoutOf(flags),
      });
      const where = isNew ? 'a new session' : `session ${contexts.session}`;
      const lines = [...linesOf(request, where)].flatMap((text) => text.split('\n')).map(lineEscape(context.out));
      const { system, ...rest } = request;
      const document = {
        ...rest,
        ...(!isNew && { session: contexts.session }),
        system: system.map(({ text }) => text).join('\n\n'),
        parts: system.map((part) => ({ name: part.name, tokens: part.tokens })),
        messages: JSON.parse(asJson(request.messages)) as unknown,
      };
      const problems = contexts.problems.map(({ message }) => message);
      const all = [...new Set([...about, ...notices, ...problems, ...request.notices])];
      await writeAnswer(context, flags, { lines, document, notices: () => all });
      return ExitCode.Hit;
    });
  },
});
