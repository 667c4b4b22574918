/** Rows of options and arguments, and the types of what is parsed with them. */
import type { OptionRow, ParserOf } from './options.ts';

type Camel<Words> = Words extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Words;

type LongOf<Flags> = Flags extends `-${string}, ${infer Long}`
  ? LongOf<Long>
  : Flags extends `--${infer Name} <${string}>`
    ? Name
    : Flags extends `--${infer Name}`
      ? Name
      : never;

/** Distributes over rows: the long name of each. */
type NameOf<Row> = Row extends readonly [infer Flags, ...unknown[]] ? LongOf<Flags> : never;

type Positive<Name> = Name extends `no-${infer Rest}` ? Rest : Name;

type KeyOf<Row> = Row extends readonly [string, string, unknown, { readonly name: infer Key extends string }]
  ? Key
  : Camel<Positive<NameOf<Row>>>;

type ValueOf<Row> = Row extends readonly [
  string,
  string,
  (name: string) => (value: string) => infer Value,
  ...unknown[],
]
  ? Value
  : Row extends readonly [`${string} <${string}>`, ...unknown[]]
    ? string
    : boolean;

/** Distributes over rows: the keys of those that always have a value, by a default or because only `--no-` sets them. */
type StandingOf<Row, Names> = Row extends readonly [string, string, unknown, { readonly default: unknown }]
  ? KeyOf<Row>
  : Row extends readonly [string, string]
    ? Positive<NameOf<Row>> extends Names
      ? never
      : KeyOf<Row>
    : never;

type Standing<Row> = StandingOf<Row, NameOf<Row>>;

/** Returns an option that each command describes in its own words. */
export function describedOption<const Flags extends string, Value>(flags: Flags, parserOf: ParserOf<Value>) {
  return (description: string) => [flags, description, parserOf] as const;
}

/**
 * The options as parsed: `--since <time>` is `since?: string`. `--no-tags` is `tags: boolean`, unless there is `--tags`, and a default
 * makes a value required.
 */
export type FlagsOf<Rows extends readonly OptionRow[]> = {
  readonly [Row in Rows[number] as Exclude<KeyOf<Row>, Standing<Rows[number]>>]?: ValueOf<Row>;
} & {
  readonly [Row in Rows[number] as KeyOf<Row> & Standing<Rows[number]>]: ValueOf<Row>;
};

/** An argument: `<name>`, or `[name]` for an optional one, what it is, and its default. */
export type ArgumentRow = readonly [name: string, description: string, standard?: string];

type ArgumentOf<Row> = Row extends readonly [`${string}...${string}`, ...unknown[]]
  ? readonly string[]
  : Row extends readonly [`[${string}]`, string]
    ? string | undefined
    : string;

/** The arguments as parsed: `[name]` without a default may be absent, and `<name...>` has several. */
export type ArgumentsOf<Rows extends readonly ArgumentRow[]> = {
  readonly [Index in keyof Rows]: ArgumentOf<Rows[Index]>;
};
