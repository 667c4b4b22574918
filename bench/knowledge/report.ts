function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Formats a Markdown table. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(header), row(header.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');
}

export function ms(value: number): string {
  return `${value < 1 ? value.toFixed(3) : value.toFixed(1)} ms`;
}

export function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
