import { invalidPatch, patchLines, shown, type FilePatch } from './file-patch.ts';
import { filePatchOf, readUnifiedFile, requireSupported, type UnifiedFile } from './unified-file.ts';
import { isBlank, isFileStart, isSignature, notInHunk, readUnifiedHunk } from './unified-hunk.ts';

/** Lines that programs write between the files of a diff, and that say nothing else. */
const harmless = /^(?:Index: |={10,}$|diff -|RCS file: |retrieving revision )/u;

/** The first line of a commit that git shows. Its message is indented. */
const commitStart = /^commit [\da-f]{40}/u;

/** The first line of a mail. In its message, any line may follow that does not look like a part of a diff. */
const mailStart = /^From [\da-f]{40} /u;

/** The same for a mail that lost the line above its headers; only at the start of the text. */
const mailHeader = /^(?:From|Date|Subject|Message-I[Dd]): /u;

/** A line of text around a patch that could be a change. */
const change = /^(?:[-+]|\s*\*\*\* (?:Begin|End|Add|Update|Delete|Move|End of) )/u;

/** The same in a mail, which may have lists and a line of dashes. */
const changeInMail = /^(?:--- \S|\+\+\+ \S|@@)/u;

/** The line that ends a block of Markdown or a here-document which starts with a line; `undefined` for any other line. */
function endOfBlock(line: string): string | undefined {
  return /^\s*(`{3,}|~{3,})/u.exec(line)?.[1] ?? /<<-?\s*['"]?(\w+)['"]?\s*$/u.exec(line)?.[1];
}

/**
 * Parses a unified diff of git or `diff -u`. Each line is part of a file, known to say nothing, or rejected.
 *
 * @throws {ToolError} `INVALID_PATCH`, naming the line.
 */
export function parseUnified(text: string): FilePatch[] {
  const reader = patchLines(text);
  const patches: FilePatch[] = [];
  let file: UnifiedFile | undefined;
  let block: { readonly end: string; readonly lineNumber: number } | undefined;
  let isMail = mailHeader.test(reader.lines.find((line) => !isBlank(line)) ?? '');
  const flush = (): void => {
    if (file) patches.push(filePatchOf(file));
    file = undefined;
  };
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? '';
    const lineNumber = reader.at + 1;
    if (isFileStart(reader, reader.at)) {
      flush();
      file = readUnifiedFile(reader);
      isMail = false;
      continue;
    }
    if (line.startsWith('@@')) {
      if (!file) throw invalidPatch("a hunk without '---' and '+++' above it", lineNumber);
      file.hunks.push(readUnifiedHunk(reader));
      continue;
    }
    reader.at++;
    if (isBlank(line)) continue;
    if (isSignature(reader, lineNumber - 1)) {
      flush();
      reader.at++;
    } else if (commitStart.test(line) || mailStart.test(line)) {
      flush();
      isMail = mailStart.test(line);
    } else if (block && line.trim() === block.end) {
      flush();
      block = undefined;
    } else if (isMail) {
      if (changeInMail.test(line)) throw notInHunk(line, lineNumber);
    } else {
      requireSupported(line, lineNumber);
      if (file ? !harmless.test(line) : change.test(line)) throw notInHunk(line, lineNumber);
      const end = file || block ? undefined : endOfBlock(line);
      if (end !== undefined) block = { end, lineNumber };
      flush();
    }
  }
  flush();
  if (block && patches.length > 0) {
    const what = `${shown(block.end)} does not end what starts here, so the patch may be cut off`;
    throw invalidPatch(what, block.lineNumber);
  }
  return patches;
}
