/**
 * Edits files of every kind with our tools and with others, and reports the faults.
 *
 *     npm run bench -- edit-matrix [--case <part of a title>]... [--markdown bench/EDIT-MATRIX.md]
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type, release } from 'node:os';
import { parseArgs } from 'node:util';
import { cases } from './cases.ts';
import { runCase } from './judge.ts';
import type { Verdict } from './judge.ts';
import { loadProducts } from './products.ts';
import type { Loaded } from './products.ts';

interface Row {
  readonly title: string;
  /** By product. */
  readonly verdicts: readonly (Verdict | undefined)[];
}

function cell(verdict: Verdict | undefined): string {
  if (verdict === undefined) return '?';
  if (verdict.kind === 'ok') return 'ok';
  return verdict.kind === 'refused' ? `rejects: ${verdict.text}` : `**wrong**: ${verdict.text}`;
}

function summary(rows: readonly Row[], products: readonly Loaded[]): string[] {
  return products.map(({ name }, index) => {
    const kinds = rows.map(({ verdicts }) => verdicts[index]?.kind);
    const count = (kind: Verdict['kind']): number => kinds.filter((one) => one === kind).length;
    return `${name}: ${count('ok')} of ${rows.length} ok, ${count('refused')} rejected, ${count('wrong')} wrong`;
  });
}

function table(rows: readonly Row[], products: readonly Loaded[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text) => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`;
  const head = ['case', ...products.map(({ name }) => name)];
  return [
    line(head),
    line(head.map(() => '---')),
    ...rows.map(({ title, verdicts }) => line([title, ...verdicts.map(cell)])),
  ].join('\n');
}

function plain(rows: readonly Row[], products: readonly Loaded[]): string {
  const cells = [
    ['case', ...products.map(({ name }) => name)],
    ...rows.map(({ title, verdicts }) => [title, ...verdicts.map((one) => cell(one).replaceAll('**', ''))]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return cells.map(line).join('\n');
}

const explanation = `Each case has a separate directory with files, links and modes, calls some tools of a product, and judges the bytes on the disk and
the last answer. **wrong**: the product damaged something, did something that it should not do, or gave a misleading answer.
rejects: the product damaged nothing, but did not do the task. Where a rejection is the right result, it is ok.
\`server-filesystem\` runs over stdio as hosts run it, with the root as its allowed directory; the tools of \`pi-coding-agent\` are
called in process, with the root as working directory. The tools of pi have no sandbox, and neither product remembers what was
read: rows about these show the consequences of a missing feature, not a bug.`;

function report(rows: readonly Row[], products: readonly Loaded[], command: string): string {
  const revision = spawnSync('git', ['describe', '--always', '--dirty'], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  }).stdout.trim();
  const facts = [
    `Date: ${new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)}, revision ${revision}`,
    `Node ${process.versions.node}, ${type()} ${release()}`,
    ...(process.getuid?.() === 0
      ? ['Run as root, which may write read-only files: a tool that rejects one has checked its mode']
      : []),
    `Products: ${products.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
    `Command: \`${command}\``,
  ];
  const parts = [
    '# The failure matrix of file edits',
    facts.map((fact) => `- ${fact}`).join('\n'),
    `**${summary(rows, products).join('; ')}.**`,
    explanation,
    table(rows, products),
  ];
  return `${parts.join('\n\n')}\n`;
}

const { values } = parseArgs({
  options: {
    case: { type: 'string', multiple: true, default: [] },
    markdown: { type: 'string' },
  },
});
const products = await loadProducts();
const chosen = cases.filter(
  ({ title }) => values.case.length === 0 || values.case.some((part) => title.includes(part)),
);
const rows: Row[] = [];
for (const one of chosen) {
  const verdicts: Row['verdicts'][number][] = [];
  for (const { product } of products) verdicts.push(product && (await runCase(one, product)));
  rows.push({ title: one.title, verdicts });
}
const command = ['npm run bench -- edit-matrix', ...process.argv.slice(2)].join(' ');
if (values.markdown !== undefined) writeFileSync(values.markdown, report(rows, products, command));
process.stdout.write(`${plain(rows, products)}\n\n${summary(rows, products).join('\n')}\n`);
process.exitCode = rows.length > 0 && rows.every(({ verdicts }) => verdicts[0]?.kind === 'ok') ? 0 : 1;
