import { expect, test } from 'vitest';
import { fileNotes } from './file-notes.ts';
import { createToolSession } from './session.ts';

test('the notes of all sources of a session are returned, and those of no other session', async () => {
  const session = createToolSession();
  fileNotes(session).add(async (files) => `one: ${files.join(' ')}`);
  fileNotes(session).add(async () => undefined);
  const remove = fileNotes(session).add(async () => 'two');
  expect(await fileNotes(session).notesOn(['/a', '/b'])).toEqual(['one: /a /b', 'two']);
  remove();
  expect(await fileNotes(session).notesOn(['/a'])).toEqual(['one: /a']);
  expect(await fileNotes(createToolSession()).notesOn(['/a'])).toEqual([]);
});

test('a source that fails adds no note', async () => {
  const notes = fileNotes(createToolSession());
  notes.add(() => Promise.reject(new Error('the store is gone')));
  notes.add(() => {
    throw new Error('a bug');
  });
  notes.add(async () => 'other');
  expect(await notes.notesOn(['/a'])).toEqual(['other']);
});

test('no source is asked about no file', async () => {
  const notes = fileNotes(createToolSession());
  notes.add(async () => 'never');
  expect(await notes.notesOn([])).toEqual([]);
});
