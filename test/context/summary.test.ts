import { createView, summarize } from '@cairn/context';
import { textOf } from '@cairn/context/internal';
import type { UnifiedMessage } from '@cairn/context';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { busyChatter, chatter, facts, widerFacts } from './summary-corpus.ts';
import type { Fact } from './summary-corpus.ts';

/** A generator of numbers that is the same everywhere. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function shuffled<Value>(values: readonly Value[], random: (limit: number) => number): Value[] {
  const all = [...values];
  for (let at = all.length - 1; at > 0; at--) {
    const other = random(at + 1);
    [all[at], all[other]] = [all[other] as Value, all[at] as Value];
  }
  return all;
}

type Language = 'en' | 'zh';
type Random = (limit: number) => number;

const say =
  (talk: readonly string[]) =>
  (random: Random): string =>
    talk[random(talk.length)] ?? '';

/** The sentences of talk, by kind. Those of a pattern differ in their numbers. */
const talkOf: Readonly<Record<string, (language: Language, ofHalf: typeof half0) => (random: Random) => string>> = {
  plain: (language, ofHalf) => say(ofHalf(chatter[language])),
  busy: (language, ofHalf) => say([...ofHalf(chatter[language]), ...ofHalf(busyChatter[language])]),
  numbered: (language) => (random) =>
    language === 'en'
      ? `This is message number ${random(1000)}, and nothing new has happened since.`
      : `这是第${random(1000)}条消息，没有什么新情况。`,
};

const half0 = <Value>(values: readonly Value[]): Value[] => values.filter((_, index) => index % 2 === 0);
const half1 = <Value>(values: readonly Value[]): Value[] => values.filter((_, index) => index % 2 === 1);

/** A fact in more words than there is room for. */
function atLength(text: string, language: Language): string {
  const body = text.slice(0, -1);
  return language === 'en'
    ? `After some back and forth, as you remember, ${body}, which we talked about at some length in the meeting.`
    : `经过几轮讨论，${body}，这一点我们在会上也详细谈过。`;
}

interface Case {
  readonly language: Language;
  readonly ofHalf: typeof half0;
  readonly talk: keyof typeof talkOf;
  readonly isLong: boolean;
}

/** Sixty messages: twenty have a fact, alone or between two sentences of talk. */
function conversation(
  { language, ofHalf, talk, isLong }: Case,
  seed: number,
): { messages: UnifiedMessage[]; planted: Fact[] } {
  const random = randomOf(seed);
  const planted = shuffled([...ofHalf(facts[language]), ...ofHalf(widerFacts[language])], random).slice(0, 20);
  const next = talkOf[talk]?.(language, ofHalf) ?? (() => '');
  const join = language === 'en' ? ' ' : '';
  const texts = shuffled(
    [
      ...planted.map(({ text }) => {
        const stated = isLong ? atLength(text, language) : text;
        return random(2) === 0 ? stated : [next(random), stated, next(random)].join(join);
      }),
      ...Array.from({ length: 40 }, () => (random(3) === 0 ? [next(random), next(random)].join(join) : next(random))),
    ],
    random,
  );
  const messages = texts.map((content, index): UnifiedMessage => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  return { messages, planted };
}

const survivors = (text: string, planted: readonly Fact[]): number =>
  planted.filter(({ keys }) => keys.every((key) => text.includes(key))).length;

describe.each([
  ['the half that the signs were adjusted to', half0],
  ['the half that was held out', half1],
] as const)('of 20 facts in 60 messages at least 16 survive: %s', (_name, ofHalf) => {
  test.each([
    ['en', 'plain', false],
    ['en', 'busy', false],
    ['en', 'numbered', false],
    ['en', 'plain', true],
    ['zh', 'plain', false],
    ['zh', 'busy', false],
    ['zh', 'numbered', false],
    ['zh', 'plain', true],
  ] as const)('%s, %s talk, long facts: %s', (language, talk, isLong) => {
    const counts = Array.from({ length: 20 }, (_, seed) => {
      const { messages, planted } = conversation({ language, ofHalf, talk, isLong }, seed + 1);
      const text = summarize(messages, { language });
      expect(text.length).toBeLessThanOrEqual(1500);
      return survivors(text, planted);
    });
    // Measured: 18 at least, 19 on average. The goal is 16.
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(17);
    expect(counts.reduce((sum, count) => sum + count) / counts.length).toBeGreaterThanOrEqual(18.5);
  });
});

/** Clauses that state nothing, as people write them round a fact. */
const clauses: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'as we were saying before lunch',
    'even though a few people were a bit surprised',
    'after the long discussion that went back and forth',
    'which came up again on the call',
    'while the others still had the draft in front of them',
    'given everything that has happened around here',
    'because it seemed the most sensible way to go',
    'so that we can finally get this out of the way',
    'despite the odd complaint here and there',
    'once the dust had settled a little',
    'if I remember the conversation correctly',
    'although it took us quite some time to get there',
  ],
  zh: [
    '正如我们午饭前说到的那样',
    '虽然有几个人感到有点意外',
    '经过反反复复的长时间讨论',
    '电话里又提到了这件事',
    '考虑到最近发生的种种情况',
    '因为这似乎是最合理的办法',
    '这样我们终于可以把它了结',
    '尽管偶尔有些抱怨',
    '等大家冷静下来之后',
    '如果我没记错的话',
    '不过我们花了不少时间才走到这一步',
    '就像另一个团队所希望的',
  ],
};

