import { isSecretVariable } from '@cairn/tool/internal';

type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandEnvironment {
  readonly passed: Environment;
  /** The variables that the command does not get, because their names mean secrets. */
  readonly withheld: Environment;
}

/** Returns the environment of a command that runs in `cwd`. */
export function commandEnvironment(env: Environment, cwd: string): CommandEnvironment {
  const entries = Object.entries(env);
  return {
    // Some programs take their working directory from this variable.
    passed: { ...Object.fromEntries(entries.filter(([name]) => !isSecretVariable(name))), PWD: cwd },
    withheld: Object.fromEntries(entries.filter(([name]) => isSecretVariable(name))),
  };
}

const MIN_LENGTH = 8;

/** Paths, and words such as `postgres`: an answer without them would be wrong more often than it would keep a secret. */
const PLAIN_VALUE = /^(?:\/.*|[a-z]{1,15})$/isu;

/**
 * Replaces the values of variables by their names. A command can find them elsewhere, such as in the environment of another process.
 * Short values, paths and single words stay.
 */
export function withoutValues(text: string, variables: Environment): string {
  const secrets = Object.entries(variables).filter(
    (entry): entry is [string, string] => (entry[1]?.length ?? 0) >= MIN_LENGTH && !PLAIN_VALUE.test(entry[1] ?? ''),
  );
  // A value may contain another one.
  const sorted = secrets.toSorted(([, a], [, b]) => b.length - a.length);
  return sorted.reduce((rest, [name, value]) => rest.replaceAll(value, () => `[value of ${name}]`), text);
}
