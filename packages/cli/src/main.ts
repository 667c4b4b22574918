import process from 'node:process';
import { keepCompiled } from './terminal/compile-cache.ts';

const [command, subcommand, ...rest] = process.argv.slice(2);
const asksForHelp = rest.includes('--help') || rest.includes('-h');

// A host waits for this command at the start of each session, so it loads only what it needs.
if (command === 'hook' && subcommand === 'session-start' && !asksForHelp) {
  await import('./commands/hook/session-start-process.ts');
} else {
  keepCompiled(process.env, process.platform);
  await import('./start.ts');
}
