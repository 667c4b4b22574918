import type { DefinitionSource } from './definition.ts';

/** Something that is wrong with a file that defines an agent. A file with an error defines no agent. */
export interface DefinitionProblem {
  readonly severity: 'error' | 'warning';
  readonly source: DefinitionSource;
  /** The file or directory, absolute. */
  readonly path: string;
  /** From 1. */
  readonly line?: number | undefined;
  readonly field?: string | undefined;
  /** The problem, then what to do. */
  readonly message: string;
  /** The name of the agent that the file defines, or would define. Absent for a directory. */
  readonly agent?: string | undefined;
}

/** Where in the file a problem is. */
export type ProblemPlace = Pick<DefinitionProblem, 'line' | 'field'>;

/** Takes a problem of the file that is read. */
export type Report = (severity: DefinitionProblem['severity'], message: string, place?: ProblemPlace) => void;
