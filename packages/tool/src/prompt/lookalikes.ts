/**
 * Characters that a reader may take for a Latin letter: those that Unicode's confusables (15.1) list for the letter, or for
 * another letter of its kind by Unicode's names (`LATIN SMALL LETTER OPEN E`), digits and signs, and what generators of fancy
 * text write. Small letters stand for both cases. Forms that {@link lookalikesOf} finds by decomposition are left out.
 * Right-to-left letters are escaped, because they would reorder the line.
 *
 * @see https://www.unicode.org/Public/security/15.1.0/confusables.txt
 */
const listed: Readonly<Record<string, string>> = {
  a: '4@ɋɐɑɒαаᗄᗅᴀᶏᶐ∀⍺ⱥꓮꓯꭺ𐊠𐑇𖽀𝈗ค卂',
  b: '8ßƀƃƅɓʙβвьᏸᏼᑲᖯᗷᴃᵬᶀꓐꞗꞵꮟ𐊂𐊡𐌁๒乃',
  c: 'ƈȼɔɕɛʗͽεϲсєԑᴄ€ↄ⋴ⲉⲥꓚꜿꞓꞔꮛꮯ𐊢𐌂𐐩𐐽𐔜𑣎𑣩𑣲𝼏𝼝🝌ς匚',
  d: 'ðđƌƍȡɖɗδԁծᑯᕷᗞᗪᴅᴆᵭᶁᶑẟ⸹ꓒꓓꝺꟈꭰꮷ๔',
  e: '3ǝɇɘəɚɛɜɝɞʚεезэєҽәԑᴇᴈᶒᶓᶔᶕ℮∃⋿ⱸⱻⴹⴺꓰꓱꞓꞝꬲꬳꬴꭼꮛ𐊆𐐩𐐪𐑂𑣆𑣎𖼭𝈡乇',
  f: 'ſƒϝքᖴᵮᶂẝꓝꜰꝼꞙꬵ𐊇𐊥𐔥𑣂𝈓ғŦ千',
  g: '9ƍǥɠɡɢʛԍցᏻᵷᵹᶃꓖꝿꞡꟑꬶꮐ𝼁𝼂\u{feee}',
  h: 'ħɥɦʜʮʯͱηнһհᕼⱨⱶⲏꓧꚱꜧꞕꟶꭸꮀꮋꮒ𐋏ђ卄',
  i: '!1l|ıɨɩɪ˛ͺιіӏᴉᵼᶖ⍳ꙇꭵ𑣃𝼚เ工丨',
  j: 'ȷɉɟʄʝϳјյᒍᴊꓙꭻ\u{5df}',
  k: 'ĸƙʞκкᛕᴋᶄⱪⲕꓗꝁꝃꝅꞣꮶ𐔘𝼃𝼐长',
  l: '!1i|ıłƚǀȴɩɫɬɭʟιіӏ\u{5c0}\u{5d5}\u{5df}\u{627}\u{661}۱\u{7ca}ᒪᛁᴌᶅ∣⏽ⱡⲓⳑⵏꓡꓲꝉꞁꞎꬷꬸꬹꮮ\u{fe8d}\u{fe8e}￨𐊊𐌉𐌠𐑃𐔦𑣃𑣒𖼖𖼨𝈪𝼄𝼑𝼓\u{1e8c7}\u{1ee00}\u{1ee80}🯱乚丨',
  m: 'ɯɰɱʍμϻмպሣᗰᛖᴍᴟᵯᶆⲙꓟꟺꬺꭑꮇ𐊰𐌑๓爪',
  n: 'ŋƞȵɲɳɴͷνипոռᴎᵰᶇⲛꓠꞑꞥꬻꬼ𐑍𐔓𝼇𝼔ภ几',
  o: '0øɔɵͻοσоօ\u{5e1}\u{629}\u{647}\u{665}\u{6be}\u{6c1}\u{6d5}۵\u{7c0}०০੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ჿዐᴏᴐᴑᴒᴓᴖᴗᶗↄⱺⲟⵔ〇ꓛꓳꝋꝍꟁꬽꬾꬿ\u{fba6}\u{fba7}\u{fba8}\u{fba9}\u{fbaa}\u{fbab}\u{fbac}\u{fbad}\u{fee9}\u{feea}\u{feeb}\u{feec}𐊒𐊫𐐬𐑋𐓪𐔖𑓐𑣈𑣕𑣗𑣠𝼛\u{1ee24}\u{1ee64}\u{1ee84}🯰๏口',
  p: 'þƥƿρϸрᑭᴘᴩᵱᵽᶈ⍴ⲣꓑꝑꝓꝕꝥꝧꮲ𐊕𐓬\u{5e7}尸',
  q: 'ɋʠԛգզᶐⵕꝗꝙꞯǫợ',
  r: 'ɍɹɺɻɼɽɾɿʀʁгяᖇᴙᴚᴦᵲᵳᶉ℩ⱹⲅꓣꞃꞧꭆꭇꭈꭉꭋꭌꭨꭱꮁꮢ𐓜𖼵𝈖𝼈𝼕𝼖尺',
  s: '$5ƽȿʂʃʆσѕտᵴᶊᶋᶘẜẝ∑∫ⵉꓢꜱꞅꞩꟊꭍꮥꮪ𐊖𐑈𑣁𖼺𝼋𝼌𝼞ร丂',
  t: '+7ŧƫƭȶʇʈτтᴛᵵ⊤⟙ⱦⲧⴀꓔꓕꞇꭲꮏ𐊗𐊱𐌕𑣜𖼊𝼉𝼍🝨Շ丅ㄒ',
  u: 'ʊʋυսሀᑌᘮᘴᴜᴝᵿᶙ℧∪⋃ꓴꞟꞹꭎꭒ𐓶𑣘𖽂ย凵',
  v: 'ʋʌλνлѵ\u{5d8}\u{667}\u{668}۷۸ᐯᐱᴠᴧᶌ∨⋁ⱱⱴⴷⴸꓥꓦꛎꛟꝟꮩ𐊍𐓘𐔝𑜆𑣀𖼈𖼽𝈍\u{5e9}',
  w: 'ɯʍωмѡԝաᴍᴡⱳꓪꙍꞷꟃꮃꮇꮤ𑜊𑜎𑜏𑣦𑣯ฬ山',
  x: '×χхᕁᕽ᙭᙮ᚷᶍ╳⤫⤬⨯ⲭⵝꓫꭓꭔꭕꭖꭗꭘꭙ𐊐𐊴𐌗𐌢𐔧𑣬\u{5d0}乂',
  y: 'ƴɏɣʎʏγυуүყᶌỿⲩꓬꭚꭹꮍ𐊲𑣄𑣜𖽃𝼆\u{5e5}丫',
  z: '2ƶƺȝȥɀʐʑʒʓζᴢᴣᵶᶎᶚⱬꓜꮓ𐋵𑣄𑣉𑣥𝼘չ乙',
};

