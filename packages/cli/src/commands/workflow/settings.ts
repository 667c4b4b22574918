import { isObject, isStrings, type Language } from '@cairn/tool/kernel';
import type { WorkflowRecord } from '@cairn/memory';
import { resolve } from 'node:path';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { UsageError } from '../../terminal/errors.ts';
import { filled, repeated, stateOption, wordsOf } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { approvalOptions } from '../agents/approvals.ts';
import { languageOption, projectOption, storeOptions, type ProjectFlags } from '../memory/options.ts';

export function workOptions(isNew: boolean) {
  const standard = (value: string): string => `(default: ${isNew ? value : 'as it began'})`;
  return [
    [
      '--functions <module>',
      `module (.js, .mjs or .ts) with functions for the first stream, or <stream>=<module>; repeat it for more ${standard('none')}`,
      repeated(filled),
    ],
    ['--root <dir>', `directory of the tools and functions ${standard('the current one')}`, filled],
    languageOption(`language of the prompts: en or zh ${standard('en')}`),
    [
      '--approve <names>',
      `functions and tools that need a person's approval, separated by commas; all are those that change something ${standard('none')}`,
      wordsOf(filled),
    ],
    ...approvalOptions,
    ['--read-only', 'offer only tools that change nothing, besides the functions'],
    ['--no-tools', 'offer only the functions'],
    ['--model <id>', `model ${standard('CAIRN_MODEL')}`, filled],
    ['--base-url <url>', `URL of a server with the OpenAI API ${standard('CAIRN_BASE_URL')}`, filled],
    stateOption,
    projectOption,
    ...storeOptions,
  ] as const;
}

export type WorkFlags = FlagsOf<ReturnType<typeof workOptions>>;

export const workflowArgument = ['<id>', 'the workflow'] as const;

/** What a workflow needs to work, in this process and in the next one: its record keeps it. */
export interface Settings {
  readonly program: 'cairn workflow';
  readonly stream: string;
  readonly merge: readonly string[];
  readonly persona?: string | undefined;
  /** The directory of the tools and of the functions, absolute. */
  readonly root: string;
  readonly language: Language;
  /** The modules with functions, absolute, by the stream that has them. */
  readonly functions: readonly { readonly stream: string; readonly path: string }[];
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The names of functions that need approval; `all` is every one that changes something. */
  readonly approve: readonly string[];
  readonly readOnly: boolean;
  readonly tools: boolean;
}

/** The first stream of a command that names none. */
const MAIN_STREAM = 'chat';

/** Reads `module` or `stream=module`. */
function modulesOf(
  given: readonly string[],
  streams: readonly [string, ...string[]],
  cwd: string,
): Settings['functions'] {
  return given.map((value) => {
    const stream = streams.find((name) => value.startsWith(`${name}=`));
    const path = stream === undefined ? value : value.slice(stream.length + 1);
    if (path === '') throw new UsageError(`--functions ${value} names no module`, 'use --functions <module>');
    return { stream: stream ?? streams[0], path: resolve(cwd, path) };
  });
}

export function newSettings(
  flags: WorkFlags & Partial<Pick<Settings, 'stream' | 'merge' | 'persona'>>,
  { cwd }: Pick<CommandContext, 'cwd'>,
): Settings {
  const { stream = MAIN_STREAM, merge = [], persona, root = '.', language = 'en', functions = [] } = flags;
  const { model, baseUrl, approve = [], readOnly = false, tools } = flags;
  return {
    program: 'cairn workflow',
    stream,
    merge,
    persona,
    root: resolve(cwd, root),
    language,
    functions: modulesOf(functions, [stream, ...merge], cwd),
    model,
    baseUrl,
    approve,
    readOnly,
    tools,
  };
}

/** The parts of a record that say how to continue its workflow. */
type Continued = Pick<WorkflowRecord, 'id' | 'streamName' | 'state'>;

/** Whether a value of a record has what this version needs. Others can write to a store. */
function isSettings(value: unknown): value is Settings {
  if (!isObject(value) || value['program'] !== 'cairn workflow') return false;
  const { stream, merge, persona, root, language, functions, model, baseUrl, approve, readOnly, tools } = value;
  return (
    [stream, root].every((one) => typeof one === 'string') &&
    [persona, model, baseUrl].every((one) => one === undefined || typeof one === 'string') &&
    [readOnly, tools].every((one) => typeof one === 'boolean') &&
    (language === 'en' || language === 'zh') &&
    isStrings(merge) &&
    isStrings(approve) &&
    Array.isArray(functions) &&
    functions.every((one) => isObject(one) && typeof one['stream'] === 'string' && typeof one['path'] === 'string')
  );
}

/** The streams of a record that another program wrote. */
function streamsOf({ streamName, state }: Continued): Pick<Settings, 'stream' | 'merge'> {
  const merge = isObject(state) ? state['merge'] : undefined;
  if (!isObject(merge)) return { stream: streamName, merge: [] };
  const { main, secondary } = merge;
  return { stream: String(main), merge: Array.isArray(secondary) ? secondary.map(String) : [] };
}

/** The settings that options replace. */
const REPLACEABLE = ['functions', 'root', 'language', 'model', 'baseUrl', 'approve', 'readOnly'] as const;

/**
 * Returns the settings to continue a workflow with: the settings in its record, unless an option replaces them. A store that machines
 * share may be written by others, so the modules, the directory and the server that it names are not used: they must be given.
 */
export function settingsToContinue(
  record: Continued,
  flags: WorkFlags,
  { cwd, isShared }: { readonly cwd: string; readonly isShared: boolean },
): { readonly settings: Settings; readonly notices: readonly string[] } {
  const settings = isObject(record.state) ? record.state['settings'] : undefined;
  const before = isSettings(settings) ? settings : undefined;
  const { stream, merge } = before ?? streamsOf(record);
  const given = newSettings({ ...flags, stream, merge }, { cwd });
  if (before === undefined) {
    const notice = 'another program began this workflow: only the functions that are given here are offered';
    return { settings: given, notices: [notice] };
  }
  const modules = before.functions.map(({ stream, path }) => `--functions ${shellQuote(`${stream}=${path}`)}`);
  if (isShared && modules.length > 0 && flags.functions === undefined) {
    throw new UsageError(
      `the workflow ${record.id} has functions of modules, and others can write to a Redis`,
      `if you trust them, add ${modules.join(' ')}`,
    );
  }
  const own = isShared ? { root: given.root, baseUrl: given.baseUrl } : {};
  return {
    settings: {
      ...before,
      ...own,
      ...Object.fromEntries(REPLACEABLE.flatMap((name) => (flags[name] === undefined ? [] : [[name, given[name]]]))),
      ...(flags.tools === false && { tools: false }),
    },
    notices: [],
  };
}

/** Returns the options that name the store, for a command that is shown. A password is not shown. */
export function storeWords({ backend, store, url, project }: ProjectFlags): string[] {
  const hasPassword = url !== undefined && URL.canParse(url) && new URL(url).password !== '';
  return Object.entries({ backend, store, url, project }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [`--${name}`, name === 'url' && hasPassword ? '<url>' : shellQuote(value)];
  });
}
