import type { ToolRunOptions, ToolSuccess } from '@cairn/tool';
import type { SessionRecall } from '@cairn/memory/tools';
import type { Language } from '@cairn/tool/kernel';
import type { Knowledge } from '../create-knowledge.ts';
import type { Stack } from '../stack/stack.ts';
import type { SessionReader } from './session-reader.ts';
import type { ToolTexts } from './texts.ts';

/** What the tools of one session share. */
export interface ToolContext {
  readonly open: () => Promise<Knowledge>;
  readonly language: Language;
  readonly texts: ToolTexts;
  readonly reader: SessionReader;
  readonly session: string;
  /** Whether the session changes nothing: then neither gaps nor openings are recorded. */
  readonly readOnly: boolean;
  readonly stack: () => Promise<Stack | undefined>;
  /** Reads a fact or a message of the session by its id; `undefined` when there is none. */
  readonly readMemory: SessionRecall['read'];
}

export type RunCall = Pick<ToolRunOptions, 'signal' | 'dryRun'>;

/** The details are for programs: MCP clients get the details of a search as structured content. */
export type Answer = Promise<ToolSuccess<object>>;

/** The parameters that name an asset, or select some. */
export interface AssetSelection {
  readonly product_line?: string | undefined;
  readonly type?: string | undefined;
}

/** Joins the lines of an answer that are not empty. */
export function joined(lines: readonly string[]): string {
  return lines.filter((line) => line !== '').join('\n');
}
