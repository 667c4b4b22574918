/** The user's glossary, and the team's. */
import { homeDirectory } from '@cairn/tool/paths';
import type { GlossaryFileProblem, GlossaryFilesOptions } from '@cairn/memory/terms';
import type { MemoryOptions } from '@cairn/memory';
import type { Environment } from './output.ts';
import { countOf } from './text.ts';

/** Returns a problem without its file: `line 3: …`. */
export function glossaryProblem({ lineNumber, lines = 1, message }: GlossaryFileProblem): string {
  if (lineNumber === undefined) return message;
  const last = lineNumber + lines - 1;
  return `${lines === 1 ? `line ${lineNumber}` : `lines ${lineNumber} to ${last}`}: ${message}`;
}

function noticeOf(problems: readonly GlossaryFileProblem[]): string {
  const [first, ...others] = problems;
  if (first === undefined) return '';
  if (first.lineNumber === undefined) return `cannot use the glossary ${first.path}: ${first.message}`;
  const more = others.length === 0 ? '' : `; ${countOf(others.length, 'more problem')}: see 'cairn doctor'`;
  return `not all of the glossary ${first.path} is used: ${glossaryProblem(first)}${more}`;
}

export interface GlossaryOptions {
  readonly env: Environment;
  /** Whether the team's glossary is read from the file that the knowledge writes. The knowledge itself has it already. */
  readonly ofTeam: boolean;
  readonly onNotice: (notice: string) => void;
}

/** Returns the option `glossary` of a memory and of a knowledge. A file that is broken costs a notice. */
export async function openGlossary({
  env,
  ofTeam,
  onNotice,
}: GlossaryOptions): Promise<NonNullable<MemoryOptions['glossary']>> {
  const { glossaryFiles, glossaryPaths } = await import('@cairn/memory/terms');
  const { user, team } = glossaryPaths({ env, home: homeDirectory(env), platform: process.platform });
  const onProblems: GlossaryFilesOptions['onProblems'] = (problems) => onNotice(noticeOf(problems));
  return glossaryFiles({ paths: ofTeam ? [user, team] : [user], onProblems });
}
