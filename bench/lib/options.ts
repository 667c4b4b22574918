import { parseArgs } from 'node:util';

export interface Options {
  /** Only cases whose id contains one of these. */
  readonly cases: readonly string[];
  readonly corpora: readonly string[];
  readonly rounds: number;
  /** A file, or `-` for stdout. */
  readonly json: string | undefined;
  readonly markdown: string | undefined;
}

const defaultRounds = 11;
const quickRounds = 2;

export const help = `npm run bench -- [options]

  --case TEXT      only cases whose id contains the text; may be repeated
  --corpus NAME    only kernel, modules or million; may be repeated
  --rounds N       timed rounds per case (default ${defaultRounds})
  --quick          ${quickRounds} rounds, and no million unless --corpus asks for it
  --json FILE      everything that was measured; - is stdout, instead of the table
  --markdown FILE  the tables as they are in bench/RESULTS.md; - is stdout, instead of the table
  --list           the ids of the cases
  --help           this text
`;

export function parseOptions(args: readonly string[]): Options | 'help' | 'list' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      case: { type: 'string', multiple: true, default: [] },
      corpus: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      markdown: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.list) return 'list';
  const rounds = values.rounds === undefined ? (values.quick ? quickRounds : defaultRounds) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${values.rounds}: give a number from 1`);
  return {
    cases: values.case,
    corpora: values.corpus ?? (values.quick ? ['kernel', 'modules'] : ['kernel', 'modules', 'million']),
    rounds,
    json: values.json,
    markdown: values.markdown,
  };
}
