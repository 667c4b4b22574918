/**
 * Words that say nothing about the subject of a text, and the parts that an apostrophe cuts off ("don", "t"). Question words
 * are included, because queries are often questions.
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

/** Chinese characters that are mostly grammar, simplified and traditional. */
const chinese = new Set(
  '的地得了着过是在和與与及或也都就而且但并並被把對对从從向到于於以其之这這那哪个個些么麼什吗嗎呢吧啊呀们們我你您他她它很会會能可',
);

/** Returns whether a lower-case word is a stop word. */
export function isStopWord(word: string): boolean {
  return english.has(word);
}

/** Returns whether a character of a script without spaces is a stop character. */
export function isStopCharacter(character: string): boolean {
  return chinese.has(character);
}
