import type { Fact, FactVersion, Memory } from '@cairn/memory';
import type { FoundMessage } from '@cairn/memory/internal';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { onFact } from './find-by-id.ts';
import { factHeading, formatTime, textLines } from './lines.ts';
import { memoryCommand } from './memory-command.ts';

type FoundById =
  | { readonly kind: 'fact'; readonly fact: Fact; readonly history: readonly FactVersion[] }
  | { readonly kind: 'message'; readonly message: FoundMessage };

async function findFactOrMessage(memory: Memory, id: string, signal: AbortSignal): Promise<FoundById> {
  const [{ MemoryError }, { findMessage }] = await Promise.all([
    import('@cairn/memory'),
    import('@cairn/memory/internal'),
  ]);
  return onFact(memory, { id, signal }, async () => {
    try {
      const fact = await memory.facts.get(id, { signal });
      return { kind: 'fact', fact, history: await memory.facts.history(id, { signal }) };
    } catch (error) {
      // A message may have any id, such as the one of a request.
      const message =
        MemoryError.isInstance(error) && error.code === 'UNKNOWN_FACT' && !id.startsWith('fact_')
          ? await findMessage(memory, id, { signal })
          : undefined;
      if (message === undefined) throw error;
      return { kind: 'message', message };
    }
  });
}

function linesOf(found: FoundById, session: Session): string[] {
  if (found.kind === 'message') {
    const { time, id, role, author, stream, group, content } = found.message;
    const by = author === undefined ? role : `${role} ${author}`;
    return [...textLines(`${formatTime(time)} ${id} ${by} in ${stream}/${group}: `, content, session)];
  }
  const { fact, history } = found;
  const facts = [
    ...(fact.source === undefined ? [] : [`source: ${fact.source}`]),
    ...(fact.supersedes === undefined ? [] : [`replaces: ${fact.supersedes}`]),
    ...(fact.supersededBy === undefined ? [] : [`replaced by: ${fact.supersededBy}`]),
  ];
  return [
    ...textLines(factHeading(fact), fact.text, session),
    ...facts.flatMap((line) => [...textLines('    ', line, session)]),
    ...history.flatMap(({ until, by, text }) => [
      ...textLines(`    until ${formatTime(until)} (${by}): `, text, session),
    ]),
  ];
}

export const memoryShowCommand: CommandFactory = memoryCommand({
  description: 'Show a fact with its earlier versions, or a message, whole.',
  summary: 'show a fact or a message whole',
  args: [['<id>', 'the fact or the message']],
  ofProject: 'wanted',
  run: async ({ memory, session, signal, print }, _, id) => {
    const found = await findFactOrMessage(memory, id, signal);
    const { kind } = found;
    const document = kind === 'fact' ? { kind, ...found.fact, history: found.history } : { kind, ...found.message };
    await print(linesOf(found, session), document);
    return ExitCode.Hit;
  },
});
