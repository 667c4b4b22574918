import { join } from 'node:path';
import { openSkills, type SessionHost } from '../session-host.ts';

/**
 * `AGENTS.md` of a project. Codex, Cursor, VS Code, opencode and others read it at the start of a session; Gemini CLI does when
 * `context.fileName` names it. No file of this name exists that every host reads for all projects of a user.
 *
 * @see https://agents.md
 */
export const agentsMd: SessionHost = {
  id: 'agents-md',
  title: 'AGENTS.md',
  delivery: 'text',
  scopes: ['project'],
  entry: {
    id: 'section',
    format: 'section',
    files: (_, { project }) => [join(project, 'AGENTS.md')],
    path: (name) => [name],
    // A mark in the text would end the section.
    render: (text) =>
      text
        .replaceAll(/\r\n?/gu, '\n')
        .replace(/\n+$/u, '')
        .replaceAll(/^<!--(?= cairn-)/gmu, '<! --'),
    conflictingKeys: [],
    nextStep: () => 'start a session in this directory; run the command again when the knowledge has changed',
  },
  skills: openSkills,
};
