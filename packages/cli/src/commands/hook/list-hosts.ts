import { HostError, sessionHosts, type ConfigScope, type HostContext, type SessionHost } from '@cairn/hosts';
import { listDocument, writeAnswer } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import type { EntryFlags } from '../mcp/entry-options.ts';
import { editorOf } from '../mcp/show-change.ts';
import { entryTarget } from './run-hook.ts';

interface ListedHost {
  readonly host: string;
  readonly title: string;
  readonly installed: readonly { readonly scope: ConfigScope; readonly path: string }[];
}

function lineOf({ host, title, installed }: ListedHost, isText: boolean): string {
  const name = isText ? `${title}, for every other host` : title;
  const state =
    installed.length === 0 ? 'not installed' : installed.map(({ scope, path }) => `${scope} (${path})`).join(', ');
  return `${host.padEnd(9)}  ${name}: ${state}`;
}

export async function listHosts(context: HostContext, flags: EntryFlags, session: CommandContext): Promise<number> {
  const editor = editorOf(context, {}, session);
  const notices: string[] = [];
  const find = async (host: SessionHost, scope: ConfigScope): Promise<ListedHost['installed']> => {
    try {
      const target = entryTarget({ host, context, flags: { ...flags, scope } });
      const found = await editor.find(target);
      return found ? [{ scope, path: found.path }] : [];
    } catch (error) {
      if (!HostError.isInstance(error)) throw error;
      notices.push(error.message.replace(' was not changed', ' cannot be read'));
      return [];
    }
  };
  const listed: ListedHost[] = [];
  for (const host of sessionHosts) {
    const installed = await Promise.all(host.scopes.map((scope) => find(host, scope)));
    listed.push({ host: host.id, title: host.title, installed: installed.flat() });
  }
  const lines = listed.map((one, index) => lineOf(one, sessionHosts[index]?.delivery === 'text'));
  await writeAnswer(session, flags, {
    lines,
    document: listDocument(listed),
    notices: () => [...notices, "'cairn hook install <host>' installs one"],
  });
  return notices.length > 0 ? ExitCode.Error : ExitCode.Hit;
}
