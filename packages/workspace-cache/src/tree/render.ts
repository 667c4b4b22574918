import type { Choice } from './choose.ts';
import { ROOT, type Layout } from './layout.ts';

/** Writes the chosen entries, one a line, without a line end after the last. */
export function renderTree(layout: Layout, { isShown, shown }: Choice): string[] {
  const { format, texts, children, totals, labels } = layout;
  const lines: string[] = [];

  const visit = (directory: number, prefix: string): void => {
    const nodes = (children[directory] ?? []).filter((node) => isShown[node] === 1);
    if (nodes.length === 0) return;
    const hidden = (totals[directory] ?? 0) - nodes.length;
    for (const [index, node] of nodes.entries()) {
      const isLast = hidden === 0 && index === nodes.length - 1;
      const label = labels[node] ?? '';
      const total = totals[node] ?? 0;
      const count = total > 0 && shown[node] === 0 ? ` (${total})` : '';
      if (format === 'box') {
        lines.push(`${prefix}${isLast ? '└── ' : '├── '}${label}${count}`);
        visit(node, `${prefix}${isLast ? '    ' : '│   '}`);
      } else {
        lines.push(`${prefix}${label}${count}`);
        visit(node, `${prefix}${format === 'indent' ? '  ' : label}`);
      }
    }
    if (hidden > 0) lines.push(`${prefix}${format === 'box' ? '└── ' : ''}${texts.more(hidden)}`);
  };
  visit(ROOT, '');
  return lines;
}
