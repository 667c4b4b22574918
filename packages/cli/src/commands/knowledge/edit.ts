import type { Asset } from '@cairn/knowledge';
import { applyOption, editText, notApplied, readKept } from '../../terminal/editor.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { CommandFactory } from '../command.ts';
import { assetDocument, findAsset } from './assets.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { assetArgument } from './options.ts';

/** Returns the fix that applies an edited text that was kept. */
function applyFixOf({ id }: Asset): (file: string) => string {
  return (file) => `run 'cairn knowledge edit ${shellQuote(id)} --apply ${shellQuote(file)}' with the same options`;
}

export const knowledgeEditCommand: CommandFactory = knowledgeCommand({
  description: 'Edit an asset in VISUAL or EDITOR. Another name or area (product_line) in its front matter renames it.',
  summary: 'edit an asset in your editor',
  args: [assetArgument],
  options: [applyOption],
  run: async ({ knowledge, context, signal, print, notice }, { apply }, given) => {
    const asset = await findAsset(knowledge, given, signal);
    const applyFix = applyFixOf(asset);
    const edit = { name: `${asset.name}.md`, instead: "use 'cairn knowledge add' with a file", applyFix };
    const edited =
      apply === undefined
        ? await editText(asset.text, context, edit)
        : await readKept(apply, context, { command: 'cairn knowledge edit' });
    if (edited === undefined) {
      notice('the text was not changed; nothing was done');
      await print([], { ...(await assetDocument(asset)), changed: false });
      return ExitCode.None;
    }
    const { file, text, original, remove } = edited;
    const { hashOf } = await import('@cairn/knowledge/internal');
    const changed = await knowledge.store
      .change(asset.id, { text }, { expected: hashOf(original), signal })
      .catch((error: unknown) => Promise.reject(notApplied(error, file, applyFix)));
    await remove();
    notice(changed.id === asset.id ? `changed ${asset.id}` : `renamed ${asset.id} to ${changed.id}`);
    await print([changed.id], { ...(await assetDocument(changed)), changed: true });
    return ExitCode.Hit;
  },
});
