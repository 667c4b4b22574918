import { createGlobs } from '@cairn/knowledge/internal';
import { nearNames } from '@cairn/tool/internal';
import { isStrings, quoted } from '@cairn/tool/kernel';
import { AgentError } from '../errors.ts';
import { cairnTools, toolNameOf } from '../tool-names.ts';
import { commandPatternProblem } from './command-words.ts';
import { foldPath } from './protected-paths.ts';

/** What a rule does with the calls that it matches. `deny` wins over `ask`, and `ask` over `allow`. */
export type RuleVerdict = 'allow' | 'ask' | 'deny';

/** Rules as people write them: `write`, `edit(src/**)`, `shell(npm test)`, `mcp__files__*`, `*`. */
export type RuleLists = { readonly [Verdict in RuleVerdict]?: readonly string[] | undefined };

/** Rules from one place, which messages name. */
export interface RuleSource extends RuleLists {
  /** A file, or an option such as `--allow`. */
  readonly source: string;
}

/** A rule that was read. */
export interface Rule {
  readonly verdict: RuleVerdict;
  /** As it was written. */
  readonly text: string;
  readonly source: string;
  /** Our name of a tool; `*` for every tool that changes something; `mcp__server__*` for the tools of a server. */
  readonly tool: string;
  /** What the call must be about: a glob of paths or the words of a command. In quotes it is that path or command exactly. */
  readonly about?: RuleSubject | undefined;
}

export interface RuleSubject {
  readonly text: string;
  readonly isLiteral: boolean;
  /** Whether the pattern matches a path relative to the root. */
  readonly matches: (path: string) => boolean;
  /** The same without case and other differences that a file system may ignore. */
  readonly matchesFolded: (path: string) => boolean;
}

/** The tool that runs commands. */
export const SHELL_TOOL = 'shell';

const VERDICTS: readonly RuleVerdict[] = ['allow', 'ask', 'deny'];

/** The tools whose rules can be about paths. */
const FILE_TOOLS = ['write', 'edit', 'patch', 'delete', 'rename', '*'];

const SERVER_TOOL = /^mcp__[\w.-]+__(?:\*|[\w.-]+)$/u;
const RULE = /^\s*(?<tool>\*|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.*-]*)\s*(?:\((?<about>[^]*)\)\s*)?$/u;

function subjectOf(given: string): RuleSubject | undefined {
  const trimmed = given.trim();
  const isLiteral = trimmed.startsWith('"');
  let text = trimmed;
  if (isLiteral) {
    try {
      const value: unknown = JSON.parse(trimmed);
      if (typeof value !== 'string') return undefined;
      text = value;
    } catch {
      return undefined;
    }
  }
  if (text.trim() === '') return undefined;
  const [plain, folded] = [text.replaceAll('\\', '/'), foldPath(text)];
  if (isLiteral) {
    return { text, isLiteral, matches: (path) => path === text, matchesFolded: (path) => path === folded };
  }
  return { text, isLiteral, matches: createGlobs([plain]), matchesFolded: createGlobs([folded]) };
}

interface RulePlace {
  readonly verdict: RuleVerdict;
  readonly source: string;
  /** Our names of further tools. */
  readonly tools?: readonly string[] | undefined;
}

/** The problem of a rule, and the next step. */
export type RuleProblem = readonly [problem: string, hint: string];

/** Reads a rule. */
export function readRule(text: string, { verdict, source, tools = [] }: RulePlace): Rule | RuleProblem {
  const { tool: given, about } = RULE.exec(text)?.groups ?? {};
  if (given === undefined) return ['it has no name of a tool', 'Write tool, tool(path glob) or tool(command).'];
  const isServers = SERVER_TOOL.test(given);
  const known = given === '*' || given === SHELL_TOOL || isServers ? given : toolNameOf(given, tools);
  if (known === undefined) {
    const names = [...cairnTools, SHELL_TOOL, ...tools];
    const near = nearNames(given, names);
    const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `The tools are ${names.join(', ')}.`;
    return [`there is no tool ${quoted(given, 100)}`, hint];
  }
  const tool = isServers ? given : known;
  if (about === undefined) return { verdict, text, source, tool };
  const subject = subjectOf(about);
  if (subject === undefined) {
    return ['what is between the parentheses is empty, or a string without an end', 'Correct it, or remove it.'];
  }
  if (tool === SHELL_TOOL) {
    const problem = commandPatternProblem(subject);
    const hint = 'Write the words of one command, such as shell(npm test), or shell(git log *) for any further words.';
    return problem === undefined ? { verdict, text, source, tool, about: subject } : [problem, hint];
  }
  const isOther = tools.includes(tool);
  if (!isOther && !FILE_TOOLS.includes(tool)) {
    return [`${tool} does not change files, so a path says nothing about its calls`, `Write ${tool} alone.`];
  }
  return { verdict, text, source, tool, about: subject };
}

/**
 * Reads rules. All of them are checked: a rule that is left out could allow what the user forbade.
 *
 * @param tools the names of tools that Cairn does not have
 * @throws {AgentError} `INVALID_RULE` with the place of the rule
 */
export function readRules(sources: readonly RuleSource[], tools: readonly string[] = []): Rule[] {
  return sources.flatMap(({ source, ...lists }) =>
    VERDICTS.flatMap((verdict) => {
      const list: unknown = lists[verdict] ?? [];
      if (!isStrings(list)) {
        const summary = `${verdict} in ${source} is not a list of rules`;
        throw new AgentError('INVALID_RULE', [summary, 'Write a list of strings, such as ["write", "edit(src/**)"].']);
      }
      return list.map((text) => {
        const rule = readRule(text, { verdict, source, tools });
        if ('tool' in rule) return rule;
        const [problem, hint] = rule;
        throw new AgentError('INVALID_RULE', [`Invalid rule ${quoted(text, 200)} in ${source}: ${problem}`, hint]);
      });
    }),
  );
}
