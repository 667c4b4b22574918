import { relative, sep } from 'node:path';
import { isWithin } from '@cairn/coding-agent/internal';
import type { ChangedPath } from '@cairn/tool';
import { allowsCommand, forbidsCommand, isSimpleCommand } from './command-words.ts';
import { foldPath, protectedName, type ProtectedPlace } from './protected-paths.ts';
import type { Rule, RuleSubject, RuleVerdict } from './rule.ts';

/** What a call would do. */
export interface CallAction {
  /** Our name of the tool, in any naming profile. */
  readonly tool: string;
  readonly isReadOnly: boolean;
  /** What it changes. Absent when that is not known. */
  readonly paths?: readonly ChangedPath[] | undefined;
  /** The command line that it runs. */
  readonly command?: string | undefined;
}

/** Where the paths of rules begin, and what no rule allows. */
export interface RuleScope {
  /** The roots, canonical and as they are named: the first two are the project's. */
  readonly roots: readonly string[];
  readonly places: readonly ProtectedPlace[];
}

export interface Decision {
  readonly verdict: RuleVerdict;
  /** The rule that decides. Absent for the default. */
  readonly rule?: Rule | undefined;
  /** Why a person must be asked whatever the rules allow. */
  readonly always?: string | undefined;
}

/** A tool of another server: what it says about itself is not known to be true. */
function isForeign(tool: string): boolean {
  return tool.startsWith('mcp__');
}

function changes({ tool, isReadOnly }: CallAction): boolean {
  return !isReadOnly || isForeign(tool);
}

function isAbout(rule: Rule, action: CallAction): boolean {
  if (rule.tool === '*') return changes(action);
  if (rule.tool.endsWith('*')) return action.tool.startsWith(rule.tool.slice(0, -1));
  return rule.tool === action.tool;
}

/** Returns a path as rules have it: relative to the project, elsewhere absolute. */
export function rulePath(path: string, [real = '', named = '']: RuleScope['roots']): string {
  const root = [real, named].find((one) => isWithin(path, one));
  return (root === undefined ? path : relative(root, path)).replaceAll(sep, '/');
}

function matchesPath({ text, isLiteral, matches }: RuleSubject, path: string): boolean {
  const isAbsolute = path.startsWith('/');
  if (isLiteral || isAbsolute === text.startsWith('/')) return matches(isAbsolute && !isLiteral ? path.slice(1) : path);
  return false;
}

/** Whether a rule forbids, or asks about, one of the paths of a call by any of its names. */
function matchesSome(about: RuleSubject, { paths = [] }: CallAction, { roots }: RuleScope): boolean {
  const names = new Set(paths.flatMap(({ path, named }) => [path, named]));
  return [...names].some((name) => {
    const absolute = name.replaceAll(sep, '/');
    if (about.text.startsWith('/')) {
      return about.matchesFolded(about.isLiteral ? foldPath(absolute) : foldPath(absolute).replace(/^\/+/u, ''));
    }
    const path = rulePath(name, roots);
    return !path.startsWith('/') && about.matchesFolded(foldPath(path));
  });
}

/** Whether a rule applies to a call that it forbids or asks about. */
function restricts(rule: Rule, action: CallAction, scope: RuleScope): boolean {
  if (!isAbout(rule, action)) return false;
  const { about } = rule;
  if (about === undefined) return true;
  if (action.command !== undefined) return rule.tool !== '*' && forbidsCommand(action.command, about);
  return matchesSome(about, action, scope);
}

/** Returns the rule that allows all of a call; the last one, when several allow a part each. */
function allowing(rules: readonly Rule[], action: CallAction, { roots }: RuleScope): Rule | undefined {
  const own = rules.filter((rule) => rule.verdict === 'allow' && isAbout(rule, action));
  const whole = own.find(({ about }) => about === undefined);
  if (whole !== undefined) return whole;
  const { command, paths = [] } = action;
  if (command !== undefined) {
    return own.find(({ tool, about }) => tool !== '*' && about !== undefined && allowsCommand(command, about));
  }
  const each = paths.map(({ path }) =>
    own.find(({ about }) => about !== undefined && matchesPath(about, rulePath(path, roots))),
  );
  return each.includes(undefined) ? undefined : each.at(-1);
}

/** Returns the reason to ask about a call whatever the rules allow: its changes decide how agents work, or are not all known. */
function alwaysAsks({ paths = [] }: CallAction, { roots, places }: RuleScope): string | undefined {
  for (const { path, named, unlisted } of paths) {
    for (const one of [path, named]) {
      const root = roots.find((directory) => isWithin(one, directory));
      const name = protectedName(root === undefined ? one : relative(root, one));
      if (name !== undefined) return `changes of ${name} are always asked about`;
      const place = places.find((protectedPlace) => isWithin(one, protectedPlace.path));
      // A directory above moves it, too.
      const moved = places.find((protectedPlace) => isWithin(protectedPlace.path, one));
      const found = place ?? moved;
      if (found !== undefined) return `changes of ${found.name} are always asked about`;
    }
    if (unlisted === 'names') return 'the file has other names, which change with it';
    if (unlisted === 'entries') return 'the directory has too many entries to check each';
  }
  return undefined;
}

/**
 * Decides about a call: a `deny` rule wins, then what always asks, then an `ask` rule, then an `allow` rule. Without a rule, a call that
 * only reads is allowed, and every other one asks. Tools of other servers count as changing something.
 */
export function decide(rules: readonly Rule[], action: CallAction, scope: RuleScope): Decision {
  const restricting = (verdict: RuleVerdict): Rule | undefined =>
    rules.find((rule) => rule.verdict === verdict && restricts(rule, action, scope));
  const denied = restricting('deny');
  if (denied !== undefined) return { verdict: 'deny', rule: denied };
  const always = alwaysAsks(action, scope);
  if (always !== undefined) return { verdict: 'ask', always };
  const asked = restricting('ask');
  if (asked !== undefined) return { verdict: 'ask', rule: asked };
  const allowed = allowing(rules, action, scope);
  if (allowed !== undefined) return { verdict: 'allow', rule: allowed };
  return { verdict: changes(action) ? 'ask' : 'allow' };
}

/** Whether rules can be kept about a call. A line that is not one simple command is asked about each time. */
export function isRepeatable({ command }: CallAction): boolean {
  return command === undefined || isSimpleCommand(command);
}