/**
 * Ranges of Unicode with forms of letters that decompose to a letter or to a character listed above: with accents, phonetic,
 * raised, lowered, circled, full width, mathematical, squared.
 */
const FORMS: readonly (readonly [first: number, last: number])[] = [
  [0xc0, 0x24f],
  [0x2b0, 0x2e4],
  [0x370, 0x45f],
  [0x1d2c, 0x1dbf],
  [0x1e00, 0x1fff],
  [0x2071, 0x209c],
  [0x2100, 0x217f],
  [0x249c, 0x24e9],
  [0x2c7c, 0x2c7d],
  [0xff21, 0xff5a],
  [0x1d400, 0x1d7ff],
  [0x1f110, 0x1f189],
];

/** Returns the letter of a black circle or square: Unicode does not map these to letters. */
function squared(codePoint: number): string {
  for (const first of [0x1f150, 0x1f170]) {
    if (codePoint >= first && codePoint < first + 26) return String.fromCodePoint(0x61 + codePoint - first);
  }
  return '';
}

/** The character that each form decomposes to. Made on first use: most programs wrap nothing. */
let bases: ReadonlyMap<string, string> | undefined;

/** Returns the letter that a form decomposes to, or its first character. */
function baseOf(form: string): string {
  const plain = form.normalize('NFKD').toLowerCase();
  // Also the letter of a bracketed form, `⒜`.
  const letter = /[a-z]/u.exec(plain)?.[0] ?? squared(form.codePointAt(0) ?? 0);
  return letter || String.fromCodePoint(plain.codePointAt(0) ?? 0);
}

function readBases(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [first, last] of FORMS) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      const form = String.fromCodePoint(codePoint);
      const base = baseOf(form);
      if (base !== form) found.set(form, base);
    }
  }
  return found;
}

/** Returns the characters that a reader may take for one of the letters a to z, without the letter. */
export function lookalikesOf(letter: string): string {
  bases ??= readBases();
  const own = listed[letter] ?? '';
  const all = new Set(own);
  for (const [form, base] of bases) if (base === letter || all.has(base)) all.add(form);
  return [...all].join('');
}

/** Returns whether a character may be the letter or one of {@link lookalikesOf}, in any case. Needs no table of them. */
export function mayBeTakenFor(letter: string, character: string): boolean {
  const wanted = new RegExp(`^[${letter}${listed[letter] ?? ''}]$`, 'iu');
  const upper = character.toUpperCase();
  return [character, character.toLowerCase(), upper, upper.toLowerCase()].some((form) => {
    const base = baseOf(form);
    return wanted.test(form) || wanted.test(base) || wanted.test(baseOf(base));
  });
}
