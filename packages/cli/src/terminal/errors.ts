/** The facts of a failure: the value of `error` in a JSON document. */
export interface ErrorFacts {
  /** A stable name: `USAGE`, `NOT_FOUND`, `ENOENT`. */
  readonly code: string;
  /** States what is wrong. Without `fix` it also states what to do next. */
  readonly message: string;
  readonly fix?: string | undefined;
  readonly path?: string | undefined;
  /** Where in the file, from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly changed?: boolean | undefined;
}

export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly facts: ErrorFacts;

  constructor(facts: ErrorFacts, options?: ErrorOptions) {
    super(facts.message, options);
    this.facts = facts;
  }
}

/** The arguments are invalid: `message` states which, `fix` what to type instead. */
export class UsageError extends CommandError {
  override readonly name: string = 'UsageError';

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super({ code: 'USAGE', message, fix }, options);
  }
}

/** Standard output rejects data, for example because the disk is full. */
export class OutputError extends CommandError {
  override readonly name: string = 'OutputError';

  constructor(message: string, options?: ErrorOptions) {
    super({ code: 'OUTPUT', message }, options);
  }
}

const marker = Symbol.for('cairn.error');

/** Returns whether an error comes from a Cairn package. Known by its mark, so that no package is loaded to ask. */
function isCairnError(error: Error): error is Error & { readonly code: string } {
  return marker in error && 'code' in error && typeof error.code === 'string';
}

function stringOf(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}

function placeOf(error: Error): Pick<ErrorFacts, 'line' | 'column'> {
  const [position, line]: unknown[] = [Reflect.get(error, 'position'), Reflect.get(error, 'line')];
  if (typeof line === 'number') return { line };
  if (typeof position !== 'object' || position === null || !('line' in position) || !('column' in position)) return {};
  return { line: Number(position.line), column: Number(position.column) };
}

/** Memory states whether a failed write took place. */
function changedOf(error: Error): Pick<ErrorFacts, 'changed'> {
  const isDone: unknown = Reflect.get(error, 'isDone');
  return typeof isDone === 'boolean' ? { changed: isDone } : {};
}

function internal(message: string): ErrorFacts {
  return { code: 'INTERNAL', message: `internal error: ${message}`, fix: 'set CAIRN_DEBUG=1 to see the stack trace' };
}

/** Replaces the option names of a library in its message by the options of the command line. */
export function inOptions(text: string): string {
  return (
    text
      .replace('or set literal to search', 'or use -F to search')
      .replace(/^invalid typeNot (?=")/u, 'invalid --type-not ')
      .replace(/^invalid type (?=".*": (?:it is not a type|use one type))/u, 'invalid --type ')
      .replace(/, or glob(?=$| for several)/u, ', or -g')
      .replace('set multiline to let', 'use --multiline to let')
      .replace('are left out without hidden', 'are left out without --hidden')
      .replace('which fileType or type leaves out', 'which --type leaves out')
      .replace(/\bmaxDepth (?=\d+ leaves out)/u, '--max-depth ')
      .replace('Pass one as product_line:', 'Write one of these and "/" before the name:')
      .replace('search with search_knowledge', "use 'cairn knowledge search'")
      .replace('Search for its subject with search_knowledge', "'cairn knowledge search' finds assets by words")
      .replace(', or raise maxContentBytes', '')
      .replace('See the cause.', "Run 'cairn doctor' to check the store.")
      .replace(/(?<=^Correct |\bthat |\bor correct )CAIRN_BASE_URL/u, '--base-url or CAIRN_BASE_URL')
      .replace('or pass allowSecret', 'or use --allow-secret')
      .replace('or raise the budget', 'or use a larger --max-context-tokens')
      .replace('Use a string with at least one character.', 'Write at least one character.')
      .replace('List the workflows to see their ids.', "'cairn workflow list' shows the ids.")
      // The command line has no option for the time limits of a request.
      .replace('Check that it runs, or allow more time.', 'Check that it runs.')
      .replace('; or pass a model of the AI SDK', '; or use --model and --base-url')
  );
}

export function factsOf(error: unknown): ErrorFacts {
  if (error instanceof CommandError) return error.facts;
  if (!(error instanceof Error)) return internal(String(error));
  const path = stringOf(error, 'path');
  if (isCairnError(error)) {
    const [summary, fix] = [stringOf(error, 'summary'), stringOf(error, 'hint')];
    const stated = summary === undefined || fix === undefined ? error.message : `${summary}.`;
    const message = inOptions(stated);
    return {
      code: error.code,
      message,
      fix: fix === undefined ? undefined : inOptions(fix),
      path,
      ...placeOf(error),
      ...changedOf(error),
    };
  }
  const code = stringOf(error, 'code');
  // Codes of Node itself are mistakes of this program; system codes are not.
  if (code === undefined || code.startsWith('ERR_')) return internal(error.message);
  return { code, message: error.message, path };
}

/** Returns the facts as one sentence, or as two when the message ends with a full stop. */
export function describe({ message, fix }: ErrorFacts): string {
  if (fix === undefined) return message;
  return /[.?!]$/u.test(message) ? `${message} ${fix}` : `${message}; ${fix}`;
}
