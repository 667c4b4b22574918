/**
 * Words that say nothing about what a text is about, and what the apostrophe leaves of them. Questions are asked with
 * more of them than statements are made with, so the words of a question are in.
 */
const english = new Set(
  (
    'a about an and any are aren as at be been being but by can could did didn do does doesn doing don for from had has ' +
    'hasn have haven having he her hers him his how i if in into is isn it its itself just ll me my no nor not of off on ' +
    'or our ours out over own re s same shall she should so some such t than that the their theirs them then there these ' +
    'they this those to too under until up ve very was wasn we were weren what when where which while who whom whose why ' +
    'will with won would you your yours'
  ).split(' '),
);

/** Chinese characters that mostly do the work of grammar, in both ways of writing. */
const chinese = new Set(
  '的地得了着过是在和与與及或也都就而且但并並被把对對从從向到于於以其之这這那哪个個些么麼什吗嗎呢吧啊呀们們我你您他她它很会會能可',
);

/** Whether a lower-case word of a script with spaces only does the work of grammar. */
export function isStopWord(word: string): boolean {
  return english.has(word);
}

/** The same of one character of a script without spaces. */
export function isStopCharacter(character: string): boolean {
  return chinese.has(character);
}
