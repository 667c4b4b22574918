import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { nodeFileOperations } from '@cairn/coding-agent';
import { TEMPORARY_NAME } from '@cairn/tool/internal';
import { isMissing, isObject, isStrings, writeAtomically, type OptionNames } from '@cairn/tool/kernel';
import { quotePath, userDirectories } from '@cairn/tool/paths';
import { AgentError, checkArguments } from '../errors.ts';
import { readRules, type RuleLists, type RuleSource } from './rule.ts';

/** The project and the user. Nothing is read from the process. */
export interface UserRulesOptions {
  /** The directory of the project, absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home directory, absolute. */
  readonly home: string;
  /** @default process.platform */
  readonly platform?: NodeJS.Platform | undefined;
}

/** The rules and the trust of a user, for one project. */
export interface UserRules {
  /** The user's rules for all projects, then those for this one. */
  readonly sources: readonly RuleSource[];
  /** The directory of these files. No agent may change it without a question. */
  readonly directory: string;
  /** The file of this project, which need not exist. */
  readonly path: string;
  /** Adds rules that allow calls in this project. @throws {AgentError} `INVALID_RULE`; the system's errors */
  keep(rules: readonly string[]): Promise<void>;
  /** Whether the user trusted a content: its hash, as `trustHash` returns it. */
  isTrusted(hash: string): boolean;
  /** Records that the user trusts contents. The names are for people who read the file. */
  trust(items: readonly { readonly hash: string; readonly name: string }[]): Promise<void>;
}

interface ProjectFile extends RuleLists {
  readonly root: string;
  readonly trusted: Readonly<Record<string, string>>;
}

const LOCK_TIMEOUT_MS = 10_000;
const MAX_FILE_BYTES = 1024 * 1024;
/** The oldest are asked about again. */
const MAX_TRUSTED = 1000;

/** Returns the hash by which a content is trusted. Equal values have equal hashes, whatever the order of their fields. */
export function trustHash(value: unknown): string {
  const inOrder = (_: string, one: unknown): unknown =>
    isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one;
  return createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex');
}

function invalid(path: string, problem: string, cause?: unknown): AgentError {
  const summary = `${quotePath(path)} ${problem}`;
  return new AgentError('INVALID_RULE', [summary, 'Correct the file, or remove it.'], { path, cause });
}

/** Reads a file with rules. A rule that cannot be read may forbid something, so nothing in the file is ignored. */
async function readFields(path: string, names: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw invalid(path, 'has more than 1 MiB, so it is not a file of rules');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(path, `is not JSON (${error instanceof Error ? error.message : String(error)})`, error);
  }
  if (!isObject(value)) throw invalid(path, 'is not a JSON object');
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw invalid(path, `has the unknown field ${JSON.stringify(unknown)}; the fields are ${names.join(', ')}`);
  return value;
}

const RULE_FIELDS = ['allow', 'ask', 'deny'] as const;

async function readLists(
  path: string,
  more: readonly string[] = [],
): Promise<RuleSource & Pick<ProjectFile, 'trusted'>> {
  const fields = await readFields(path, [...RULE_FIELDS, ...more]);
  const lists = RULE_FIELDS.map((name) => {
    const list = fields[name] ?? [];
    if (!isStrings(list)) throw invalid(path, `has a value of ${name} that is not a list of strings`);
    return [name, list] as const;
  });
  const trusted = fields['trusted'] ?? {};
  if (!isObject(trusted) || !Object.values(trusted).every((name) => typeof name === 'string')) {
    throw invalid(path, 'has a value of trusted that is not an object with strings');
  }
  const source: RuleSource = { source: path, ...Object.fromEntries(lists) };
  readRules([source]);
  return { ...source, trusted: trusted as Readonly<Record<string, string>> };
}

/** Runs `use` while no other process changes the files of this directory. A killed process leaves no lock, but temporary files. */
async function withLock<T>(directory: string, use: () => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'lock');
  await (await open(path, 'a', 0o600)).close();
  const lock = await nodeFileOperations.lock(path, { timeoutMs: LOCK_TIMEOUT_MS });
  if (lock === undefined) {
    throw Object.assign(new Error(`another process has locked ${quotePath(path)}`), { code: 'ELOCKED' });
  }
  try {
    const left = (await readdir(directory)).filter((name) => TEMPORARY_NAME.test(name));
    await Promise.all(left.map((name) => rm(join(directory, name), { force: true })));
    return await use();
  } finally {
    await lock.release();
  }
}

const userRulesOptions: OptionNames<UserRulesOptions> = {
  root: 'required',
  env: 'required',
  home: 'required',
  platform: 'optional',
};

/**
 * Reads the rules of a user: `rules.json` in `$XDG_CONFIG_HOME/cairn`, for all projects, and the file of the project in `projects`
 * there, which also has what the user trusts. Both are read now; changes of other processes do not count until they are read again,
 * but none is lost: a change is made on the newest content, under a lock, in one step, and readable by the user only.
 *
 * @throws {AgentError} `INVALID_RULE` with the path: nothing in an invalid file is ignored. The system's errors.
 */
export async function openUserRules(options: UserRulesOptions): Promise<UserRules> {
  checkArguments.options('openUserRules', options, userRulesOptions);
  const { env, home, platform = process.platform } = options;
  const root = await realpath(options.root).catch(() => options.root);
  const directory = userDirectories({ env, home, platform }).config;
  const projects = join(directory, 'projects');
  const name = basename(root)
    .replaceAll(/[^\w.-]/gu, '-')
    .slice(0, 40);
  const path = join(projects, `${name}-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`);
  const readProject = () => readLists(path, ['root', 'trusted']);
  const everywhere = await readLists(join(directory, 'rules.json'));
  const project = await readProject();
  const trusted = new Set(Object.keys(project.trusted));

  const change = (change: (file: ProjectFile) => ProjectFile): Promise<void> =>
    withLock(projects, async () => {
      const { source: _, ...before } = await readProject();
      const after = change({ root, ...before });
      await writeAtomically(path, `${JSON.stringify(after, undefined, 2)}\n`);
    });
  return {
    sources: [everywhere, project].map(({ trusted: _, ...source }) => source),
    directory,
    path,
    keep: async (rules) => {
      // A rule that cannot be read again would keep every later run from starting.
      readRules([{ source: 'the kept rules', allow: rules }]);
      await change((file) => ({ ...file, allow: [...new Set([...(file.allow ?? []), ...rules])] }));
    },
    isTrusted: (hash) => trusted.has(hash),
    trust: async (items) => {
      for (const { hash } of items) trusted.add(hash);
      await change((file) => {
        const entries = [...Object.entries(file.trusted), ...items.map(({ hash, name: of }) => [hash, of] as const)];
        return { ...file, trusted: Object.fromEntries(entries.slice(-MAX_TRUSTED)) };
      });
    },
  };
}
