import type { AgentDefinition, ContextMode } from '@cairn/context';
import type { ShownPart } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { writeAnswer } from '../../terminal/answer.ts';
import { askPerson, askUntil, type Prompter } from '../../terminal/ask.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readText } from '../../terminal/input.ts';
import { filled, nameList, repeated, wholeNumber, type ParserOf } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { partsOf } from './open-agents.ts';
import { modeNames, modeOption, modeTexts } from './modes.ts';
import { openRules } from './approvals.ts';
import { agentItem, recordTrust } from './trust.ts';
import { agentOptions, definitionPlaces, loadAgents, toolNaming } from './project.ts';

const shownParts: ParserOf<readonly ShownPart[]> = (name) => (value, previous) =>
  value === 'none' ? [] : partsOf(name)(value, previous);

const options = [
  ['--description <text>', 'when to use the agent, in one sentence'],
  ['--prompt <text>', 'what the agent is to do; - reads standard input', filled],
  modeOption('isolated'),
  [
    '--context-window <n>',
    'messages that the agent sees (default: all that fit)',
    wholeNumber({ unit: 'messages', minimum: 1 }),
  ],
  [
    '--share-pattern <pattern>',
    "what selective shows of the main conversation, such as 'project uses *'; repeat it for more",
    repeated(filled),
  ],
  [
    '--summarize-after <n>',
    'messages of the main conversation before summarized folds them (default: 20)',
    wholeNumber({ unit: 'messages', minimum: 2 }),
  ],
  ['--model <id>', 'model of the agent (default: the model of the run)', filled],
  ['--tools <names>', 'tools that the agent may use, separated by commas (default: all)', nameList],
  ['--max-steps <n>', 'requests to the model in one run (default: 50)', wholeNumber({ minimum: 1 })],
  ['--timeout <s>', 'seconds for one run (default: 600)', wholeNumber({ unit: 'seconds', minimum: 1 })],
  ['--max-tokens <n>', 'tokens for one run (default: no limit)', wholeNumber({ minimum: 1 })],
  [
    '--shows <parts>',
    'parts of the prompt that the agent is shown, separated by commas, or none (default: facts,knowledge,tree,instructions)',
    shownParts,
  ],
  ['--read-only', 'the agent changes nothing'],
  ['--user', 'for all projects of the user, instead of this one'],
] as const;

type NewFlags = FlagsOf<readonly [...typeof options, ...typeof agentOptions]>;

/** The values that a person is asked for. */
type Answers = { -readonly [Field in keyof AgentDefinition]?: AgentDefinition[Field] };

function chosenMode(answer: string): ContextMode | undefined {
  return answer === '' ? modeNames[0] : (modeNames[Number(answer) - 1] ?? modeNames.find((mode) => mode === answer));
}

/** Asks for what the options leave open. */
async function askFor(given: Answers, prompter: Prompter, terminal: Terminal): Promise<Answers> {
  const { name, description, contextMode, sharePatterns, systemPrompt } = given;
  const text = (answer: string): string | undefined => (answer === '' ? undefined : answer);
  const answers: Answers = { ...given };
  answers.name = name ?? (await askUntil(prompter, 'Name, such as reviewer: ', text));
  answers.description = description ?? (await askUntil(prompter, 'When to use it, in one sentence: ', text));
  if (contextMode === undefined) {
    terminal.write('\r\nContext mode: which conversation does it see?\r\n');
    for (const [index, mode] of modeNames.entries()) {
      terminal.write(`  ${index + 1} ${mode.padEnd(12)}${modeTexts[mode]}\r\n`);
    }
    answers.contextMode = await askUntil(prompter, `Context mode, 1 to ${modeNames.length} [1]: `, chosenMode);
  }
  if (answers.contextMode === 'selective' && sharePatterns === undefined) {
    const question = 'Patterns, separated by commas, such as project uses *: ';
    const patterns = (answer: string): readonly string[] | undefined => {
      const list = nameList('')(answer);
      return list.length === 0 ? undefined : list;
    };
    answers.sharePatterns = await askUntil(prompter, question, patterns);
  }
  answers.systemPrompt = systemPrompt ?? (await askUntil(prompter, 'What is it to do? ', text));
  return answers;
}

