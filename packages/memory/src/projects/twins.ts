/** Other projects that have the facts of the same repository, such as after its directory was moved or cloned again. */
import { escapeControls, homeDirectory } from '@cairn/tool/paths';
import { count } from '@cairn/tool/prompt';
import { isMissing, type Language } from '@cairn/tool/kernel';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import process from 'node:process';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { userStorePath } from '../store-path.ts';
import { FACTS_PREFIX, factsKey, parseFactsKey } from '../records/keys.ts';
import { attempt, readGitLink } from './git-directory.ts';
import { gitDirectoryOf, presentCommits, readAllMarks, readRemotes, type ProjectMarks } from './marks.ts';

/** A project that has facts, and shares its remote or its history with one that has none. */
export interface ProjectTwin {
  readonly project: string;
  readonly facts: number;
  /** `remote`: the same remote. `history`: common commits. `fork`: common commits, but another remote. */
  readonly match: 'remote' | 'history' | 'fork';
  /** Whether the directory of the project does not exist. */
  readonly isGone: boolean;
}

type Match = ProjectTwin['match'];

function matchOf(known: ProjectMarks, remotes: readonly string[], present: ReadonlySet<string>): Match | undefined {
  const [own, other] = [remotes[0], known.remotes[0]];
  if (own !== undefined && own === other) return 'remote';
  if (!known.commits.some((commit) => present.has(commit))) return undefined;
  return own === undefined || other === undefined ? 'history' : 'fork';
}

/** Whether nothing is there. A directory that this user may not see is not absent. */
async function isAbsent(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    return isMissing(error);
  }
}

/** Returns the numbers of facts of the other projects; none if the project has facts of its own. */
async function otherFacts(
  backend: MemoryBackend,
  project: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  const facts = new Map<string, number>();
  if (project === undefined || !isAbsolute(project)) return facts;
  const own = await backend.page(factsKey(project), { order: 'newest', limit: 0 }, { signal });
  if (own.count > 0) return facts;
  for (const { key, records } of await backend.keys(FACTS_PREFIX, { signal })) {
    const place = parseFactsKey(key);
    if (place?.scope === 'project' && isAbsolute(place.project) && records > 0) facts.set(place.project, records);
  }
  return facts;
}

const ORDER: readonly Match[] = ['remote', 'history', 'fork'];

/**
 * Finds the twins of a project that has no facts, likeliest first. It reads the files of the project's repository, and asks git only
 * whether the repository has some commits.
 */
export async function findTwins(
  backend: MemoryBackend,
  project: string | undefined,
  { signal }: CallOptions = {},
): Promise<ProjectTwin[]> {
  // A project with facts costs one read.
  const facts = await otherFacts(backend, project, signal);
  const directory = project === undefined || facts.size === 0 ? undefined : await gitDirectoryOf(project);
  if (directory === undefined) return [];
  const marks = await readAllMarks(backend, { signal });
  const known = Array.from(facts, ([name, records]) => ({ name, records, own: marks.get(name) }));
  const remotes = await readRemotes(directory);
  const commits = [...new Set(known.flatMap(({ own }) => own?.commits ?? []))];
  const present = (await presentCommits(directory, commits, { signal })) ?? new Set();
  const twins = known.map(async ({ name, records, own }): Promise<ProjectTwin[]> => {
    const match = own && matchOf(own, remotes, present);
    return match === undefined ? [] : [{ project: name, facts: records, match, isGone: await isAbsent(name) }];
  });
  return (await Promise.all(twins))
    .flat()
    .toSorted((a, b) => ORDER.indexOf(a.match) - ORDER.indexOf(b.match) || Number(b.isGone) - Number(a.isGone));
}

/** The twins that a notice names. */
const MAX_NAMED = 3;

