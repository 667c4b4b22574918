import type { FoundMessage } from '@cairn/memory/internal';
import { ExitCode } from '../../terminal/exit.ts';
import type { CommandFactory } from '../command.ts';
import { onFact } from './find-by-id.ts';
import { factHeading, formatTime, textLines } from './lines.ts';
import { memoryCommand } from './memory-command.ts';

export const memoryShowCommand: CommandFactory = memoryCommand({
  description: 'Show a fact with its earlier versions, or a message, whole.',
  summary: 'show a fact or a message whole',
  args: [['<id>', 'the fact or the message']],
  ofProject: 'wanted',
  run: async ({ memory, context, signal, print }, _, id) => {
    const showMessage = async (message: FoundMessage): Promise<void> => {
      const { time, role, author, stream, group, content } = message;
      const by = author === undefined ? role : `${role} ${author}`;
      const lines = textLines(`${formatTime(time)} ${id} ${by} in ${stream}/${group}: `, content, context);
      await print(lines, { kind: 'message', ...message });
    };
    const showFact = async (): Promise<void> => {
      const fact = await memory.facts.get(id, { signal });
      const history = await memory.facts.history(id, { signal });
      const { source, supersedes, supersededBy } = fact;
      const links = Object.entries({ source, replaces: supersedes, 'replaced by': supersededBy });
      const lines = [
        ...textLines(factHeading(fact), fact.text, context),
        ...links.flatMap(([name, value]) =>
          value === undefined ? [] : [...textLines('    ', `${name}: ${value}`, context)],
        ),
        ...history.flatMap(({ until, by, text }) => [
          ...textLines(`    until ${formatTime(until)} (${by}): `, text, context),
        ]),
      ];
      await print(lines, { kind: 'fact', ...fact, history });
    };
    await onFact(memory, { id, signal, orMessage: showMessage }, showFact);
    return ExitCode.Hit;
  },
});