/** Returns the definition that the options and the answers make. */
async function definitionOf(
  name: string | undefined,
  flags: NewFlags,
  context: CommandContext,
): Promise<AgentDefinition> {
  const { prompt, sharePattern, readOnly, user: _user, root: _root, json, color: _color, ...fields } = flags;
  const systemPrompt = prompt === '-' ? await readText(context.input, 'pipe the text, or give it to --prompt') : prompt;
  const permissions = readOnly === true ? 'plan' : undefined;
  const values = { name, ...fields, sharePatterns: sharePattern, permissions, systemPrompt };
  const given: Answers = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const { description, contextMode } = fields;
  const isOpen = [name, description, contextMode, systemPrompt].includes(undefined);
  const ask = (prompter: Prompter, terminal: Terminal): Promise<Answers> => askFor(given, prompter, terminal);
  const asked = isOpen && json !== true ? await askPerson(context, ask) : undefined;
  const missing = Object.entries({ '<name>': name, '--description': description, '--prompt': systemPrompt })
    .filter(([, value]) => value === undefined)
    .map(([what]) => what);
  if (asked === undefined && missing.length > 0) {
    const fix = `add ${missing.length === 1 ? 'it' : 'them'}, or run the command in a terminal, where it asks`;
    throw new UsageError(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`, fix);
  }
  return { name: '', description: '', systemPrompt: '', ...given, ...asked };
}

const examples = `
Examples:
  $ cairn agents new                      asks for everything, and explains the context modes
  $ cairn agents new reviewer --description 'Reviews a change' --prompt 'You review code.' --tools read,grep,glob
  $ cairn agents new writer --description 'Writes docs' --prompt - < writer.txt`;

export const agentsNewCommand: CommandFactory = defineCommand({
  description: 'Define an agent: write its file. In a terminal it asks for what is missing. It never replaces a file.',
  summary: 'define an agent',
  args: [['[name]', 'the agent']],
  options: [...options, ...agentOptions],
  examples,
  run: async (context, flags, name) => {
    const places = definitionPlaces(context, flags);
    const [{ createDefinitionFile }, naming] = await Promise.all([import('@cairn/context'), toolNaming()]);
    const definition = await definitionOf(name, flags, context);
    const source = flags.user === true ? 'user' : 'project';
    const path = await createDefinitionFile(definition, { ...places, ...naming, source });
    const { agents, problems, replaced } = await loadAgents(context, flags);
    const { name: own } = definition;
    const written = [...agents.values(), ...replaced].find((one) => one.path === path);
    const trustNotices: string[] = [];
    if (written !== undefined && source === 'project') {
      const rules = await openRules(context, places.root);
      await recordTrust(rules, [await agentItem(written)], (notice) => void trustNotices.push(notice));
    }
    const hidden = replaced.find((other) => other.name === own);
    const notices = problems.filter((problem) => problem.path === path).map(({ message }) => message);
    notices.push(...trustNotices);
    if (agents.get(own)?.path !== path) {
      notices.push(`it is not used in this project, because the project has an agent ${own} of its own`);
    } else if (hidden !== undefined) {
      notices.push(`it replaces ${quotePath(hidden.path ?? '')} in this project`);
    }
    const shown = shellQuote(own);
    notices.push(`next: cairn agents run ${shown} '<prompt>'; 'cairn agents context ${shown}' shows what it is sent`);
    const document = { ...definition, source, path };
    await writeAnswer(context, flags, { lines: [path], document, notices: () => notices });
    return ExitCode.Hit;
  },
});
