import { escapeControls } from '@cairn/tool/paths';
import { resolve } from 'node:path';
import process from 'node:process';
import type { McpServer } from '@cairn/mcp-server';
import type { ToolSet } from '@cairn/tool';
import { defineCommand, type CommandFactory } from '../command.ts';
import { withOwnHints } from '../../terminal/own-hints.ts';
import { knowledgeToolSet } from '../knowledge/open.ts';
import { memoryToolSet } from '../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { checkFlags, givenToken, mcpOptions, type McpFlags } from './mcp-flags.ts';

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

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}

async function serveOverStdio(server: McpServer, context: CommandContext, report: Report): Promise<void> {
  const { serveStdio } = await import('@cairn/mcp-server');
  const connection = await serveStdio(server, {
    // The only command that uses the streams themselves, because it answers while it reads.
    input: process.stdin,
    output: process.stdout,
    onError: report,
  });
  await Promise.race([connection.ended, whenAborted(context.signal)]);
  await connection.close();
}

/** Serves over HTTP. Without a given token, a new one is created. */
async function serveOverHttp(
  server: McpServer,
  { port, auth, given }: { readonly port: number; readonly auth: boolean; readonly given: string | undefined },
  { context, say, report }: { readonly context: CommandContext; readonly say: Say; readonly report: Report },
): Promise<void> {
  const [{ createToken }, { serveHttp }] = await Promise.all([
    import('@cairn/mcp-server'),
    import('@cairn/mcp-server/http'),
  ]);
  const token = auth ? (given ?? createToken()) : undefined;
  const listener = await serveHttp(server, { port, token, onError: report });
  if (token === undefined) say('no token is required: every program on this machine can use the tools');
  else if (token !== given) say(`clients must send 'Authorization: Bearer ${token}'`);
  say(`listening on ${listener.url}`);
  await whenAborted(context.signal);
  await listener.close();
}

/** The tools that `cairn mcp` serves, in the order in which clients see them. They are loaded when a server starts. */
async function loadToolSets(
  context: CommandContext,
  flags: McpFlags,
  { root, say }: { readonly root: string; readonly say: Say },
): Promise<ToolSet[]> {
  const [{ createCodingToolSet }, { createWorkspaceCacheToolSet }] = await Promise.all([
    import('@cairn/coding-agent'),
    import('@cairn/workspace-cache/tools'),
  ]);
  const { store, project, model, baseUrl, language } = flags;
  const stateDirectory = flags.stateDir === undefined ? undefined : resolve(context.cwd, flags.stateDir);
  const command = (): string => (context.agentCommand ?? context.command)?.() ?? 'cairn';
  const memory = { store, project, root, isAlone: flags.http === undefined, say };
  const sets = [
    createCodingToolSet({ stateDirectory, watch: flags.watch }),
    createWorkspaceCacheToolSet({ journalDirectory: stateDirectory }),
    ...(flags.knowledge === 'off'
      ? []
      : [await knowledgeToolSet(context, { directory: flags.knowledge, language, say })]),
    ...(flags.memory === 'off' ? [] : [await memoryToolSet(context, { ...memory, naming: flags.memory })]),
  ].map((set) => withOwnHints(set, command));
  // Agents work with the other sets.
  if (flags.agents !== true) return sets;
  const { agentsToolSet } = await import('./agents-tool-set.ts');
  const options = { ...memory, hasMemory: flags.memory !== 'off', model, baseUrl, flags };
  return [...sets, withOwnHints(await agentsToolSet(context, options, sets), command)];
}

export const mcpCommand: CommandFactory = defineCommand({
  description: 'Serve the tools to an agent over MCP: over standard input and output, or over HTTP on this machine.',
  summary: 'serve the tools to an agent over MCP',
  options: mcpOptions,
  examples: `
Examples:
  $ cairn mcp                                   serve the current directory to the agent that starts it
  $ cairn mcp --root ~/src/app --root ~/notes   two directories; relative paths start from the first
  $ cairn mcp --read-only --tools glob,grep     only these two
  $ cairn mcp --agents                          also the agents of the project, with the model of CAIRN_MODEL
  $ cairn mcp --http 8765                       serve http://127.0.0.1:8765/mcp and print the token

In the configuration of an agent host:
  { "mcpServers": { "cairn": { "command": "cairn", "args": ["mcp", "--root", "/path/to/project"] } } }

Standard output carries only the protocol; messages go to standard error. The server finishes running calls and ends when its
client disconnects, or on SIGTERM.`,
  run: async (context, flags) => {
    checkFlags(flags);
    const given = givenToken(flags, context);
    const say: Say = (text) => {
      // A closed standard error does not stop the server.
      context.err.write(`cairn mcp: ${escapeControls(text)}\n`).catch(() => undefined);
    };
    const report = reporter(say);
    const { createMcpServer, wideRootNotice } = await import('@cairn/mcp-server');
    const roots = (flags.root ?? ['.']).map((root) => resolve(context.cwd, root));
    const server = await createMcpServer({
      roots,
      toolSets: await loadToolSets(context, flags, { root: roots[0] ?? context.cwd, say }),
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
      if (flags.http === undefined) await serveOverStdio(server, context, report);
      else await serveOverHttp(server, { port: flags.http, auth: flags.auth, given }, { context, say, report });
    } finally {
      await server.close();
    }
    return ExitCode.Hit;
  },
});
