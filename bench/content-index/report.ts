/** The tables of the report. */
import { median } from '../lib/statistics.ts';
import type { ContestantName } from './contestants.ts';
import { contestantNames } from './contestants.ts';
import type { Cost } from './cost.ts';
import type { Measured } from './measure.ts';
import type { Build, Query } from './protocol.ts';

export interface TreeResult {
  readonly name: string;
  readonly builds: Readonly<Record<'validated' | 'watched', Build>>;
  readonly queries: readonly Measured[];
  readonly costs: readonly Cost[];
}

/** How many times faster `us` must be than `peer`. */
interface Goal {
  readonly column: string;
  readonly times: number;
  readonly us: ContestantName;
  readonly peer: ContestantName;
}

const goal = (us: ContestantName, peer: ContestantName, times: number): Goal => ({
  column: `${peer}/${us}`,
  times,
  us,
  peer,
});

const goals: Readonly<Record<string, readonly Goal[]>> = {
  'no match': [goal('validated', 'rg', 7), goal('watched', 'rg', 100), goal('watched', 'fff', 10)],
  'rare literal': [
    goal('validated', 'rg', 6),
    goal('validated', 'fff', 1.3),
    goal('watched', 'rg', 25),
    goal('watched', 'fff', 6),
  ],
  'common literal': [
    goal('validated', 'rg', 5.5),
    goal('validated', 'fff', 2),
    goal('watched', 'rg', 18),
    goal('watched', 'fff', 7),
  ],
  'selective regex': [
    goal('validated', 'rg', 5),
    goal('validated', 'fff', 4),
    goal('watched', 'rg', 13),
    goal('watched', 'fff', 10),
  ],
  'broad literal': [goal('validated', 'rg', 2.5), goal('watched', 'rg', 3)],
};

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  return [row(head), row(head.map(() => '---')), ...rows.map(row), ''];
}

/** Three digits. */
function digits(value: number): string {
  if (!Number.isFinite(value)) return '';
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function megabytes(bytes: number): string {
  return `${digits(bytes / 1e6)} MB`;
}

function code({ pattern, ignoreCase }: Query): string {
  return `\`${pattern.replaceAll('|', String.raw`\|`)}\`${ignoreCase === true ? ' -i' : ''}`;
}

function medianOf({ times }: Measured, name: ContestantName): number {
  return median(times[name]);
}

function ratio(one: Measured, us: ContestantName, peer: ContestantName): number {
  return medianOf(one, peer) / medianOf(one, us);
}

const times = (value: number): string => (Number.isFinite(value) ? `${digits(value)}x` : '');

function ratioTable(queries: readonly Measured[]): string[] {
  const ratios = [
    ['validated', 'rg'],
    ['watched', 'rg'],
    ['validated', 'fff'],
    ['watched', 'fff'],
    ['validated', 'full'],
  ] as const;
  const head = [
    'query',
    'kind',
    'candidates',
    'files hit',
    'watched',
    'validated',
    'full scan, no index',
    'rg 15',
    'fff',
    ...ratios.map(([us, peer]) => `${peer}/${us}`),
  ];
  const order = ['watched', 'validated', 'full', 'rg', 'fff'] as const;
  return table(
    head,
    queries.map((one) => [
      code(one.query),
      one.query.kind,
      one.candidates,
      one.counts.rg.files,
      ...order.map((name) => digits(medianOf(one, name))),
      ...ratios.map(([us, peer]) => times(ratio(one, us, peer))),
    ]),
  );
}

function goalTable(queries: readonly Measured[]): string[] {
  const rows = queries.flatMap((one) =>
    (goals[one.query.kind] ?? []).map(({ column, times: least, us, peer }) => {
      const reached = ratio(one, us, peer);
      return [code(one.query), one.query.kind, column, times(least), times(reached), reached >= least ? 'yes' : 'no'];
    }),
  );
  return table(['query', 'kind', 'ratio', 'goal', 'reached', 'met'], rows);
}

function spreadTable(queries: readonly Measured[]): string[] {
  const rows = queries.flatMap((one) =>
    contestantNames.map((name, place) => {
      const values = one.times[name];
      const figures = [median(values), Math.min(...values), Math.max(...values)].map(digits);
      return [place === 0 ? code(one.query) : '', name, values.length, ...figures];
    }),
  );
  return table(['query', 'who', 'rounds', 'median ms', 'minimum', 'maximum'], rows);
}

function buildTable(builds: TreeResult['builds']): string[] {
  const head = ['index', 'wall', 'processor', 'files', 'indexed', 'memory', 'directories watched', 'off'];
  return table(
    head,
    Object.entries(builds).map(([name, { wallMs, cpuMs, files, indexed, bytes, watches, offReason }]) => [
      name,
      `${digits(wallMs / 1000)} s`,
      `${digits(cpuMs / 1000)} s`,
      files,
      indexed,
      megabytes(bytes),
      watches,
      offReason ?? '',
    ]),
  );
}

export function costTable(costs: readonly Cost[]): string {
  const rows = table(
    ['processor time', 'pairs', 'with an index', 'without', 'more', '95 % interval', 'at most 3 %'],
    costs.map(({ title, pairs, withMs, withoutMs, more, from, to }) => [
      title,
      pairs,
      `${digits(withMs)} ms`,
      `${digits(withoutMs)} ms`,
      percent(more),
      `${percent(from)} to ${percent(to)}`,
      to <= 0.03 ? 'yes' : from > 0.03 ? 'no' : 'open',
    ]),
  );
  return rows.join('\n');
}

export function roundsReport({ name, builds, queries }: Omit<TreeResult, 'costs'>): string {
  const wrong = queries.flatMap((one) => one.wrong);
  const unwatched = queries.reduce((sum, one) => sum + one.unwatched, 0);
  const notes = [...wrong, ...queries.flatMap((one) => one.notes)];
  if (unwatched > 0) notes.push(`${unwatched} answers of watched were validated by stats`);
  for (const [title, { files, indexed }] of Object.entries(builds)) {
    if (indexed < files || indexed === 0) notes.push(`${title} has only ${indexed} of ${files} files in its index`);
  }
  if (builds.watched.watches === 0) notes.push('watched watches no directory, so its figures are those of validated');
  return [
    `### ${name}`,
    '',
    ...ratioTable(queries),
    ...goalTable(queries),
    ...buildTable(builds),
    ...(wrong.length === 0 ? ['Cairn and rg found the same files and lines.', ''] : []),
    ...(notes.length === 0 ? [] : [...notes.map((note) => `- ${note}`), '']),
    ...spreadTable(queries),
  ].join('\n');
}
