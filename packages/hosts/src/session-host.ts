import { join } from 'node:path';
import { FILE_CONTENT, isObject, type ConfigObject } from './formats/config-format.ts';
import type { ConfigScope, ElementRule, EntryKind, HostContext, HostName } from './host.ts';

/** A host that begins a session with the output of a program, and that reads skills. */
export interface SessionHost extends HostName {
  /** `hook`: the value of the entry is a command line, which the host runs and reads. `text`: it is the text itself. */
  readonly delivery: 'hook' | 'text';
  readonly scopes: readonly ConfigScope[];
  readonly entry: EntryKind<string>;
  /** The value is the text of a `SKILL.md`; the entry is named like the skill. */
  readonly skills: EntryKind<string>;
}

/** Seconds. The host must not wait for a package that `npx` cannot download. */
const HOOK_TIMEOUT_SECONDS = 10;

/** Sessions that begin without the text. A session that is resumed still has it. */
const MATCHER = 'startup|clear|compact';

/** Returns whether a hook runs a command line that has the words of the name. */
function runs(hook: unknown, name: string): boolean {
  if (!isObject(hook) || typeof hook['command'] !== 'string') return false;
  const { command, args } = hook;
  const words = [command, ...(Array.isArray(args) ? args.map(String) : [])].join(' ');
  return ` ${words} `.includes(` ${name} `);
}

function hooksOf(group: unknown): readonly unknown[] {
  return isObject(group) && Array.isArray(group['hooks']) ? group['hooks'] : [];
}

/** Returns a group with one entry, and its matcher unless the group has other people's hooks. */
function merged(group: ConfigObject, wanted: ConfigObject, name: string): ConfigObject {
  const [hook] = hooksOf(wanted);
  const all = hooksOf(group);
  const first = all.findIndex((one) => runs(one, name));
  const hooks = all.flatMap((one, index) => {
    if (!runs(one, name) || !isObject(one) || !isObject(hook)) return [one];
    const { args: _, ...rest } = one;
    return index === first ? [{ ...rest, ...hook }] : [];
  });
  return hooks.length === 1 ? { ...group, ...wanted, hooks } : { ...group, hooks };
}

/**
 * An element of the array is a group: a matcher, and the hooks that it runs. The entry is the hook that runs the words of its
 * name. A group may have hooks of other people too.
 */
const groupWithHook: ElementRule = {
  matches: (group, name) => hooksOf(group).some((hook) => runs(hook, name)),
  merge: (group, wanted, name) => (isObject(group) && isObject(wanted) ? merged(group, wanted, name) : wanted),
  without: (group, name) => {
    const hooks = hooksOf(group).filter((hook) => !runs(hook, name));
    return isObject(group) && hooks.length > 0 ? { ...group, hooks } : undefined;
  },
};

/** A hook of `SessionStart`, in the form that Claude Code introduced and Codex shares. */
export const sessionStartHook: Omit<EntryKind<string>, 'files' | 'nextStep'> = {
  id: 'session-start',
  format: 'json',
  path: () => ['hooks', 'SessionStart'],
  element: groupWithHook,
  render: (command) => ({
    matcher: MATCHER,
    hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS }],
  }),
  conflictingKeys: [],
};

export function skillFile(directory: (scope: ConfigScope, context: HostContext) => string): EntryKind<string> {
  return {
    id: 'skill',
    format: 'file',
    files: (scope, context, name) => [join(directory(scope, context), name, 'SKILL.md')],
    path: () => [FILE_CONTENT],
    render: (text) => text,
    conflictingKeys: [],
    nextStep: () => 'start a session; the host lists the skill',
  };
}

/**
 * Skills in `.agents/skills` of the project or the home directory, which several hosts share.
 *
 * @see https://agentskills.io/specification
 */
export const openSkills: EntryKind<string> = skillFile((scope, { project, home }) =>
  join(scope === 'project' ? project : home, '.agents', 'skills'),
);
