import { count, formatBytes } from '@cairn/tool/prompt';
import { quotePath } from '@cairn/tool/paths';
import { relative } from 'node:path';
import { isWithin } from '../files/confine.ts';
import type { CommandOutput } from './command-output.ts';
import type { CommandEnd } from './run-command.ts';
import { shownOutput } from './shown-output.ts';

interface AnswerParts {
  readonly end: CommandEnd;
  readonly timeoutMs: number;
  readonly output: CommandOutput;
  readonly withheld: Readonly<Record<string, string | undefined>>;
  /** The root, canonical. */
  readonly cwd: string;
  /** Canonical paths. */
  readonly changedFiles: readonly string[];
}

const MAX_NAMES = 10;

/** UTF-16 code units of the names together. */
const MAX_NAMES_LENGTH = 500;

function formatTime(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  return `${Number((durationMs / 1000).toFixed(1))} s`;
}

function statusOf({ exitCode, signal, timedOut, durationMs }: CommandEnd, timeoutMs: number): string {
  const time = formatTime(durationMs);
  const how = signal === undefined ? undefined : `ended by ${signal}`;
  const code = exitCode === undefined ? undefined : `exit code ${exitCode}`;
  if (!timedOut) {
    const what = how ?? code ?? 'could not be ended';
    return `${what.charAt(0).toUpperCase()}${what.slice(1)} after ${time}.`;
  }
  const outcome = how ?? code ?? 'it could not be ended';
  return `Timed out after ${formatTime(timeoutMs)}, and was ended: ${outcome}. A longer timeout may help.`;
}

/** Returns where the whole output is. */
function keptWhere(output: CommandOutput): string {
  const kept = output.file();
  if (kept === undefined) return '';
  const path = kept.path === undefined ? '' : quotePath(kept.path);
  const reason = kept.problem === undefined ? '' : ` (${kept.problem})`;
  if (kept.path === undefined) return `; the output could not be kept${reason}`;
  const size = formatBytes(output.bytes);
  if (kept.bytes === output.bytes) return `; the whole output, ${size}, is in ${path}`;
  return `; the first ${formatBytes(kept.bytes)} of the output, which has ${size}, are in ${path}${reason}`;
}

function changedNote(files: readonly string[], cwd: string): string {
  const shown: string[] = [];
  let left = MAX_NAMES_LENGTH;
  for (const path of files) {
    const name = quotePath(isWithin(path, cwd) ? relative(cwd, path) : path);
    left -= name.length;
    if (left < 0 || shown.length === MAX_NAMES) break;
    shown.push(name);
  }
  const hidden = files.length - shown.length;
  let names = shown.join(', ');
  if (shown.length === 0) names = files.length === 1 ? 'its name is too long' : 'the names are too long';
  else if (hidden > 0) names += ` and ${hidden} more`;
  const what = files.length === 1 ? 'file that was read is' : 'files that were read are';
  return `[${files.length} ${what} changed or gone: ${names}; read again before you edit]`;
}

/** Writes the answer to a command that ran. */
export function answerOf({ end, cwd, timeoutMs, output, withheld, changedFiles }: AnswerParts): string {
  const { parts, hiddenLines, isBroken } = shownOutput(output, withheld);
  if (hiddenLines > 0 || parts.length > 1 || isBroken || end.held) output.keepFile();
  const [first, second] = parts;
  const lines = [statusOf(end, timeoutMs), first ?? 'No output.'];
  if (second !== undefined) {
    lines.push(`[${hiddenLines} of ${count(output.lines(), 'line')} not shown in full${keptWhere(output)}]`, second);
  }
  if (isBroken) {
    const place = second === undefined ? keptWhere(output) : '';
    lines.push(`[bytes that are not valid UTF-8 are shown as \ufffd${place}]`);
  }
  if (end.held) {
    const path = output.file()?.path;
    const later = path === undefined ? 'its later output is lost' : `its later output goes to ${quotePath(path)}`;
    lines.push(`[a process that the command started still runs and holds the output; ${later}]`);
  }
  if (changedFiles.length > 0) lines.push(changedNote(changedFiles, cwd));
  return lines.join('\n');
}
