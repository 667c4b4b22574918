import { escapeControls } from '@cairn/tool/paths';
import { resolve } from 'node:path';
import process from 'node:process';
import { Option } from 'commander';
import type { McpServer, StructuredWhen } from '@cairn/mcp-server';
import type { NamingProfile } from '@cairn/coding-agent';
import { filled, oneOf, stateOption, wholeNumber } from '../../terminal/options.ts';
import type { CommandFactory } from '../command.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { ownCommand } from '../../terminal/own-command.ts';
import type { Session } from '../../terminal/session.ts';
import { namingProfiles } from './naming-profiles.ts';
import { loadToolSets } from './tool-sets.ts';

const examples = `
Examples:
  $ cairn mcp                                   serve the current directory to the agent that starts it
  $ cairn mcp --root ~/src/app --root ~/notes   two directories; relative paths start from the first
  $ cairn mcp --read-only --tools glob,grep     only these two
  $ cairn mcp --agents                          also the agents of the project, with the model of CAIRN_MODEL
  $ cairn mcp --http 8765                       serve http://127.0.0.1:8765/mcp and print the token

In the configuration of an agent host:
  { "mcpServers": { "cairn": { "command": "cairn", "args": ["mcp", "--root", "/path/to/project"] } } }

Standard output carries only the protocol; messages go to standard error. The server finishes running calls and ends when its
client disconnects, or on SIGTERM.`;

interface McpFlags {
  readonly root?: readonly string[];
  readonly http?: number;
  readonly token?: string;
  /** False after `--no-auth`. */
  readonly auth: boolean;
  readonly readOnly?: boolean;
  readonly tools?: readonly string[];
  readonly naming: NamingProfile;
  readonly structured: StructuredWhen;
  /** A directory, or `off`. */
  readonly knowledge?: string;
  readonly language?: 'en' | 'zh';
  readonly memory: 'default' | 'mcp-memory' | 'off';
  readonly store?: string;
  readonly project?: string;
  readonly agents?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly stateDir?: string;
}

const TOKEN_VARIABLE = 'CAIRN_MCP_TOKEN';
const MAX_PORT = 65_535;

function directory(value: string, others: readonly string[] = []): readonly string[] {
  if (value === '') throw new UsageError('--root is empty', "use a directory, or '.' for the current one");
  return [...others, value];
}

function names(value: string): readonly string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function port(value: string): number {
  const number = wholeNumber('--http', '')(value);
  if (number > MAX_PORT)
    throw new UsageError(`invalid --http "${value}"`, `use a port up to ${MAX_PORT}, or 0 for any free port`);
  return number;
}

/** Returns the token from the option or the environment; `undefined` without one, or with `--no-auth`. */
function givenToken({ token, auth }: McpFlags, session: Session): string | undefined {
  const given = token ?? session.env[TOKEN_VARIABLE];
  if (!auth || given === undefined) return undefined;
  if (/^[\w.~+/=-]+$/u.test(given)) return given;
  const source = token === undefined ? TOKEN_VARIABLE : '--token';
  throw new UsageError(
    `invalid ${source}`,
    'use letters, digits and . _ ~ + / = -, or leave it out: a new token is then created and printed',
  );
}

function checkFlags(flags: McpFlags): void {
  for (const [flag, value] of [
    ['--model', flags.model],
    ['--base-url', flags.baseUrl],
  ]) {
    if (flags.agents !== true && value !== undefined) {
      throw new UsageError(`${flag} works only with --agents`, 'leave it out, or add --agents');
    }
  }
  for (const [flag, value] of [
    ['--store', flags.store],
    ['--project', flags.project],
  ]) {
    if (flags.memory === 'off' && value !== undefined) {
      throw new UsageError(`${flag} and --memory off exclude each other`, 'leave one of them out');
    }
  }
  if (flags.knowledge === 'off' && flags.language !== undefined) {
    throw new UsageError('--language and --knowledge off exclude each other', 'leave one of them out');
  }
  if (flags.http === undefined && (flags.token !== undefined || !flags.auth)) {
    throw new UsageError(
      `${flags.auth ? '--token' : '--no-auth'} works only with --http`,
      'leave it out, or add --http',
    );
  }
  if (flags.token !== undefined && !flags.auth) {
    throw new UsageError('--token and --no-auth exclude each other', 'leave one of them out');
  }
}

type Say = (text: string) => void;
type Report = (error: Error) => void;

/** Returns a function that logs each error once. A connection and its server both report an invalid message. */
function reporter(say: Say): Report {
  const reported = new WeakSet<Error>();
  return (error) => {
    if (reported.has(error)) return;
    reported.add(error);
    say(error.message);
  };
}

/** Resolves when the run must end. */
function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}

async function serveOverStdio(server: McpServer, session: Session, report: Report): Promise<void> {
  const { serveStdio } = await import('@cairn/mcp-server');
  const connection = await serveStdio(server, {
    // The only command that uses the streams themselves, because it answers while it reads.
    input: process.stdin,
    output: process.stdout,
    onError: report,
  });
  await Promise.race([connection.ended, whenAborted(session.signal)]);
  await connection.close();
}

/** How clients reach a server over HTTP. */
interface Access {
  readonly port: number;
  readonly auth: boolean;
  /** The token from the user; `undefined` creates one. */
  readonly token: string | undefined;
}