test.each([
  ['en', 'begins'],
  ['en', 'ends'],
  ['zh', 'begins'],
  ['zh', 'ends'],
] as const)(
  'facts survive in sentences of several hundred characters: %s, where the fact %s the sentence',
  (language, place) => {
    const counts = Array.from({ length: 20 }, (_, seed) => {
      const random = randomOf(seed + 1);
      const planted = shuffled(widerFacts[language], random).slice(0, 20);
      const next = say(chatter[language]);
      const [comma, stop] = language === 'en' ? [', ', '.'] : ['，', '。'];
      const texts = planted.map(({ text }) => {
        const around = shuffled(clauses[language], random).slice(0, 7);
        const fact = text.replace(/[.。]$/u, '');
        return (place === 'begins' ? [fact, ...around] : [...around, fact]).join(comma) + stop;
      });
      const messages = shuffled([...texts, ...Array.from({ length: 40 }, () => next(random))], random).map(
        (content, index): UnifiedMessage => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }),
      );
      return survivors(summarize(messages, { language }), planted);
    });
    // Measured: 16 to 18 on average. They have four times the characters of the summary.
    expect(counts.reduce((sum, count) => sum + count) / counts.length).toBeGreaterThanOrEqual(16);
  },
);

test('a sentence that is shortened keeps its numbers as they are', () => {
  const messages = Array.from({ length: 40 }, (_, index): UnifiedMessage => ({
    role: 'user',
    content: `Customer ${String.fromCodePoint(65 + index)}x may send 1,250,${100 + index} requests, as we were saying before lunch, which came up again on the call, if I remember the conversation correctly, given everything that has happened around here.`,
  }));
  const text = summarize(messages);
  expect(text).toMatch(/1,250,1\d\d/u);
  expect(text).not.toMatch(/1, 250|250, 1/u);
});

test('talk that repeats never displaces a fact, also one without numbers, names or a full stop', () => {
  const planted = [
    'We decided to use pnpm instead of npm',
    'I prefer tabs over spaces',
    'The main branch is protected',
    'Kafka was rejected because of cost',
    'Our staging host is staging.acme.io',
    'Sessions live in Redis',
    'Bob is on vacation',
    'The logo is green',
    'Never deploy on Fridays',
    'Deployments go through ArgoCD',
    'Legacy code is in the attic folder',
    'Alice leads design',
    'No third-party cookies',
    'Invoices are sent by post',
  ];
  const talk = [
    'Great, sounds good to me!',
    'okay then',
    'Thanks!',
    'I will get to it',
    'Could you check that?',
    'Sure thing',
  ];
  const random = randomOf(7);
  const texts = shuffled([...planted, ...Array.from({ length: 46 }, () => say(talk)(random))], random);
  const text = summarize(texts.map((content): UnifiedMessage => ({ role: 'user', content })));
  expect(planted.filter((fact) => !text.includes(fact))).toEqual([]);
  expect(talk.filter((sentence) => text.includes(sentence))).toEqual([]);
});

test('names the speakers, in order, and repeats nothing', () => {
  const messages: UnifiedMessage[] = [
    { role: 'user', content: 'By the way, the port is 5433. Thanks!' },
    { role: 'assistant', content: 'Noted: the port is 5433. The host is db.example.com.' },
    { role: 'user', content: 'Deploy to staging only.', providerOptions: { cairn: { agent: 'ops' } } },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Staging runs version 4.' },
        { type: 'tool-call', toolCallId: '1', toolName: 'read', input: { path: 'secret-7.txt' } },
      ],
      providerOptions: { cairn: { agent: 'ops' } },
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: '1', toolName: 'read', output: { type: 'text', value: 'The code is 9.' } },
      ],
    },
  ];
  expect(summarize(messages)).toBe(
    [
      'user: By the way, the port is 5433.',
      'assistant: The host is db.example.com.',
      'user @ops: Deploy to staging only.',
      'ops: Staging runs version 4.',
    ].join('\n'),
  );
  expect(summarize(messages, { language: 'zh' })).toMatch(/^用户: By/u);
});

