import { expect, test } from 'vitest';
import { relationsIn } from './relations.ts';

const active = { type: 'glossary', status: 'active' } as const;

test.each<[reason: string, body: string, expected: string | undefined]>([
  ['a block', 'Our words.\n\n```glossary\nledger, 账本\n```\n\nMore.', 'ledger, 账本\n'],
  ['two blocks', '~~~glossary\na1, b1\n~~~\nText, and more.\n```glossary of risk\na2, b2\n```\n', 'a1, b1\na2, b2\n'],
  ['a block in which every line has a problem', '```glossary\nledger\n```\n', 'ledger\n'],
  ['an empty block', '```glossary\n```\n', ''],
  [
    'lines without a block',
    '# Words\n\nledger, 账本\n- booking = 记账\n',
    '# Words\n\nledger, 账本\n- booking = 记账\n',
  ],
  ['lines in another block', '```\nledger, 账本\n```\n', '\nledger, 账本\n\n'],
  ['lines with some problems', 'ledger, 账本\nbooking, 记账\nalone\n', 'ledger, 账本\nbooking, 记账\nalone\n'],
  ['carriage returns', '```glossary\r\nledger, 账本\r\n```\r\n', 'ledger, 账本\n'],
  ['prose', '**SLI**: a measured ratio of good events to all events, for example 99 %.\n\nWe use it.', undefined],
  ['a definition', 'A ledger is the list of all bookings of an account', undefined],
  ['nothing', '', undefined],
])('%s', (_, body, expected) => {
  expect(relationsIn(active, body)).toBe(expected);
});

test('only an active glossary asset relates words', () => {
  const body = '```glossary\nledger, 账本\n```\n';
  expect(relationsIn({ type: 'reference', status: 'active' }, body)).toBeUndefined();
  expect(relationsIn({ type: 'glossary', status: 'deprecated' }, body)).toBeUndefined();
});