async function serveOverHttp(
  server: McpServer,
  access: Access,
  { session, say, report }: { readonly session: Session; readonly say: Say; readonly report: Report },
): Promise<void> {
  const [{ createToken }, { serveHttp }] = await Promise.all([
    import('@cairn/mcp-server'),
    import('@cairn/mcp-server/http'),
  ]);
  const { port: wanted, auth } = access;
  const token = auth ? (access.token ?? createToken()) : undefined;
  const listener = await serveHttp(server, { port: wanted, token, onError: report });
  if (token === undefined) say('no token is required: every program on this machine can use the tools');
  else if (token !== access.token) say(`clients must send 'Authorization: Bearer ${token}'`);
  say(`listening on ${listener.url}`);
  await whenAborted(session.signal);
  await listener.close();
}

async function runMcp(flags: McpFlags, session: Session): Promise<number> {
  checkFlags(flags);
  const token = givenToken(flags, session);
  const say: Say = (text) => {
    // A closed standard error does not stop the server.
    session.err.write(`cairn mcp: ${escapeControls(text)}\n`).catch(() => undefined);
  };
  const report = reporter(say);
  const { createMcpServer, wideRootNotice } = await import('@cairn/mcp-server');
  const roots = (flags.root ?? ['.']).map((root) => resolve(session.cwd, root));
  const memory = {
    store: flags.store,
    project: flags.project,
    root: roots[0] ?? session.cwd,
    isAlone: flags.http === undefined,
    say,
  };
  const server = await createMcpServer({
    roots,
    toolSets: await loadToolSets({
      session,
      // Without the directory, because the agent may be in another one.
      command: () => ownCommand({ env: session.env, node: process.execPath, main: process.argv[1] ?? '' }),
      stateDirectory: flags.stateDir === undefined ? undefined : resolve(session.cwd, flags.stateDir),
      knowledge: flags.knowledge === 'off' ? undefined : { directory: flags.knowledge, language: flags.language },
      memory: flags.memory === 'off' ? undefined : { ...memory, naming: flags.memory },
      agents:
        flags.agents === true
          ? { ...memory, hasMemory: flags.memory !== 'off', model: flags.model, baseUrl: flags.baseUrl }
          : undefined,
    }),
    naming: flags.naming,
    readOnly: flags.readOnly,
    tools: flags.tools,
    structured: flags.structured,
    onError: report,
  });
  try {
    for (const root of server.roots) {
      const notice = await wideRootNotice(root);
      if (notice !== undefined) say(notice);
    }
    say(`${server.toolNames.length} tools for ${server.roots.join(', ')}`);
    if (flags.http === undefined) await serveOverStdio(server, session, report);
    else await serveOverHttp(server, { port: flags.http, auth: flags.auth, token }, { session, say, report });
  } finally {
    await server.close();
  }
  return ExitCode.Hit;
}

export const mcpCommand: CommandFactory = (command, session, done) => {
  command
    .description('Serve the tools to an agent over MCP: over standard input and output, or over HTTP on this machine.')
    .summary('serve the tools to an agent over MCP')
    .addHelpText('after', examples)
    .action(async (flags: McpFlags) => done(await runMcp(flags, session)))
    .addOption(
      new Option(
        '--root <dir>',
        'directory that the tools may use; repeat it for more (default: the current one)',
      ).argParser(directory),
    )
    .addOption(new Option('--http <port>', 'serve over HTTP on 127.0.0.1; 0 uses any free port').argParser(port))
    .option('--token <token>', `token that clients must send over HTTP (default: ${TOKEN_VARIABLE}, or a new one)`)
    .option('--no-auth', 'require no token over HTTP')
    .option('--read-only', 'offer only tools that change nothing')
    .addOption(new Option('--tools <names>', 'offer only these, separated by commas').argParser(names))
    .addOption(
      new Option('--naming <profile>', `names and parameters of the tools: ${namingProfiles.join(', ')}`)
        .argParser(oneOf('--naming', namingProfiles))
        .default('default', 'default'),
    )
    .addOption(
      new Option(
        '--knowledge <dir>',
        "directory of the knowledge, or off for none (default: CAIRN_KNOWLEDGE_DIR, else the user's own)",
      ).argParser(filled('--knowledge')),
    )
    .addOption(
      new Option(
        '--language <code>',
        'language of the knowledge tools and their answers: en or zh (default: en)',
      ).argParser(oneOf('--language', ['en', 'zh'] as const)),
    )
    .addOption(
      new Option('--memory <profile>', 'names of the memory tools: default, mcp-memory, or off for no memory')
        .argParser(oneOf('--memory', ['default', 'mcp-memory', 'off'] as const))
        .default('default', 'default'),
    )
    .addOption(
      new Option('--store <file>', "SQLite file of the memory (default: the user's own)").argParser(filled('--store')),
    )
    .addOption(
      new Option(
        '--project <identity>',
        'project of the facts (default: the git repository of the first root, else the root; required for a Redis)',
      ).argParser(filled('--project')),
    )
    .option('--agents', 'also offer the agents of the project and of the user; this needs a model')
    .addOption(
      new Option('--model <id>', 'model of the agents (default: that of the definition, else CAIRN_MODEL)').argParser(
        filled('--model'),
      ),
    )
    .addOption(
      new Option('--base-url <url>', 'URL of a server with the OpenAI API (default: CAIRN_BASE_URL)').argParser(
        filled('--base-url'),
      ),
    )
    .addOption(stateOption())
    .addOption(
      new Option(
        '--structured <when>',
        'also send structured content: auto (except to hosts that then hide the text), always or never',
      )
        .argParser(oneOf('--structured', ['auto', 'always', 'never'] satisfies StructuredWhen[]))
        .default('auto', 'auto'),
    );
};
