import { LANGUAGES, type Language } from '@cairn/tool/kernel';
import { isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { knowledgeDirectory, PAYLOAD_LIMITS, sessionPayload, type PayloadHost } from '@cairn/knowledge/session';
import { homeDirectory } from '@cairn/tool/paths';
import type { Environment } from '../../terminal/output.ts';

type Chunk = Uint8Array | string;

export interface SessionStartContext {
  readonly env: Environment;
  readonly cwd: string;
  /** What an agent types to run `cairn`, in any directory. @default `cairn` */
  readonly command?: (() => string) | undefined;
  readonly input: AsyncIterable<Chunk> & { readonly isTTY?: boolean | undefined };
  readonly signal: AbortSignal;
}

const EVENT = 'SessionStart';
const MAX_INPUT_CHARACTERS = 1024 * 1024;
/** A host writes its document while the process loads. A stream that is open and empty this long after that has none. */
export const INPUT_WAIT_MS = 50;

export const sessionHosts: readonly PayloadHost[] = ['claude', 'codex', 'generic'];

/** How each host takes the context: both of these read the same JSON document. */
const isJson: Readonly<Record<PayloadHost, boolean>> = { claude: true, codex: true, generic: false };

export interface SessionSettings {
  readonly host: PayloadHost;
  readonly language: Language;
  readonly directory?: string | undefined;
  readonly onlyMatching?: boolean | undefined;
  /** Milliseconds since the process began. */
  readonly timeout: number;
}

/** The part of the time that git may take. */
const GIT_SHARE = 0.45;

/** The rest of the second is for ending. */
export const TIMEOUT_MS = 900;

/** An error with the one line that is printed. Those of other commands take time to load. */
function invalid(problem: string, fix: string, cause?: unknown): Error {
  return Object.assign(new Error(`${problem}; ${fix}`, { cause }), { code: 'USAGE' });
}

function choose<T extends string>(option: string, value: string, all: readonly T[]): T {
  const found = all.find((one) => one === value);
  if (found === undefined) throw invalid(`invalid ${option} "${value}"`, `use ${all.join(', ')}`);
  return found;
}

/** Parses the options without commander, which takes longer to load than everything else. */
export function parseSettings(args: readonly string[]): SessionSettings {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        host: { type: 'string', default: 'generic' },
        language: { type: 'string', default: 'en' },
        directory: { type: 'string' },
        'only-matching': { type: 'boolean', default: false },
        timeout: { type: 'string', default: String(TIMEOUT_MS) },
      },
    }));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw invalid(problem, "see 'cairn hook session-start --help'");
  }
  if (!/^[1-9]\d{0,5}$/u.test(values.timeout)) {
    throw invalid(`invalid --timeout "${values.timeout}"`, 'use a whole number of milliseconds from 1 to 999999');
  }
  if (values.directory === '') throw invalid('--directory is empty', 'give it a value');
  return {
    host: choose('--host', values.host, sessionHosts),
    language: choose('--language', values.language, LANGUAGES),
    directory: values.directory,
    onlyMatching: values['only-matching'],
    timeout: Number(values.timeout),
  };
}

interface HostInput {
  readonly hook_event_name?: unknown;
  readonly source?: unknown;
  readonly cwd?: unknown;
}

function invalidInput(what: string, cause?: unknown): Error {
  return invalid(`standard input ${what}`, 'give it the JSON document of the host, or nothing', cause);
}

function parseInput(text: string): HostInput {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidInput('is not valid JSON', error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidInput('is not a JSON object');
  return value;
}

/** Yields what arrives on a stream, and ends when nothing has arrived in time. */
async function* chunksOf(input: SessionStartContext['input']): AsyncGenerator<Chunk, void, undefined> {
  const chunks = input[Symbol.asyncIterator]();
  const first = await new Promise<IteratorResult<Chunk> | undefined>((resolve, reject) => {
    // On a busy machine, what has arrived by then is read first.
    const timer = setTimeout(() => setImmediate(resolve, undefined), INPUT_WAIT_MS);
    chunks
      .next()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
  for (let chunk = first; chunk !== undefined && chunk.done !== true; chunk = await chunks.next()) yield chunk.value;
}

/**
 * Reads the document of the host. A host may leave the stream open, so reading ends with the document, or when nothing has arrived in
 * time.
 */
async function readInput(input: SessionStartContext['input']): Promise<HostInput> {
  if (input.isTTY === true) return {};
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunksOf(input)) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > MAX_INPUT_CHARACTERS) throw invalidInput(`has more than ${MAX_INPUT_CHARACTERS} characters`);
    if (!text.trimEnd().endsWith('}')) continue;
    try {
      return parseInput(text);
    } catch {
      // The rest follows.
    }
  }
  return parseInput(text + decoder.decode());
}

/** Returns the output for the host: a document, or the payload itself. A resumed session has it already, and gets nothing. */
export async function startSession(settings: SessionSettings, context: SessionStartContext): Promise<string> {
  const { host, language, directory, onlyMatching, timeout } = settings;
  const { env, cwd, signal } = context;
  const { hook_event_name: event = EVENT, source, cwd: project } = await readInput(context.input);
  if (event !== EVENT) {
    throw invalid(`the event of the host is ${JSON.stringify(event)}`, `configure the command for ${EVENT}`);
  }
  if (source === 'resume') return '';
  const place = { env, home: homeDirectory(env), platform: process.platform };
  const payload = await sessionPayload({
    directory: directory === undefined ? knowledgeDirectory(place) : resolve(cwd, directory),
    project: typeof project === 'string' && isAbsolute(project) ? project : cwd,
    language,
    command: context.command?.(),
    onlyMatching,
    gitTimeoutMs: timeout * GIT_SHARE,
    signal,
    ...PAYLOAD_LIMITS[host],
  });
  if (!isJson[host]) return `${payload}\n`;
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: EVENT, additionalContext: payload } })}\n`;
}
