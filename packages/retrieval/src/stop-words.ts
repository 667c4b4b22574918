/**
 * Words that say nothing about the subject of a string, and the parts that an apostrophe cuts off ("don", "t"). Question words
 * are included, because queries are often questions.
 */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about an and any are aren as at be been being but by can could did didn do does doesn doing don for from had has ' +
    'hasn have haven having he her hers him his how i if in into is isn it its itself just ll me my no nor not of off on ' +
    'or our ours out over own re s same shall she should so some such t than that the their theirs them then there these ' +
    'they this those to too under until up ve very was wasn we were weren what when where which while who whom whose why ' +
    'will with won would you your yours'
  ).split(' '),
);

/** Chinese characters that are mostly grammar, simplified and traditional. */
export const stopCharacters: ReadonlySet<string> = new Set(
  '的地得了着过是在和與与及或也都就而且但并並被把對对从從向到于於以其之这這那哪个個些么麼什吗嗎呢吧啊呀们們我你您他她它很会會能可',
);

/** Characters that mostly ask or help: 多少, 怎样, 如何, 为什么, 时候, 应该, 需要, 可以, 没有. */
export const questionCharacters: ReadonlySet<string> = new Set(
  '多少几幾谁誰怎样樣如何为為时時候间間应應该該需要可以有没沒用叫去找给給让讓里裡不上下请請问問想知道做能长長久',
);

/** Numbers ask and count. In a word, such as 第三方, they are a part of it. */
export const numerals: ReadonlySet<string> = new Set('一二三四五六七八九十百千万萬两兩零');

/** Stop characters that seldom are a part of a word: a pair with one says no more than its other character. The others are: 会 in 会议, 地 in 地址, 过 in 过期. */
export const particles: ReadonlySet<string> = new Set(
  '的了着是在和与與及或也都就而且但这這那些么麼什吗嗎呢吧啊呀们們我你您他她它很',
);

/** Surnames with which few words begin. */
export const surnames: ReadonlySet<string> = new Set(
  '王李张張刘劉陈陳赵趙吴吳徐孙孫朱胡郭林罗羅郑鄭梁谢謝宋唐韩韓冯馮邓鄧曹彭肖董袁潘蒋蔣蔡杜魏苏蘇吕呂沈姚姜崔谭譚汪廖贾賈韦韋邹鄒孟秦薛邵黎贺賀郝龚龔邱',
);
