import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PHASES } from './detect-phase.ts';
import { phaseTexts } from './phase-texts.ts';
import { SKILL_NAMES } from './skill-texts.ts';
import { skills } from './skills.ts';

const languages = ['en', 'zh'] as const;
const all = languages.flatMap((language) => skills({ language }).map((skill) => ({ language, ...skill })));

test.each(all)('$name, $language: the file is the expected one, and its front matter parses', (skill) => {
  const golden = new URL(
    `../../../../test/knowledge/goldens/skill-${skill.name}.${skill.language}.txt`,
    import.meta.url,
  );
  expect(skill.text).toBe(readFileSync(golden, 'utf8'));
  const [, front = '', body = ''] = skill.text.split(/^---\n/mu);
  expect(parse(front)).toEqual({ name: skill.name, description: skill.description });
  expect(body).toBe(`\n${skill.body}`);
});

test.each(all)('$name, $language: hosts accept the name and the length of the description', ({ name, description }) => {
  expect(name).toMatch(/^[a-z\d]+(?:-[a-z\d]+)*$/u);
  expect(description.length).toBeLessThanOrEqual(1024);
  expect(description).not.toContain('\n');
});

describe('the descriptions that the source gives', () => {
  const [router, , sink] = skills();
  test('agent-router', () => {
    expect(router?.description).toBe(
      '**REQUIRED at conversation start** - Detect task type, recommend workflow, and route to appropriate tools. This skill MUST be invoked before any development work begins.',
    );
  });
  test('knowledge-sink', () => {
    expect(sink?.description).toBe(
      '**REQUIRED when valuable insights emerge** - Capture pitfalls, decisions, patterns to knowledge base. Prefer sinking knowledge over losing it.',
    );
  });
});

test.each(languages)(
  '%s: the first 600 characters of agent-router have six kinds, each with a skill or a tool',
  (language) => {
    const [router] = skills({ language });
    const lines =
      router?.body
        .slice(0, 600)
        .split('\n')
        .filter((line) => /^\d\. /u.test(line)) ?? [];
    expect(lines.length).toBe(6);
    const targets = /`(?:get_asset|search_knowledge|scan_index|sink_asset|phase-detector|knowledge-sink)`/u;
    for (const line of lines) expect(line).toMatch(targets);
    expect(router?.body.slice(0, 600)).toContain(lines[5]);
    expect(router?.body.split('\n')).toEqual(expect.arrayContaining(lines));
  },
);

test.each(languages)('%s: phase-detector describes every phase, and names the command that was given', (language) => {
  const detector = skills({ language, command: 'npx -y @cairn/cli' }).find(({ name }) => name === 'phase-detector');
  expect(detector?.body).toContain('\nnpx -y @cairn/cli hook phase');
  for (const phase of PHASES) expect(detector?.body).toContain(`**${phase}**`);
  expect(Object.keys(phaseTexts[language]).toSorted()).toEqual([...PHASES].toSorted());
});

test.each(languages)('%s: knowledge-sink asks for the type, the product line and the evidence', (language) => {
  const sink = skills({ language }).find(({ name }) => name === 'knowledge-sink');
  const asked = sink?.body.split('\n').filter((line) => /^\d\. \*\*/u.test(line)) ?? [];
  const words = language === 'en' ? ['Type', 'Product line', 'Evidence'] : ['类型', '产品线', '证据'];
  expect(asked.map((line) => /\*\*(.+?)\*\*/u.exec(line)?.[1])).toEqual(words);
});

test.each(languages)('%s: every command line in a skill begins with the command that was given', (language) => {
  const command = '/opt/clone/bin/cairn';
  const plain = skills({ language }).map(({ text }) => text.replaceAll(/cairn (?=hook |knowledge )/gu, `${command} `));
  expect(skills({ language, command }).map(({ text }) => text)).toEqual(plain);
});

test('equal options give equal bytes, in the order of the names', () => {
  expect(skills()).toEqual(skills({ language: 'en', command: 'cairn' }));
  expect(skills().map(({ name }) => name)).toEqual([...SKILL_NAMES]);
});
