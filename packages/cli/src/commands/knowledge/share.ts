import type { ShareResult } from '@cairn/knowledge';
import { askPerson } from '../../terminal/ask.ts';
import { CommandError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { filled, splitValues } from '../../terminal/options.ts';
import type { CommandFactory } from '../command.ts';
import { onFact } from '../memory/find-by-id.ts';
import { placeOptions, projectOption } from '../memory/options.ts';
import { openMemory } from '../memory/store.ts';
import { askFields } from './ask-fields.ts';
import { assetDocument } from './assets.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { areaOption, READ_TYPES, typeOption } from './options.ts';
import { refuseSimilarAssets } from './similar.ts';

/** Returns the notices about a shared fact. */
function linesOf(fact: string, { kind, asset, differs }: Exclude<ShareResult, { kind: 'similar' }>): string[] {
  const { id, status, supersededBy } = asset;
  const update = `'cairn knowledge share ${fact} --update' gives it the text of the fact`;
  const lines = {
    added: `shared as ${id}; 'cairn knowledge show ${id}' shows it, and the fact stays`,
    updated: `updated ${id}, which now has the text of the fact`,
    present: `${fact} is the asset ${id} already; nothing was changed`,
    older: `the asset ${id} has an older text of ${fact}; nothing was changed: ${update}`,
    edited: `the asset ${id} was made of ${fact} and edited after it; nothing was changed: ${update}`,
  } as const;
  const state = supersededBy === undefined ? 'deprecated' : `superseded by ${supersededBy}`;
  return [
    lines[differs ?? kind],
    ...(status === 'active'
      ? []
      : [`${id} is ${state}, so searches do not find it; 'cairn knowledge deprecate ${id} --active' undoes that`]),
  ];
}

export const knowledgeShareCommand: CommandFactory = knowledgeCommand({
  description:
    'Share a fact with the team: make an asset of it. In a terminal it asks for title, type and area, with defaults. The fact stays, and sharing it again changes nothing, except with --update.',
  summary: 'share a fact with the team, as an asset',
  args: [['<id>', "the fact, as 'cairn recall' prints it"]],
  options: [
    ['--title <title>', 'title of one line (default: the first line of the fact)', filled],
    typeOption(`type: ${READ_TYPES.join(', ')} (default: note)`),
    areaOption('area, such as exchange/core (default: general)'),
    ['--name <name>', 'name (default: the words of the title)', filled],
    ['--tag <name>', 'add a tag; repeat it for more (default: the tags of the fact)', splitValues],
    ['--new', 'share it although similar assets exist'],
    ['--allow-secret', 'share a fact that may have a key, token or password'],
    ['--update', 'give its asset the text of the fact, which was changed since'],
    projectOption,
    ...placeOptions,
  ],
  writes: true,
  run: async ({ knowledge, context, signal, print, notice }, flags, id) => {
    const { title, type, area, name, tag: tags, new: isNew, update, allowSecret, json } = flags;
    const { memory, where, isAbsent } = await openMemory(context, flags, {
      onUnreadable: notice,
      directory: context.cwd,
    });
    try {
      if (isAbsent()) {
        const fix = "'cairn memory remember <text>' keeps a fact";
        const message = `unknown fact ${JSON.stringify(id)}: there is no memory at ${where}`;
        throw new CommandError({ code: 'UNKNOWN_FACT', message, fix, changed: false });
      }
      await onFact(memory, { id, signal }, () => memory.facts.get(id, { signal }));
      const [{ share }, { hasTeam }] = await Promise.all([
        import('@cairn/knowledge'),
        import('@cairn/knowledge/internal'),
      ]);
      const call = { memory, knowledge, name, tags, isNew, update, allowSecret, signal };
      const given = { title, type, area };
      const isOpen = [title, type, area].includes(undefined) && json !== true;
      // A fact that cannot be shared, or that is an asset, needs no answers.
      const checked = await share(id, { ...call, title, type, productLine: area, isNew: true, dryRun: true });
      const asked =
        isOpen && checked.kind === 'added'
          ? await askPerson(context, (prompter) => askFields(prompter, given, checked.asset.title))
          : undefined;
      const fields = asked ?? given;
      const result = await share(id, { ...call, title: fields.title, type: fields.type, productLine: fields.area });
      if (result.kind === 'similar') throw refuseSimilarAssets(result.similar, notice, '--new to share it anyway');
      const { asset, kind, differs } = result;
      for (const line of linesOf(id, result)) notice(line);
      if (!asset.isPromoted) {
        notice(
          hasTeam(knowledge.directory)
            ? "the team gets it with 'cairn knowledge team push'"
            : "it is on this machine only: 'cairn knowledge team init <url>' shares assets in a git repository",
        );
      }
      const state = { isNew: kind === 'added', isUpdated: kind === 'updated', ...(differs && { differs }) };
      await print([asset.id], { ...(await assetDocument(asset)), ...state });
      // The team does not get the text of the fact.
      return differs === undefined ? ExitCode.Hit : ExitCode.None;
    } finally {
      await memory.close();
    }
  },
});
