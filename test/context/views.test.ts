/** What each mode shows: nothing more than its row allows, always as a provider accepts it, and with the same beginning. */
import { createView, MODES } from '@cairn/context';
import { textOf, tokensOf, turnsOf } from '@cairn/context/internal';
import type { ContextMode, ToolResultPart, UnifiedMessage, ViewOptions } from '@cairn/context';
import { generateText } from 'ai';
import type { ModelMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { historyOf, PATTERN, tokensIn, turnsArbitrary } from './random-histories.ts';

const modes = Object.keys(MODES) as ContextMode[];

const options: fc.Arbitrary<Omit<ViewOptions, 'mode'>> = fc.record(
  {
    main: historyOf('main'),
    own: historyOf('own'),
    language: fc.constantFrom('en' as const, 'zh' as const),
    agent: fc.constantFrom('backend', 'other'),
    window: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    sharePatterns: fc.constant([PATTERN]),
    summarizeAfter: fc.integer({ min: 1, max: 12 }),
    maxTokens: fc.constantFrom(32_000, 32_000, 4000, 1000, 300),
    promptTokens: fc.integer({ min: 0, max: 300 }),
  },
  {
    requiredKeys: [
      'main',
      'own',
      'language',
      'agent',
      'window',
      'sharePatterns',
      'summarizeAfter',
      'maxTokens',
      'promptTokens',
    ],
  },
);

const shownBy = (mode: ContextMode, given: Omit<ViewOptions, 'mode'>): string[] =>
  tokensIn(createView({ ...given, mode }));

describe('nothing leaks', () => {
  test.each(['isolated', 'handback'] as const)('%s shows nothing of main', (mode) => {
    fc.assert(
      fc.property(options, (given) => {
        expect(shownBy(mode, given).filter((token) => token.startsWith('main'))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test.each(['shared', 'fork'] as const)('%s shows nothing of the own history', (mode) => {
    fc.assert(
      fc.property(options, (given) => {
        expect(shownBy(mode, given).filter((token) => token.startsWith('own'))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('selective shows only sentences of main that match', () => {
    fc.assert(
      fc.property(options, (given) => {
        expect(shownBy('selective', given).filter((token) => /^main[^s]/u.test(token))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('selective without patterns shows nothing of main', () => {
    fc.assert(
      fc.property(options, (given) => {
        expect(
          shownBy('selective', { ...given, sharePatterns: [] }).filter((token) => token.startsWith('main')),
        ).toEqual([]);
      }),
    );
  });

  test('summarized shows only texts of main', () => {
    fc.assert(
      fc.property(options, (given) => {
        expect(shownBy('summarized', given).filter((token) => token.startsWith('mainx'))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test.each(modes)('%s with a window shows only its range', (mode) => {
    fc.assert(
      fc.property(options, fc.integer({ min: 1, max: 30 }), (given, window) => {
        const { reads } = MODES[mode];
        const history = reads === 'main' ? given.main : given.own;
        // The slow model: the last messages, and back to the beginning of the turn.
        let start = Math.max(0, history.length - window);
        const turns = turnsOf(history);
        let before = 0;
        for (const turn of turns) {
          if (before <= start && start < before + turn.length) start = before;
          before += turn.length;
        }
        const older = tokensIn(history.slice(0, start));
        // A result that came late belongs to the turn of its call.
        const kept = new Set(tokensIn(history.slice(start)));
        const shown = shownBy(mode, { ...given, window });
        expect(shown.filter((token) => older.includes(token) && !kept.has(token))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('nothing is lost', () => {
  const wide = options.map((given) => ({ ...given, maxTokens: 1_000_000, window: undefined, promptTokens: 0 }));
  /** Reasoning of another agent is not shown; a result without a call has no place. */
  const textsOf = (history: readonly UnifiedMessage[]): string[] =>
    history.flatMap((message) => (message.role === 'tool' ? [] : tokensIn(textOf(message))));

  test.each(modes)('%s shows every text that it reads, in order', (mode) => {
    fc.assert(
      fc.property(wide, (given) => {
        const { reads } = MODES[mode];
        const history = reads === 'main' ? given.main : given.own;
        const texts = textsOf(history);
        const shown = createView({ ...given, mode });
        const list = shownBy(mode, given).filter((token) => texts.includes(token));
        expect(list).toEqual(texts);
        expect(shown.details.leftOut.filter(({ reason }) => reason === 'budget' || reason === 'window')).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('selective shows every sentence of main that matches, in order', () => {
    fc.assert(
      fc.property(wide, (given) => {
        const expected = textsOf(given.main).filter((token) => token.startsWith('mains'));
        expect(shownBy('selective', given).filter((token) => token.startsWith('main'))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test('summarized shows the newer texts of main whole', () => {
    fc.assert(
      fc.property(wide, (given) => {
        const view = createView({ ...given, mode: 'summarized' });
        const newer = textsOf(given.main.slice(view.details.summary?.messages ?? 0));
        const shown = new Set(tokensIn(view));
        expect(newer.filter((token) => !shown.has(token))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

/** What strict providers reject. */
function problemsOf(messages: readonly UnifiedMessage[]): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  if (messages.length > 0 && messages[0]?.role !== 'user') problems.push('does not begin with the user');
  for (const [index, message] of messages.entries()) {
    const { content, role } = message;
    if (message.providerOptions?.['cairn'] !== undefined) problems.push('has a label');
    if (content.length === 0) problems.push('has no content');
    const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    for (const part of parts) if (part.type === 'text' && part.text.trim() === '') problems.push('has an empty text');
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? next.content.map((part) => (part as ToolResultPart).toolCallId) : [];
    if (role === 'assistant' && calls.toSorted().join() !== results.toSorted().join())
      problems.push('calls and results differ');
    if (role === 'tool' && messages[index - 1]?.role !== 'assistant') problems.push('results without calls');
    for (const id of calls) {
      if (ids.has(id)) problems.push(`the id ${id} is there twice`);
      ids.add(id);
    }
  }
  return problems;
}

describe('a provider accepts every view', () => {
  test.each(modes)('%s, of whole and broken histories', (mode) => {
    fc.assert(
      fc.property(options, (given) => {
        expect(problemsOf(createView({ ...given, mode }).messages)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('the AI SDK converts it', async () => {
    await fc.assert(
      fc.asyncProperty(options, fc.constantFrom(...modes), async (given, mode) => {
        const model = new MockLanguageModelV4({
          doGenerate: {
            content: [{ type: 'text', text: 'ok' }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: 1, text: 1, reasoning: 0 },
            },
            warnings: [],
          },
        });
        const messages = [
          ...createView({ ...given, mode }).messages,
          { role: 'user', content: 'go on' },
        ] as ModelMessage[];
        expect((await generateText({ model, messages })).text).toBe('ok');
      }),
      { numRuns: 100 },
    );
  });

  test('no view changes the history that it is of', () => {
    fc.assert(
      fc.property(options, fc.constantFrom(...modes), (given, mode) => {
        const before = structuredClone([given.main, given.own]);
        createView({ ...given, mode });
        expect([given.main, given.own]).toEqual(before);
      }),
    );
  });
});

describe('the budget', () => {
  test.each(modes)('%s stays within it, with the prompt', (mode) => {
    fc.assert(
      fc.property(options, (given) => {
        const { messages, details } = createView({ ...given, mode });
        const tokens = messages.reduce((sum, message) => sum + tokensOf(message), 0);
        expect(details.tokens).toBe(tokens);
        expect(tokens + (given.promptTokens ?? 0)).toBeLessThanOrEqual(given.maxTokens ?? 0);
      }),
      { numRuns: 300 },
    );
  });

  test('what is left out is counted', () => {
    fc.assert(
      fc.property(options, fc.constantFrom('isolated' as const, 'shared' as const), (given, mode) => {
        const history = mode === 'shared' ? given.main : given.own;
        const { details, notice } = createView({ ...given, mode, agent: 'x' });
        const count = (reason: string): number =>
          details.leftOut.filter((one) => one.reason === reason).reduce((sum, { messages }) => sum + messages, 0);
        expect(details.leftOut.every(({ messages, tokens }) => messages > 0 && tokens >= 0)).toBe(true);
        expect(notice === '').toBe(details.leftOut.length === 0);
        expect(count('window') + count('budget')).toBeLessThanOrEqual(history.length);
        expect(notice).not.toContain('\n');
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['one token more than it', 301, /^The prompt has about 301 tokens, more than the budget of 300\. Shorten/u],
  ])('a prompt of %s is rejected', (_name, promptTokens, message) => {
    expect(() => createView({ mode: 'isolated', main: [], own: [], maxTokens: 300, promptTokens })).toThrow(message);
  });

  test('the messages of a window are shown whenever they fit', () => {
    // Eleven turns of 100 tokens in a budget of 1,000: the cut of the whole history leaves eight.
    const countTokens = (text: string): number => text.length;
    const own = Array.from({ length: 11 }, (): UnifiedMessage[] => [
      { role: 'user', content: 'a'.repeat(46) },
      { role: 'assistant', content: 'b'.repeat(46) },
    ]).flat();
    const shown = (window: number | undefined): number =>
      createView({ mode: 'isolated', main: [], own, window, maxTokens: 1000, countTokens }).messages.length;
    expect([undefined, 22, 20, 15, 14].map(shown)).toEqual([16, 16, 20, 16, 14]);
  });

  test('a turn that alone is larger has a list of its steps, and what remains too large is left out', () => {
    const countTokens = (text: string): number => text.length;
    const step = (output: string): UnifiedMessage[] => [
      { role: 'user', content: 'Read it.' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'read', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: '1', toolName: 'read', output: { type: 'text', value: output } }],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'It is long.' },
        ],
      },
    ];
    const own = [
      ...step('x'.repeat(5000)),
      { role: 'user' as const, content: 'y'.repeat(5000) },
      { role: 'assistant' as const, content: 'ok' },
    ];
    const view = createView({ mode: 'isolated', main: [], own, maxTokens: 1000, countTokens });
    const [prompt, list, answer] = view.messages;
    expect([prompt, answer]).toEqual([own[0], own[3]]);
    expect(textOf(list as UnifiedMessage)).toContain('\nCalls by tool: read 1\n');
    expect(view.notice).toBe(
      '2 older messages do not fit into the budget of 1000 tokens and are left out. Of 1 turn the older tool calls are not shown, because they do not fit into the budget.',
    );
    expect(view.details.leftOut).toEqual([
      { reason: 'budget', history: 'own', messages: 2, tokens: 5010 },
      { reason: 'steps', history: 'own', messages: 1, tokens: 5026 - tokensOf(list as UnifiedMessage, countTokens) },
    ]);
    const labelled = step('x'.repeat(5000)).map((message) => ({
      ...message,
      providerOptions: { cairn: { agent: 'other' } },
    }));
    const foreign = createView({ mode: 'shared', main: labelled, own: [], maxTokens: 1000, countTokens });
    expect(foreign.messages.map((message) => textOf(message))).toEqual(['@other Read it.', '[other] It is long.']);
  });

  test('a prompt that fills it leaves the history out, and reports it', () => {
    const own: UnifiedMessage[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ];
    const { messages, notice, details } = createView({
      mode: 'isolated',
      main: [],
      own,
      maxTokens: 300,
      promptTokens: 300,
    });
    expect(messages).toEqual([]);
    expect(notice).toBe('2 older messages do not fit into the budget of 300 tokens and are left out.');
    expect(details.leftOut).toEqual([{ reason: 'budget', history: 'own', messages: 2, tokens: 10 }]);
  });
});

describe('consecutive requests have the same beginning', () => {
  const text = (messages: readonly UnifiedMessage[]): string[] => messages.map((message) => JSON.stringify(message));

  test('until the budget is passed, which it then is seldom', () => {
    fc.assert(
      fc.property(turnsArbitrary('own'), fc.constantFrom(1500, 3000, 6000), (turns, maxTokens) => {
        const own: UnifiedMessage[] = [];
        let last: string[] = [];
        let cuts = 0;
        let total = 0;
        for (const turn of turns) {
          const [prompt] = turn;
          if (prompt === undefined) continue;
          const promptTokens = tokensOf({ ...prompt, providerOptions: undefined });
          if (promptTokens > maxTokens) return;
          const request = text([...createView({ mode: 'isolated', main: [], own, maxTokens, promptTokens }).messages]);
          if (last.some((line, index) => line !== request[index])) cuts += 1;
          last = request;
          own.push(...turn);
          total += turn.reduce((sum, message) => sum + tokensOf(message), 0);
        }
        // A cut frees a quarter of the budget, but for turns that alone are larger than three quarters.
        const large = turns.filter(
          (turn) => turn.reduce((sum, message) => sum + tokensOf(message), 0) > maxTokens / 4,
        ).length;
        expect(cuts).toBeLessThanOrEqual(Math.ceil(total / (maxTokens / 4)) + 2 * large);
      }),
      { numRuns: 200 },
    );
  });

  test('with the messages that the runs sent themselves', () => {
    fc.assert(
      fc.property(turnsArbitrary('own'), (turns) => {
        const own: UnifiedMessage[] = [];
        let sent: string[] = [];
        for (const turn of turns) {
          const { messages } = createView({ mode: 'isolated', main: [], own, maxTokens: 1_000_000 });
          expect(text(messages)).toEqual(sent);
          // The last request of the run: the view, the prompt, and its steps; then its answer.
          sent = text([
            ...messages,
            ...turn.map(({ providerOptions: _label, ...message }) => message as UnifiedMessage),
          ]);
          own.push(...turn);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('and the system prompt of each mode changes a few times only, even when all of the limits cut', () => {
    for (const mode of modes) {
      const main: UnifiedMessage[] = [];
      const own: UnifiedMessage[] = [];
      const texts: string[] = [];
      for (let turn = 0; turn < 100; turn++) {
        for (const history of [main, own]) {
          history.push(
            { role: 'user', content: `Prompt ${turn}: our project uses it. Nobody knows.` },
            { role: 'assistant', content: 'x'.repeat(100) },
          );
        }
        const { modeText, notice } = createView({
          mode,
          main,
          own,
          window: 30,
          sharePatterns: [PATTERN],
          maxTokens: 1500,
        });
        texts.push(`${modeText}\n${notice}`);
      }
      expect(texts.filter((text, index) => text !== texts[index - 1]).length).toBeLessThanOrEqual(12);
    }
  });

  test('and the head of summarized grows at its end until more is folded', () => {
    const main: UnifiedMessage[] = [];
    let changes = 0;
    let last = '';
    for (let turn = 0; turn < 50; turn++) {
      main.push(
        { role: 'user', content: `The port of service ${turn} is ${5000 + turn}.` },
        { role: 'assistant', content: 'Noted.' },
      );
      const [head] = createView({ mode: 'summarized', main, own: [] }).messages;
      const text = head === undefined ? '' : textOf(head).replace(/<\/main-conversation>$/u, '');
      if (!text.startsWith(last)) changes += 1;
      last = text;
    }
    // 100 messages: folded past 20, 40, 60 and 80.
    expect(changes).toBe(4);
  });

  test('and a view that grew is the one that is made at once', () => {
    fc.assert(
      fc.property(options, fc.constantFrom(...modes), fc.array(fc.nat(), { maxLength: 6 }), (given, mode, cuts) => {
        const main: UnifiedMessage[] = [];
        const own: UnifiedMessage[] = [];
        const steps = cuts
          .map((cut) => [cut % (given.main.length + 1), cut % (given.own.length + 1)] as const)
          .toSorted((left, right) => left[0] - right[0]);
        for (const [mainCount, ownCount] of steps) {
          main.push(...given.main.slice(main.length, mainCount));
          own.push(...given.own.slice(own.length, Math.max(ownCount, own.length)));
          const grown = createView({ ...given, mode, main, own });
          expect(grown).toEqual(createView({ ...given, mode, main: [...main], own: [...own] }));
        }
      }),
      { numRuns: 300 },
    );
  });
});

test('a view of a history that grew reads only the new messages', () => {
  const main: UnifiedMessage[] = [];
  const own: UnifiedMessage[] = [];
  let counted = 0;
  const countTokens = (content: string): number => {
    counted += content.length;
    return Math.ceil(content.length / 4);
  };
  const counts = Object.fromEntries(modes.map((mode) => [mode, [] as number[]]));
  for (let turn = 0; turn < 1000; turn++) {
    for (const history of [main, own]) {
      history.push(
        { role: 'user', content: `prompt ${turn}: the project uses it.` },
        { role: 'assistant', content: 'x'.repeat(60) },
      );
    }
    for (const mode of modes) {
      counted = 0;
      createView({ mode, main, own, countTokens, sharePatterns: ['uses *'], maxTokens: 4000 });
      counts[mode]?.push(counted);
    }
  }
  for (const mode of ['isolated', 'shared', 'fork', 'handback']) {
    // Two messages, and the last turn of the call before.
    expect(Math.max(...(counts[mode] ?? []))).toBeLessThan(400);
  }
  // The head message is one text: it is counted whole, at most half of the budget.
  for (const mode of ['selective', 'summarized']) expect(Math.max(...(counts[mode] ?? []))).toBeLessThan(4000 * 4 * 2);
});

describe('a window', () => {
  const turn = (name: string): UnifiedMessage[] => [
    { role: 'user', content: `prompt ${name}` },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: name, toolName: 'read', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: name, toolName: 'read', output: { type: 'text', value: 'x' } }],
    },
    { role: 'assistant', content: `answer ${name}` },
  ];
  const own = ['a', 'b', 'c'].flatMap(turn);
  const main: UnifiedMessage[] = [
    { role: 'user', content: 'Our project uses React.' },
    { role: 'assistant', content: 'Noted.' },
    { role: 'user', content: 'The project uses pnpm.' },
  ];

  test.each([
    [1, 4],
    [4, 4],
    [5, 8],
    [12, 12],
    [50, 12],
  ])('of %i messages reaches back to the prompt of their oldest turn, and states that it shows %i', (window, shown) => {
    const { messages, details, notice } = createView({ mode: 'isolated', main, own, window });
    expect(messages).toEqual(own.slice(-shown));
    expect(details.window).toEqual({ size: window, shown });
    const left = own.length - shown;
    expect(details.leftOut.map(({ reason, messages: count }) => [reason, count])).toEqual(
      left === 0 ? [] : [['window', left]],
    );
    expect(notice.includes('and the turn they are in are shown') || notice.includes('Only the last message')).toBe(
      left > 0,
    );
  });

  test.each(['selective', 'summarized'] as const)(
    'comes after the head message of %s, which it does not count, and before the budget',
    (mode) => {
      const long = [...own];
      for (const at of [3, 7, 11]) long[at] = { role: 'assistant', content: 'x'.repeat(1500) };
      const given = { mode, main, own: long, sharePatterns: ['project uses *'], summarizeAfter: 2, window: 8 };
      const { messages, details } = createView(given);
      expect(textOf(messages[0] as UnifiedMessage)).toContain('Our project uses React.');
      expect(messages.slice(1)).toEqual(long.slice(4));
      expect(details.window).toEqual({ size: 8, shown: 8 });
      // The head has its place in the budget first; then the budget drops the oldest turn of the window.
      const small = createView({ ...given, countTokens: (text) => text.length, maxTokens: 3000 });
      expect(small.messages).toEqual([messages[0], ...long.slice(8)]);
      expect(small.details.window).toEqual({ size: 8, shown: 4 });
      const ofOwn = small.details.leftOut.filter(({ history }) => history === 'own');
      expect(ofOwn.map(({ reason, messages: count }) => [reason, count])).toEqual([
        ['window', 4],
        ['budget', 4],
      ]);
    },
  );
});

test('the budget is 32,000 tokens unless another one is given', () => {
  const given = { mode: 'isolated', main: [], own: [] } as const;
  expect(() => createView({ ...given, promptTokens: 32_000 })).not.toThrow();
  expect(() => createView({ ...given, promptTokens: 32_001 })).toThrow(/more than the budget of 32000\./u);
});

test('each notice exists in both languages', () => {
  const text = (length: number): string => `项目 uses it. ${'x'.repeat(length)}`;
  const conversation = (length: number): UnifiedMessage[] =>
    Array.from({ length: 6 }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: text(length) }));
  const steps: UnifiedMessage[] = [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'read', input: {} }] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: '1', toolName: 'read', output: { type: 'text', value: 'y'.repeat(5000) } },
      ],
    },
    { role: 'assistant', content: 'It is long.' },
  ];
  const own = { main: [], own: conversation(10) };
  const countTokens = (content: string): number => content.length;
  const cases: readonly ViewOptions[] = [
    { mode: 'isolated', ...own, window: 1 },
    { mode: 'isolated', ...own, window: 3 },
    { mode: 'isolated', ...own, maxTokens: 100, countTokens },
    { mode: 'isolated', main: [], own: steps, maxTokens: 1000, countTokens },
    { mode: 'selective', main: conversation(10), own: [] },
    { mode: 'selective', main: conversation(10), own: [], sharePatterns: ['uses *'], maxTokens: 600, countTokens },
    { mode: 'summarized', main: conversation(10), own: [], summarizeAfter: 2 },
    { mode: 'summarized', main: steps, own: [] },
    { mode: 'summarized', main: conversation(900), own: [], maxTokens: 1000, countTokens, promptTokens: 990 },
  ];
  const notices = (language: 'en' | 'zh'): string[] => cases.map((given) => createView({ ...given, language }).notice);
  expect(notices('en')).toMatchInlineSnapshot(`
    [
      "Only the last message of the history and the turn they are in are shown; older messages are left out.",
      "Only the last 3 messages of the history and the turn they are in are shown; older messages are left out.",
      "4 older messages do not fit into the budget of 100 tokens and are left out.",
      "Of 1 turn the older tool calls are not shown, because they do not fit into the budget.",
      "No sentence of the main conversation matches the patterns; all of it is left out.",
      "The main conversation does not fit into the budget; all of it is left out.",
      "Of the main conversation the older messages are summarized; tool calls and their results are left out.",
      "The tool calls of the main conversation and their results are left out.",
      "The main conversation does not fit into the budget; all of it is left out.",
    ]
  `);
  expect(notices('zh')).toMatchInlineSnapshot(`
    [
      "只显示历史中最后 1 条消息及其所在的轮次；更早的消息已省略。",
      "只显示历史中最后 3 条消息及其所在的轮次；更早的消息已省略。",
      "有 4 条较早的消息超出 100 个 token 的预算，已省略。",
      "有 1 轮较早的工具调用超出预算，已省略。",
      "主会话中没有符合模式的句子；其内容全部省略。",
      "主会话中只显示符合模式的句子；其余已省略。",
      "主会话中较早的消息已被摘要；工具调用及其结果已省略。",
      "主会话的工具调用及其结果已省略。",
      "主会话超出预算，其内容全部省略。",
    ]
  `);
});
