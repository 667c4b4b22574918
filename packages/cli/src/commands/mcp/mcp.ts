import { resolve } from 'node:path';
import process from 'node:process';
import { Option, type Command } from 'commander';
import type { McpServer, StructuredWhen } from '@cairn/mcp-server';
import type { NamingProfile } from '@cairn/coding-agent';
import { oneOf, wholeNumber } from '../../args.ts';
import { keepCompiled } from '../../compile-cache.ts';
import { UsageError } from '../../errors.ts';
import { ExitCode } from '../../exit.ts';
import type { Session } from '../../session.ts';
import { escapeControls } from '../../text.ts';
import { filled } from '../../memory/store.ts';
import { loadToolSets } from '../../tool-sets.ts';
import { namingProfiles } from './naming-profiles.ts';

const examples = `
Examples:
  $ cairn mcp                                   serve the current directory to the agent that starts this
  $ cairn mcp --root ~/src/app --root ~/notes   two directories; relative paths start from the first
  $ cairn mcp --read-only --tools glob,grep     only these two
  $ cairn mcp --http 8765                       serve http://127.0.0.1:8765/mcp; the token is printed

In the configuration of an agent host:
  { "mcpServers": { "cairn": { "command": "cairn", "args": ["mcp", "--root", "/path/to/project"] } } }

Standard output has the protocol and nothing else; what is to be said is said on standard error. The server ends when its
client hangs up, or on SIGTERM, when calls under way are finished.`;

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
  readonly memory: 'default' | 'mcp-memory' | 'off';
  readonly store?: string;
}

const TOKEN_VARIABLE = 'CAIRN_MCP_TOKEN';
const HIGHEST_PORT = 65_535;

function directory(value: string, others: readonly string[] = []): readonly string[] {
  if (value === '') throw new UsageError("--root takes a directory, not an empty text; '.' is the current one");
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
  if (number > HIGHEST_PORT)
    throw new UsageError(`--http takes a port up to ${HIGHEST_PORT}, or 0 for any, not '${value}'`);
  return number;
}

/** The token that was given; `undefined` when none was, or none is wanted. */
function givenToken({ token, auth }: McpFlags, session: Session): string | undefined {
  const given = token ?? session.env[TOKEN_VARIABLE];
  if (!auth || given === undefined) return undefined;
  if (/^[\w.~+/=-]+$/u.test(given)) return given;
  const source = token === undefined ? TOKEN_VARIABLE : '--token';
  throw new UsageError(
    `${source} takes a token of letters, digits and . _ ~ + / = -; when it is left out, a new token is made and printed`,
  );
}

function checkFlags(flags: McpFlags): void {
  if (flags.memory === 'off' && flags.store !== undefined) {
    throw new UsageError('--store names the file of the memory, which --memory off leaves out');
  }
  if (flags.http === undefined && (flags.token !== undefined || !flags.auth)) {
    throw new UsageError(
      `${flags.auth ? '--token' : '--no-auth'} is for --http; over stdio the client is whoever started the server`,
    );
  }
  if (flags.token !== undefined && !flags.auth) throw new UsageError('--token and --no-auth exclude one another');
}

type Say = (text: string) => void;

/** Resolves when the run is to end. */
function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}

async function serveOverStdio(server: McpServer, session: Session, say: Say): Promise<void> {
  const { serveStdio } = await import('@cairn/mcp-server');
  const connection = await serveStdio(server, {
    // The protocol wants the streams themselves: it is the only command that answers while it reads.
    input: process.stdin,
    output: process.stdout,
    onError: (error) => say(error.message),
  });
  await Promise.race([connection.ended, whenAborted(session.signal)]);
  await connection.close();
}

/** How a server over HTTP is reached. */
interface Access {
  readonly port: number;
  readonly auth: boolean;
  /** The token that was given. */
  readonly token: string | undefined;
}

