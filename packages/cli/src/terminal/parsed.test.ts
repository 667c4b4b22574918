import { expectTypeOf, test } from 'vitest';
import { filled, hidden, oneOf, repeated, switchOf, wholeNumber } from './options.ts';
import type { ArgumentsOf, FlagsOf } from './parsed.ts';

const options = [
  ['-n, --limit <n>', 'a number', wholeNumber()],
  ['--content <text>', 'text as it is'],
  ['--path-name <path>', 'several', repeated(filled)],
  ['--dry-run', 'a switch'],
  ['--no-auth', 'true unless it is given'],
  ['--hidden', 'one of two'],
  ['--no-hidden', 'the other one'],
  ['--pin', 'one of two', switchOf(true)],
  ['--no-pin', 'the other one', switchOf(false)],
  ['--form <form>', 'one of several', oneOf(['box', 'paths']), { default: 'box' }],
  ['--root <dir>', 'text with a default', undefined, { default: '.' }],
  ['-e, --regexp <pattern>', 'a shared value', filled, { name: 'source' }],
  hidden('--no-text'),
] as const;

test('the types of flags are those that the rows give: an option without a default may be absent', () => {
  expectTypeOf<FlagsOf<typeof options>>().toEqualTypeOf<
    {
      readonly limit?: number;
      readonly content?: string;
      readonly pathName?: readonly string[];
      readonly dryRun?: boolean;
      readonly hidden?: boolean;
      readonly pin?: boolean;
      readonly source?: string;
    } & { readonly auth: boolean; readonly form: 'box' | 'paths'; readonly root: string }
  >();
});

const args = [
  ['<from>', 'required'],
  ['[to]', 'may be absent'],
  ['[place]', 'has a default', '.'],
  ['<words...>', 'several'],
  ['[path...]', 'any number'],
] as const;

test('the types of arguments are those that the rows give', () => {
  expectTypeOf<ArgumentsOf<typeof args>>().toEqualTypeOf<
    readonly [string, string | undefined, string, readonly string[], readonly string[]]
  >();
});