test('does not take a statement for the repetition of its opposite', () => {
  const messages: UnifiedMessage[] = [
    { role: 'user', content: 'Use Redux for this.' },
    { role: 'user', content: 'Do not use Redux for this.' },
  ];
  expect(summarize(messages)).toBe('user: Use Redux for this. Do not use Redux for this.');
});

test('a conversation of talk alone has a summary too, and an empty one has none', () => {
  expect(summarize([{ role: 'user', content: 'Thanks!' }])).toBe('user: Thanks!');
  expect(summarize([])).toBe('');
});

test('blocks of code are not read', () => {
  const content = 'The port is 5433.\n```ts\nconst port = 9999;\n```\nThe host is ok7.';
  expect(summarize([{ role: 'assistant', content }])).toBe('assistant: The port is 5433. The host is ok7.');
});

test('any text: within the limit, no half of a surrogate pair, and the same each time', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 400 }),
    fc.string({ unit: fc.constantFrom('😀', '表', 'a', ' ', '.', '。', '7', '\n', '```'), maxLength: 2000 }),
  );
  const messages = fc.array(
    fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content: text }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(messages, fc.integer({ min: 100, max: 1500 }), (all, maxCharacters) => {
      const result = summarize(all, { maxCharacters });
      expect(result.length).toBeLessThanOrEqual(maxCharacters);
      expect(Buffer.from(result).toString()).toBe(result);
      expect(summarize(structuredClone(all), { maxCharacters })).toBe(result);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['a fraction', 100.5],
  ['less than 100', 99],
])('rejects %s of characters', (_name, maxCharacters) => {
  expect(() => summarize([], { maxCharacters })).toThrow(/^Invalid maxCharacters \d/u);
});

test('a statement that many messages repeat does not count more than others, but less', () => {
  const planted = facts.en.slice(0, 22).map(({ text }) => text);
  const names = ['Ann', 'Bert', 'Cleo', 'Dirk', 'Emma', 'Finn', 'Gina', 'Hugo', 'Iris', 'Jack', 'Kate', 'Leon'];
  const slogans = names.flatMap((name, index) => [
    `The run of ${name} is at stage ${index} and all of it is green.`,
    `The door on floor ${index} is for ${name} and has a bell.`,
  ]);
  const random = randomOf(13);
  const texts = shuffled([...planted, ...slogans, ...slogans, ...slogans, ...slogans], random);
  const text = summarize(texts.map((content): UnifiedMessage => ({ role: 'user', content })));
  expect(planted.filter((fact) => text.includes(fact)).length).toBeGreaterThanOrEqual(20);
});

test('facts that differ in their numbers alone survive', () => {
  const planted = Array.from({ length: 20 }, (_, index) => `The port of service ${index} is ${5000 + index}.`);
  const random = randomOf(3);
  const talk = ['Okay.', 'Thanks, that helps!', 'Let me see.', 'Could you check that again?', 'I am on it now.'];
  const texts = shuffled([...planted, ...Array.from({ length: 40 }, () => say(talk)(random))], random);
  const text = summarize(texts.map((content): UnifiedMessage => ({ role: 'user', content })));
  expect(planted.filter((fact) => !text.includes(fact))).toEqual([]);
});

test('a summary of a conversation that grew is the one that is made at once', () => {
  const random = randomOf(11);
  const texts = [...facts.en, ...facts.zh, ...widerFacts.en, ...widerFacts.zh].map(({ text }) => text);
  const talk = [...busyChatter.en, ...busyChatter.zh, ...chatter.en, ...chatter.zh];
  const main = Array.from({ length: 1500 }, (): UnifiedMessage => ({
    role: random(2) === 0 ? 'user' : 'assistant',
    content: `${say(talk)(random)} ${say(texts)(random).replace('5', String(random(50)))} ${say(talk)(random).toUpperCase()}`,
  }));
  const grown: UnifiedMessage[] = [];
  for (const [index, message] of main.entries()) {
    grown.push(message);
    if (index % 97 !== 0 && index !== main.length - 1) continue;
    const view = createView({ mode: 'summarized', main: grown, own: [] });
    expect(view.messages).toEqual(createView({ mode: 'summarized', main: [...grown], own: [] }).messages);
    expect(textOf(view.messages[0] as UnifiedMessage)).toContain(
      summarize(grown.slice(0, view.details.summary?.messages ?? 0)),
    );
  }
});
