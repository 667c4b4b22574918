import type { EntryTarget, HostContext, SessionHost } from '@cairn/hosts';
import { sessionHosts } from '@cairn/hosts';
import { skills, type Skill } from '@cairn/knowledge';
import { LANGUAGES } from '@cairn/tool/kernel';
import { UsageError } from '../../terminal/errors.ts';
import type { EntryFlags } from '../mcp/entry-options.ts';

export interface HookRequest {
  readonly host: SessionHost;
  readonly context: HostContext;
  readonly flags: EntryFlags;
  /** For the change of the configuration; see `createWorkspace`. */
  readonly stateDirectory: string | undefined;
}

const SECTION = 'cairn-knowledge';

/** Returns the words that the command line of a host's hook ends with. They also identify the hook. */
export function hookWords({ id }: SessionHost): readonly string[] {
  return ['hook', 'session-start', '--host', id];
}

/** Returns the host with an id. @throws {UsageError} when it is unknown, or has no configuration for the scope. */
export function sessionHost(id: string, { scope }: EntryFlags): SessionHost {
  const wanted = id === 'claude-code' ? 'claude' : id;
  const host = sessionHosts.find((one) => one.id === wanted);
  if (!host) {
    const known = sessionHosts.map((one) => one.id).join(', ');
    throw new UsageError(`unknown host "${id}"`, `use one of ${known}; agents-md is for every other host`);
  }
  if (host.scopes.includes(scope)) return host;
  throw new UsageError(`${host.title} belongs to a project`, `leave out --scope ${scope}`);
}

export function entryTarget({ host, context, flags: { scope } }: HookRequest): EntryTarget<string> {
  const name = host.delivery === 'hook' ? hookWords(host).join(' ') : SECTION;
  return { host, kind: host.entry, scope, context, name, isOwn: () => true };
}

export function skillTarget({ host, context, flags: { scope } }: HookRequest, name: string): EntryTarget<string> {
  return { host, kind: host.skills, scope, context, name, isOwn: (text) => isOwnSkill(name, text) };
}

/** Returns whether a text is that of a skill, in either language and with whichever command line. */
function isOwnSkill(name: string, text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const lines = text.replaceAll('\r\n', '\n');
  const command = /^(.+) hook phase/mu.exec(lines)?.[1] ?? /`([^`]+) knowledge team push`/u.exec(lines)?.[1];
  const own = LANGUAGES.flatMap((language): readonly Skill[] => skills({ language, command }));
  return own.some((skill) => skill.name === name && skill.text === lines);
}
