import { isSecretVariable } from '@cairn/tool/internal';
import { existsSync } from 'node:fs';

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

/** Such as `postgres`: an answer without it would be wrong more often than it would keep a secret. */
const PLAIN_WORD = /^[a-z]{1,15}$/iu;

/** A variable whose value an answer may not show. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** Returns whether a value is harmless. One that begins with `/` may be a secret in base64, unless it is the path of something. */
function isPlain(value: string): boolean {
  return value.length < MIN_LENGTH || PLAIN_WORD.test(value) || (value.startsWith('/') && existsSync(value));
}

/** Returns the variables whose values an answer may not show, as `shown` writes them, longest first: a value may contain another one. */
export function secretValues(variables: Environment, shown: (value: string) => string): readonly SecretValue[] {
  return Object.entries(variables)
    .filter((entry): entry is [string, string] => entry[1] !== undefined && !isPlain(entry[1]))
    .map(([name, value]) => ({ name, value: shown(value) }))
    .filter(({ value }) => value.length >= MIN_LENGTH)
    .toSorted((a, b) => b.value.length - a.value.length);
}

/** Replaces values by the names of their variables. A command can find them elsewhere, such as in the environment of another process. */
export function withoutValues(text: string, secrets: readonly SecretValue[]): string {
  return secrets.reduce((rest, { name, value }) => rest.replaceAll(value, () => `[value of ${name}]`), text);
}

/** Returns a text without a value, or the start of one, that it ends with: more of it may follow. */
export function withoutValueAtEnd(text: string, secrets: readonly SecretValue[]): string {
  let cut = 0;
  for (const { value } of secrets) {
    let length = Math.min(value.length, text.length);
    while (length > cut && !text.endsWith(value.slice(0, length))) length--;
    cut = Math.max(cut, length);
  }
  return text.slice(0, text.length - cut);
}

/** Returns a text without a value, or the end of one, that it begins with: more of it may have been in front. */
export function withoutValueAtStart(text: string, secrets: readonly SecretValue[]): string {
  let cut = 0;
  for (const { value } of secrets) {
    let length = Math.min(value.length, text.length);
    while (length > cut && !text.startsWith(value.slice(value.length - length))) length--;
    cut = Math.max(cut, length);
  }
  return text.slice(cut);
}