const texts = {
  en: {
    intro: (project: string) =>
      `The project ${project} has no facts, but memory has facts of another directory that may belong to it.`,
    unconfirmed: (project: string) =>
      `.git in ${project} names a repository that does not name this directory, so its facts are not used; 'cairn doctor' reports what to do.`,
    reasons: {
      remote: 'the same remote',
      history: 'the same history of commits',
      fork: 'the same history of commits but another remote, so it may be a fork',
    },
    gone: 'its directory does not exist',
    there: 'its directory still exists and would have no facts then',
    facts: (facts: number) => count(facts, 'fact'),
    more: (left: number) => `${left} more: cairn memory project list`,
    move: 'If they belong here, move them:',
    ask: 'If they belong here, ask the user, then move them:',
  },
  zh: {
    intro: (project: string) => `项目 ${project} 没有事实，但记忆中另一目录的事实可能属于它。`,
    unconfirmed: (project: string) =>
      `${project} 的 .git 指向的仓库没有指回此目录，因此不使用该仓库的事实；'cairn doctor' 给出处理办法。`,
    reasons: {
      remote: '远程仓库相同',
      history: '提交历史相同',
      fork: '提交历史相同但远程仓库不同，可能是复刻',
    },
    gone: '其目录不存在',
    there: '其目录仍然存在，移动后那里不再有事实',
    facts: (facts: number) => `${facts} 条事实`,
    more: (left: number) => `还有 ${left} 个：cairn memory project list`,
    move: '如果它们属于这里，可以移动：',
    ask: '如果它们属于这里，请先询问用户，再移动：',
  },
} as const;

/** Quotes an argument for a shell, if it needs quotes. */
function shellQuote(text: string): string {
  return /^[\w./:@%+=,-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns the option that names a store which is not the user's. */
function storeOption({ path }: MemoryBackend): string {
  const { env, platform } = process;
  if (path === undefined || path === userStorePath({ env, home: homeDirectory(env), platform })) return '';
  return ` --store ${shellQuote(path)}`;
}

interface TwinTextOptions {
  readonly backend: MemoryBackend;
  /** The project without facts. */
  readonly project: string;
  readonly language?: Language | undefined;
  /** Whether a model reads it, which decides nothing for the user. @default false */
  readonly isForModel?: boolean | undefined;
}

/** Returns the command that moves the facts of a twin. */
export function moveCommand({ project: from }: ProjectTwin, { backend, project }: TwinTextOptions): string {
  const option = storeOption(backend);
  return escapeControls(`cairn memory project move ${shellQuote(from)} ${shellQuote(project)}${option}`);
}

/** Returns what to say about the twins of a project, with the commands; an empty string without twins. */
function twinText(twins: readonly ProjectTwin[], options: TwinTextOptions): string {
  if (twins.length === 0) return '';
  const { project, language = 'en', isForModel = false } = options;
  const text = texts[language];
  const lines = twins.slice(0, MAX_NAMED).flatMap((twin) => {
    const about = [text.facts(twin.facts), text.reasons[twin.match], twin.isGone ? text.gone : text.there].join('; ');
    return [`- ${escapeControls(twin.project)} (${about})`, `  ${moveCommand(twin, options)}`];
  });
  const left = twins.length - MAX_NAMED;
  return [
    text.intro(escapeControls(project)),
    isForModel ? text.ask : text.move,
    ...lines,
    ...(left > 0 ? [`- ${text.more(left)}`] : []),
  ].join('\n');
}

/** Finds the twins of a project that has no facts, and returns what to say about them; an empty string without any. */
export async function twinNotice(
  backend: MemoryBackend,
  project: string | undefined,
  { signal, ...options }: CallOptions & Pick<TwinTextOptions, 'language' | 'isForModel'> = {},
): Promise<string> {
  if (project === undefined) return '';
  try {
    const twins = await findTwins(backend, project, { signal });
    if (twins.length > 0) return twinText(twins, { backend, project, ...options });
    const { size } = await otherFacts(backend, project, signal);
    if (size === 0 || (await unconfirmedLink(project)) === undefined) return '';
    return texts[options.language ?? 'en'].unconfirmed(escapeControls(project));
  } catch {
    // The caller reads the same store, and reports why it cannot be read.
    signal?.throwIfAborted();
    return '';
  }
}

/**
 * Returns what `.git` in a directory names, if that repository does not name the directory, and so is not its project: a worktree
 * that was moved, or a file that was made by hand.
 */
export async function unconfirmedLink(directory: string): Promise<string | undefined> {
  const path = await attempt(realpath(directory));
  const link = path === undefined ? undefined : await readGitLink(path);
  return link?.kind === 'unconfirmed' ? link.target : undefined;
}