async function serveOverHttp(
  server: McpServer,
  access: Access,
  { session, say }: { readonly session: Session; readonly say: Say },
): Promise<void> {
  const [{ createToken }, { serveHttp }] = await Promise.all([
    import('@cairn/mcp-server'),
    import('@cairn/mcp-server/http'),
  ]);
  const { port: wanted, auth } = access;
  const token = auth ? (access.token ?? createToken()) : undefined;
  const listener = await serveHttp(server, { port: wanted, token, onError: (error) => say(error.message) });
  if (token === undefined) say('no token is asked for: every program of this machine can use the tools');
  else if (token !== access.token) say(`clients send 'Authorization: Bearer ${token}'`);
  say(`listening on ${listener.url}`);
  await whenAborted(session.signal);
  await listener.close();
}

async function runMcp(flags: McpFlags, session: Session): Promise<number> {
  checkFlags(flags);
  const token = givenToken(flags, session);
  const say: Say = (text) => {
    // Nobody may be listening; that is no reason to stop.
    session.err.write(`cairn mcp: ${escapeControls(text)}\n`).catch(() => undefined);
  };
  // A host waits for the server before it shows anything.
  keepCompiled(session.env, process.platform);
  const { createMcpServer, wideRootNotice } = await import('@cairn/mcp-server');
  const server = await createMcpServer({
    roots: (flags.root ?? ['.']).map((root) => resolve(session.cwd, root)),
    toolSets: await loadToolSets({
      session,
      memory: flags.memory === 'off' ? undefined : { naming: flags.memory, store: flags.store, say },
    }),
    naming: flags.naming,
    readOnly: flags.readOnly,
    tools: flags.tools,
    structured: flags.structured,
    onError: (error) => say(error.message),
  });
  try {
    for (const root of server.roots) {
      const notice = await wideRootNotice(root);
      if (notice !== undefined) say(notice);
    }
    say(`${server.toolNames.length} tools for ${server.roots.join(', ')}`);
    if (flags.http === undefined) await serveOverStdio(server, session, say);
    else await serveOverHttp(server, { port: flags.http, auth: flags.auth, token }, { session, say });
  } finally {
    await server.close();
  }
  return ExitCode.Hit;
}

export function mcpCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Serve the tools to an agent over MCP: over standard input and output, or over HTTP on this machine.')
    .summary('serve the tools to an agent over MCP')
    .addHelpText('after', examples)
    .action(async (flags: McpFlags) => done(await runMcp(flags, session)))
    .addOption(
      new Option('--root <dir>', 'a directory that may be used; again for more (default: the current one)').argParser(
        directory,
      ),
    )
    .addOption(new Option('--http <port>', 'serve over HTTP on 127.0.0.1; 0 takes any free port').argParser(port))
    .option('--token <token>', `what clients have to send over HTTP (default: ${TOKEN_VARIABLE}, or a new one)`)
    .option('--no-auth', 'ask for no token over HTTP')
    .option('--read-only', 'offer only tools that change nothing')
    .addOption(new Option('--tools <names>', 'offer only these, separated by commas').argParser(names))
    .addOption(
      new Option('--naming <profile>', `names and parameters of the tools: ${namingProfiles.join(', ')}`)
        .argParser(oneOf('--naming', namingProfiles))
        .default('default', 'default'),
    )
    .addOption(
      new Option('--memory <profile>', "the memory's tools, by whose names: default, mcp-memory, or off")
        .argParser(oneOf('--memory', ['default', 'mcp-memory', 'off'] as const))
        .default('default', 'default'),
    )
    .addOption(
      new Option('--store <file>', "the SQLite file of the memory (default: the user's own)").argParser(
        filled('--store'),
      ),
    )
    .addOption(
      new Option(
        '--structured <when>',
        'send facts as structured content too: auto (not to hosts that then hide the text), always, never',
      )
        .argParser(oneOf('--structured', ['auto', 'always', 'never'] satisfies StructuredWhen[]))
        .default('auto', 'auto'),
    );
}
