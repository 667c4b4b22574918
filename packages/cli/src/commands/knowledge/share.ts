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

export const knowledgeShareCommand: CommandFactory = knowledgeCommand({
  description:
    'Share a fact with the team: make an asset of it. In a terminal it asks for title, type and area, with defaults. The fact stays, and sharing it again changes nothing.',
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
    projectOption,
    ...placeOptions,
  ],
  writes: true,
  run: async ({ knowledge, context, signal, print, notice }, flags, id) => {
    const { title, type, area, name, tag: tags, new: isNew, allowSecret, json } = flags;
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
      const call = { memory, knowledge, name, tags, isNew, allowSecret, signal };
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
      const { asset, kind } = result;
      if (kind === 'present') notice(`${id} is the asset ${asset.id} already; nothing was changed`);
      else notice(`shared as ${asset.id}; 'cairn knowledge show ${asset.id}' shows it, and the fact stays`);
      if (!asset.isPromoted) {
        notice(
          hasTeam(knowledge.directory)
            ? "the team gets it with 'cairn knowledge team push'"
            : "it is on this machine only: 'cairn knowledge team init <url>' shares assets in a git repository",
        );
      }
      await print([asset.id], { ...(await assetDocument(asset)), isNew: kind === 'added' });
      return ExitCode.Hit;
    } finally {
      await memory.close();
    }
  },
});
