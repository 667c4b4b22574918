/** The tables of a run. */
import type { Goal } from './cases.ts';
import type { ContestantName } from './engines/index.ts';
import type { Machine } from './machine.ts';
import type { CaseResult, GoalResult, Measured, Missing } from './run-case.ts';

export interface Report {
  readonly machine: Machine;
  readonly command: string;
  readonly cases: readonly CaseResult[];
}

type Row = readonly string[];

/** Three digits say what a measurement can. */
function figure(value: number): string {
  if (Number.isNaN(value)) return '?';
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

function megabytes(value: number): string {
  return Number.isNaN(value) ? '?' : value.toFixed(0);
}

function cell(result: CaseResult, name: ContestantName): string {
  const found = result.contestants.find((one) => one.name === name);
  if (found === undefined) return '';
  if ('missing' in found) return found.missing.startsWith('not installed') ? 'not installed' : 'failed';
  return result.unit === 'MB' ? `${figure(found.median)} MB` : `${figure(found.median)} / ${megabytes(found.peakMb)}`;
}

/** Contestants that share a column, because no case has many of them. */
const shared: readonly ContestantName[] = ['fff+content', 'fuzzysort', 'fast-glob', 'tinyglobby', 'fdir'];
const own: readonly ContestantName[] = ['cairn', 'rg', 'fd', 'pi-natives', 'fff'];

function sharedCell(result: CaseResult): string {
  return shared
    .map((name) => [name, cell(result, name)] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name} ${text}`)
    .join(', ');
}

function goalText(goal: Goal): string {
  if ('stopReason' in goal) return `says \`${goal.stopReason}\``;
  if ('atMost' in goal) return `${goal.atMost} ${goal.unit}`;
  return `${goal.times}x ${goal.of.length === 1 ? goal.of[0] : 'the best'}`;
}

function ratioText({ ratio }: GoalResult): string {
  return ratio === undefined ? '' : `${figure(ratio)}x`;
}

function metText({ met }: GoalResult): string {
  if (met === undefined) return 'not compared';
  return met ? 'yes' : 'no';
}

function joined(result: CaseResult, text: (goal: GoalResult) => string): string {
  return result.goals.map(text).filter(Boolean).join(', ');
}

const mainHead: Row = ['corpus', 'case', ...own, 'others', 'goal', 'ratio', 'met'];

function mainRow(result: CaseResult): Row {
  return [
    result.corpus,
    result.title,
    ...own.map((name) => cell(result, name)),
    sharedCell(result),
    joined(result, ({ goal }) => goalText(goal)),
    joined(result, ratioText),
    joined(result, metText),
  ];
}

const detailHead: Row = ['case', 'who', 'median', 'minimum', 'main thread', 'hits', 'peak MB'];

function isMeasured(one: Measured | Missing): one is Measured {
  return !('missing' in one);
}

function detailRows(result: CaseResult): Row[] {
  return result.contestants
    .filter(isMeasured)
    .map((one, index) => [
      index === 0 ? result.id : '',
      one.name,
      `${figure(one.median)} ${result.unit}`,
      `${figure(one.minimum)} ${result.unit}`,
      `${figure(one.threadMs)} ms`,
      `${one.outcome.count}`,
      megabytes(one.peakMb),
    ]);
}

/** Everything that needs saying about a case, one line each. */
function remarks(cases: readonly CaseResult[]): string[] {
  return cases.flatMap(({ id, wrong, notes, contestants }) => [
    ...wrong.map((line) => `${id}: WRONG: ${line}`),
    ...contestants.flatMap((one) => (isMeasured(one) ? [] : [`${id}: ${one.name}: ${one.missing.split('\n')[0]}`])),
    ...notes.map((line) => `${id}: ${line}`),
  ]);
}

function markdownTable(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.map((text) => text.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function plainTable(head: Row, rows: readonly Row[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: Row): string =>
    cells
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** The last line of a run. */
export function goalsLine(cases: readonly CaseResult[]): string {
  const goals = cases.flatMap((result) => result.goals);
  return `${goals.filter(({ met }) => met === true).length} of ${goals.length} goals met`;
}

const cellsMean =
  'Cells: median ms / peak resident MB of the process (for libraries with what Node takes), or MB where the case is ' +
  'about memory.';

/** For a terminal. */
export function plainReport({ cases }: Report): string {
  const parts = [
    plainTable(mainHead, cases.map(mainRow)),
    cellsMean,
    plainTable(detailHead, cases.flatMap(detailRows)),
    remarks(cases).join('\n'),
  ];
  return parts.filter(Boolean).join('\n\n');
}

function machineLines({ machine, command }: Report): string[] {
  const peers = Object.entries(machine.peers).map(([name, version]) => `${name} ${version}`);
  return [
    `- Date: ${machine.date}, revision ${machine.revision}`,
    `- Machine: ${machine.processor}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.system}`,
    `- Node ${machine.node}, rustc ${machine.rustc}`,
    `- Peers: ${peers.join(', ')}`,
    `- Command: \`${command}\``,
  ];
}

const method = `Each case runs in rounds. In each round every contestant has one turn, in a rotating order. The first round is discarded, so the
page cache is warm. Cells show the median over the rounds. Libraries run in a separate process and are timed from the call to the
result in JavaScript; programs are timed from spawn to exit, with their output to \`/dev/null\`. Very short calls are repeated
within a turn, and their median counts. "Asked at once" follows an unrelated query on a new scan; "typed" follows the prefixes of
the same query. Two lines that Debian adds to the top \`.gitignore\` of the kernel (\`/*\` and \`!/debian/\`) were removed: outside a
repository they hide the whole tree. pi-natives runs with \`gitignore: false\`, because it finds nothing there otherwise. fuzzysort
searches a list that was made before. Hits are compared with cairn's; the list below the tables has every difference and
its reason. Each fuzzy finder defines a match differently.`;

/** The text of `bench/RESULTS.md`. */
export function markdownReport(report: Report): string {
  const { cases } = report;
  return `${[
    '# Results',
    machineLines(report).join('\n'),
    `**${goalsLine(cases)}.** ${cellsMean}`,
    markdownTable(mainHead, cases.map(mainRow)),
    '## How it is measured',
    method,
    '## Details',
    markdownTable(detailHead, cases.flatMap(detailRows)),
    remarks(cases)
      .map((line) => `- ${line}`)
      .join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')}\n`;
}
