/** The products of the matrix. Each is loaded on demand, and one that is not there says why. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createCodingTools } from '@cairn/coding-agent';
import { cairnProduct } from './product.ts';
import type { Answer, Product } from './product.ts';

/** A product with its version, or why it is not there. */
export interface Loaded {
  readonly name: string;
  readonly version: string;
  readonly product?: Product;
}

interface Part {
  readonly type: string;
  readonly text?: string;
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ type, text }) => text ?? `[${type}]`).join('\n');
}

const modules = new URL('../node_modules/', import.meta.url);

function versionOf(manifest: URL): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function packageVersion(name: string): string {
  return versionOf(new URL(`${name}/package.json`, modules));
}

/** What the matrix uses of `@modelcontextprotocol/sdk`, so that types can be checked where it is not installed. */
interface McpClient {
  connect(transport: object): Promise<void>;
  callTool(
    call: { name: string; arguments: object },
    resultSchema: undefined,
    options: { timeout: number },
  ): Promise<{ readonly content: readonly Part[]; readonly isError?: boolean }>;
  close(): Promise<void>;
}

interface McpSdk {
  readonly Client: new (info: { name: string; version: string }) => McpClient;
  readonly StdioClientTransport: new (server: {
    command: string;
    args: string[];
    stderr: 'ignore';
    maxBufferSize: number;
  }) => object;
}

/** By default a client hangs up at 10 MB; here every answer is to be seen. */
const MAX_BUFFER_BYTES = 2 ** 30;

/** Longer than the matrix waits. */
const MAX_CALL_MS = 120_000;

async function loadSdk(): Promise<McpSdk> {
  const [client, stdio] = ['client/index.js', 'client/stdio.js'].map((path) => `@modelcontextprotocol/sdk/${path}`);
  return { ...((await import(`${client}`)) as McpSdk), ...((await import(`${stdio}`)) as McpSdk) };
}

/** The reference server of MCP for files, over stdio as hosts run it. */
async function serverFilesystem(): Promise<Loaded> {
  const name = '@modelcontextprotocol/server-filesystem';
  const version = packageVersion(name);
  const { Client, StdioClientTransport } = await loadSdk();
  const server = fileURLToPath(new URL(`${name}/dist/index.js`, modules));
  const open: Product['open'] = async (root) => {
    const client = new Client({ name: 'edit-matrix', version: '0' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [server, root],
        stderr: 'ignore',
        maxBufferSize: MAX_BUFFER_BYTES,
      }),
    );
    const call = async (tool: string, path: string, more: object): Promise<Answer> => {
      // Not `join`, which would resolve `..` before the server sees it.
      const place = path.startsWith('/') ? path : `${root}/${path}`;
      const { content, isError = false } = await client.callTool(
        { name: tool, arguments: { path: place, ...more } },
        undefined,
        { timeout: MAX_CALL_MS },
      );
      return { isError, text: textOf(content) };
    };
    return {
      read: (path) => call('read_text_file', path, {}),
      write: (path, content) => call('write_file', path, { content }),
      edit: (path, edits) => call('edit_file', path, { edits }),
      close: () => client.close(),
    };
  };
  return { name: 'server-filesystem', version, product: { name: 'server-filesystem', open } };
}

/** What the matrix uses of `@mariozechner/pi-coding-agent`: its tools throw what they reject. */
interface PiTool {
  execute(id: string, input: object): Promise<{ readonly content: readonly Part[] }>;
}

interface Pi {
  readonly createReadTool: (cwd: string) => PiTool;
  readonly createWriteTool: (cwd: string) => PiTool;
  readonly createEditTool: (cwd: string) => PiTool;
}

async function piCodingAgent(): Promise<Loaded> {
  const name = '@mariozechner/pi-coding-agent';
  const version = packageVersion(name);
  const pi = (await import(name)) as Pi;
  const open: Product['open'] = async (root) => {
    const call = async (tool: PiTool, input: object): Promise<Answer> => {
      const { content } = await tool.execute('call', input);
      return { isError: false, text: textOf(content) };
    };
    const [read, write, edit] = [pi.createReadTool(root), pi.createWriteTool(root), pi.createEditTool(root)];
    return {
      read: (path) => call(read, { path }),
      write: (path, content) => call(write, { path, content }),
      edit: (path, edits) => call(edit, { path, edits }),
      close: async () => undefined,
    };
  };
  return { name: 'pi-coding-agent', version, product: { name: 'pi-coding-agent', open } };
}

function cairn(): Loaded {
  const manifest = new URL('../../packages/coding-agent/package.json', import.meta.url);
  return { name: 'cairn', version: versionOf(manifest), product: cairnProduct(createCodingTools) };
}

const loaders: Readonly<Record<string, () => Loaded | Promise<Loaded>>> = {
  cairn,
  'server-filesystem': serverFilesystem,
  'pi-coding-agent': piCodingAgent,
};

/** Loads every product. Never throws. */
export async function loadProducts(): Promise<Loaded[]> {
  const loaded: Loaded[] = [];
  for (const [name, load] of Object.entries(loaders)) {
    try {
      loaded.push(await load());
    } catch (error) {
      loaded.push({ name, version: `not there: ${error instanceof Error ? error.message : String(error)}` });
    }
  }
  return loaded;
}
