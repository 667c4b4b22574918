/** Rows of options and arguments, and the types of what is parsed with them. */
import type { OptionRow, ParserOf } from './options.ts';

type Camel<Words> = Words extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Words;

type KeyOf<Flags> = Flags extends `-${string}, ${infer Long}`
  ? KeyOf<Long>
  : Flags extends `--no-${infer Name}`
    ? Camel<Name>
    : Flags extends `--${infer Name} <${string}>`
      ? Camel<Name>
      : Flags extends `--${infer Name}`
        ? Camel<Name>
        : never;

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

/** An option with a value. */
export type ValueOption<Flags extends string, Value = string> = readonly [Flags, string, ParserOf<Value>];

/** Returns an option that each command describes in its own words. */
export type DescribedOption<Flags extends string, Value = string> = (description: string) => ValueOption<Flags, Value>;

export function describedOption<const Flags extends string, Value>(
  flags: Flags,
  parserOf: ParserOf<Value>,
): DescribedOption<Flags, Value> {
  return (description) => [flags, description, parserOf];
}

/** The options as parsed: `--since <time>` is `since?: string`, and `--no-tags` is `tags?: boolean`. */
export type FlagsOf<Rows extends readonly OptionRow[]> = {
  readonly [Row in Rows[number] as KeyOf<Row[0]>]?: ValueOf<Row>;
};

/** An argument: `<name>`, or `[name]` for an optional one, what it is, and its default. */
export type ArgumentRow = readonly [name: string, description: string, standard?: string];

type ArgumentOf<Name> = Name extends `<${string}...>`
  ? readonly string[]
  : Name extends `[${string}]`
    ? string | undefined
    : string;

/** The arguments as parsed: `[name]` may be absent, and `<name...>` has several. */
export type ArgumentsOf<Rows extends readonly ArgumentRow[]> = {
  readonly [Index in keyof Rows]: ArgumentOf<Rows[Index][0]>;
};
