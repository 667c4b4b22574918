import type { NamingProfile } from '@cairn/coding-agent';
import type { StructuredWhen } from '@cairn/mcp-server';
import { LANGUAGES } from '@cairn/tool/kernel';
import { UsageError } from '../../terminal/errors.ts';
import { filled, nameList, oneOf, repeated, stateOption, watchOption, wholeNumber } from '../../terminal/options.ts';
import { approvalOptions } from '../agents/approvals.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';

/** Every profile. The compiler rejects a list that misses one; importing the tools for their names would cost each start. */
const profiles: Readonly<Record<NamingProfile, true>> = {
  default: true,
  claude: true,
  pi: true,
  gemini: true,
  codex: true,
  'mcp-fs': true,
};

const names = Object.keys(profiles) as NamingProfile[];

export const namingOption = [
  '--naming <profile>',
  `names and parameters of the tools: ${names.join(', ')}`,
  oneOf(names),
  { default: 'default' },
] as const;

const TOKEN_VARIABLE = 'CAIRN_MCP_TOKEN';
const MAX_PORT = 65_535;

function directory(name: string): (value: string) => string {
  return filled(name, "use a directory, or '.' for the current one");
}

function port(name: string): (value: string) => number {
  return (value) => {
    const number = wholeNumber()(name)(value);
    if (number <= MAX_PORT) return number;
    throw new UsageError(`invalid ${name} "${value}"`, `use a port up to ${MAX_PORT}, or 0 for any free port`);
  };
}

/** Returns the token from the option or the environment; `undefined` without one, or with `--no-auth`. */
export function givenToken({ token, auth }: McpFlags, context: CommandContext): string | undefined {
  const given = token ?? context.env[TOKEN_VARIABLE];
  if (!auth || given === undefined) return undefined;
  if (/^[\w.~+/=-]+$/u.test(given)) return given;
  const source = token === undefined ? TOKEN_VARIABLE : '--token';
  throw new UsageError(
    `invalid ${source}`,
    'use letters, digits and . _ ~ + / = -, or leave it out: a new token is then created and printed',
  );
}

type Rule = readonly [isBroken: boolean, flag: string, other: string];

export function checkFlags(flags: McpFlags): void {
  const { model, baseUrl, store, project, language, token, auth } = flags;
  const [isOffline, hasNoMemory, hasNoKnowledge] = [
    flags.http === undefined,
    flags.memory === 'off',
    flags.knowledge === 'off',
  ];
  const needs: readonly Rule[] = [
    [flags.agents !== true && model !== undefined, '--model', '--agents'],
    [flags.agents !== true && baseUrl !== undefined, '--base-url', '--agents'],
    ...(['allow', 'ask', 'deny', 'permissions', 'trust'] as const).map((name): Rule => [
      flags.agents !== true && flags[name] !== undefined,
      `--${name}`,
      '--agents',
    ]),
    [isOffline && !auth, '--no-auth', '--http'],
    [isOffline && token !== undefined, '--token', '--http'],
  ];
  const exclusions: readonly Rule[] = [
    [hasNoMemory && store !== undefined, '--store', '--memory off'],
    [hasNoMemory && project !== undefined, '--project', '--memory off'],
    [hasNoKnowledge && language !== undefined, '--language', '--knowledge off'],
    [!auth && token !== undefined, '--token', '--no-auth'],
  ];
  for (const [isBroken, flag, other] of needs) {
    if (isBroken) throw new UsageError(`${flag} works only with ${other}`, `leave it out, or add ${other}`);
  }
  for (const [isBroken, flag, other] of exclusions) {
    if (isBroken) throw new UsageError(`${flag} and ${other} exclude each other`, 'leave one of them out');
  }
}

export const mcpOptions = [
  [
    '--root <dir>',
    'directory that the tools may use; repeat it for more (default: the current one)',
    repeated(directory),
  ],
  ['--http <port>', 'serve over HTTP on 127.0.0.1; 0 uses any free port', port],
  ['--token <token>', `token that clients must send over HTTP (default: ${TOKEN_VARIABLE}, or a new one)`],
  ['--no-auth', 'require no token over HTTP'],
  ['--read-only', 'offer only tools that change nothing'],
  ['--tools <names>', 'offer only these, separated by commas', nameList],
  namingOption,
  // The sets of tools next to those for files.
  [
    '--knowledge <dir>',
    "directory of the knowledge, or off for none (default: CAIRN_KNOWLEDGE_DIR, else the user's own)",
    filled,
  ],
  ['--language <code>', 'language of the knowledge tools and their answers: en or zh (default: en)', oneOf(LANGUAGES)],
  [
    '--memory <profile>',
    'names of the memory tools: default, mcp-memory, or off for no memory',
    oneOf(['default', 'mcp-memory', 'off']),
    { default: 'default' },
  ],
  ['--store <file>', "SQLite file of the memory (default: the user's own)", filled],
  [
    '--project <identity>',
    'project of the facts (default: the git repository of the first root, else the root; required for a Redis)',
    filled,
  ],
  ['--agents', 'also offer the agents of the project and of the user; this needs a model'],
  ['--model <id>', 'model of the agents (default: set by the definition, else CAIRN_MODEL)', filled],
  ['--base-url <url>', 'URL of a server with the OpenAI API (default: CAIRN_BASE_URL)', filled],
  ...approvalOptions,
  stateOption,
  watchOption,
  [
    '--structured <when>',
    'also send structured content: auto (except to hosts that then hide the text), always or never',
    oneOf<StructuredWhen>(['auto', 'always', 'never']),
    { default: 'auto' },
  ],
] as const;

export type McpFlags = FlagsOf<typeof mcpOptions>;
