import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { homeDirectory } from '@cairn/tool/paths';
import type { Knowledge, KnowledgeOptions } from '@cairn/knowledge';
import { listDocument, writeAnswer, writeNotices, type AnswerFlags, type Page } from '../terminal/answer.ts';
import { ExitCode } from '../terminal/exit.ts';
import { colorOption, filled } from '../terminal/options.ts';
import type { Session } from '../terminal/session.ts';

/** The options of every command on knowledge, as parsed. */
export interface KnowledgeFlags extends AnswerFlags {
  readonly directory?: string;
}

/** How a command prints. */
export interface KnowledgePrinter {
  /** Prints lines, or with `--json` the document, and the notices so far. */
  readonly print: (lines: Iterable<string>, document: object) => Promise<void>;
  /** Prints a list, as lines or as a document of matches. @returns the exit status. */
  readonly printMatches: (lines: Iterable<string>, matches: readonly unknown[], cut?: Page) => Promise<number>;
  /** Adds a notice, which is printed with the answer. */
  readonly notice: (notice: string) => void;
}

/** A command on knowledge. */
export interface KnowledgeRun {
  readonly flags: KnowledgeFlags;
  /** Whether the command writes. Only then is a missing store created. */
  readonly writes?: boolean;
  /** The JSON document when the store is missing. @default an empty list */
  readonly absent?: (directory: string) => object;
  /** @returns the exit status. */
  readonly run: (knowledge: Knowledge, printer: KnowledgePrinter) => Promise<number>;
}

/** Adds options, then those of every command on knowledge. */
export function addKnowledgeOptions(command: Command, options: readonly Option[] = []): void {
  const common = [
    new Option(
      '--directory <dir>',
      "directory of the knowledge (default: CAIRN_KNOWLEDGE_DIR, else the user's own)",
    ).argParser(filled('--directory')),
    new Option('--json', 'print one JSON document'),
    colorOption(),
  ];
  for (const option of [...options, ...common]) command.addOption(option);
}

/** Returns the knowledge that the options name. The store is opened on first use. */
export async function openKnowledge(
  { env, cwd }: Pick<Session, 'env' | 'cwd'>,
  { directory, language, command }: Pick<KnowledgeFlags, 'directory'> & Pick<KnowledgeOptions, 'language' | 'command'>,
): Promise<Knowledge> {
  const { createKnowledge, knowledgeDirectory } = await import('@cairn/knowledge');
  const place = { env, home: homeDirectory(env), platform: process.platform };
  return createKnowledge({
    directory: directory === undefined ? knowledgeDirectory(place) : resolve(cwd, directory),
    language,
    command,
    env,
  });
}

/** Returns the user's knowledge; `undefined` when there is no store, and none is to be created. */
export async function openExistingKnowledge(
  session: Pick<Session, 'env' | 'cwd' | 'command' | 'agentCommand'>,
): Promise<Knowledge | undefined> {
  const { command, agentCommand = command } = session;
  const knowledge = await openKnowledge(session, { command: agentCommand?.() });
  return existsSync(join(knowledge.directory, 'knowledge.db')) ? knowledge : undefined;
}

/** Opens the knowledge that the options name, runs the command on it, and closes it. */
export async function withKnowledge(
  session: Session,
  { flags, writes = false, absent = () => listDocument([]), run }: KnowledgeRun,
): Promise<number> {
  const pending: string[] = [];
  const takeNotices = (): readonly string[] => pending.splice(0);
  const knowledge = await openKnowledge(session, flags);
  const print: KnowledgePrinter['print'] = (lines, document) =>
    writeAnswer(session, flags, { lines, document, notices: takeNotices });
  const printer: KnowledgePrinter = {
    print,
    printMatches: async (lines, matches, cut) => {
      await print(lines, listDocument(matches, cut));
      return matches.length > 0 ? ExitCode.Hit : ExitCode.None;
    },
    notice: (notice) => {
      if (!pending.includes(notice)) pending.push(notice);
    },
  };
  try {
    const { directory } = knowledge;
    if (!writes && !existsSync(join(directory, 'knowledge.db'))) {
      pending.push(`there is no knowledge in ${directory}; 'cairn knowledge add' creates it`);
      await print([], absent(directory));
      return ExitCode.None;
    }
    return await run(knowledge, printer);
  } finally {
    await knowledge.close();
    // The notices of commands that failed. With --json the exit status remains.
    if (flags.json !== true) await writeNotices(session, flags.color, takeNotices());
  }
}
