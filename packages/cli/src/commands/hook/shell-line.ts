import { shellQuote } from '../../terminal/shell-quote.ts';

function quoteForWindows(word: string): string {
  return /^[\w@%+=:,./\\-]+$/u.test(word) ? word : `"${word}"`;
}

/**
 * Returns words as one line for the shell that a host runs hooks with: `sh`, on Windows Git Bash, PowerShell or `cmd`.
 *
 * An MCP server is started without a shell, so that its command line begins with `cmd /c` on Windows. A shell needs no second one,
 * and Git Bash would take `/c` for a path.
 */
export function shellLine(words: readonly string[], platform: NodeJS.Platform): string {
  if (platform !== 'win32') return words.map(shellQuote).join(' ');
  const [command, option, ...rest] = words;
  return (command === 'cmd' && option === '/c' ? rest : words).map(quoteForWindows).join(' ');
}
