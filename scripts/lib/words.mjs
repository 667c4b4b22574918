/** The words that this project does not use, each with the word to use instead. */

/**
 * @typedef {object} WordRule
 * @property {string} use The replacement that the report suggests.
 * @property {RegExp} pattern Matches the unwanted words. Each space in it also matches a line break inside a comment.
 * @property {RegExp} [files] Limits the rule to paths that match.
 */

/**
 * @typedef {object} Allowance
 * @property {RegExp} files Paths that may contain the words.
 * @property {RegExp} text The allowed text. It must cover the match.
 * @property {string} reason
 */

/**
 * @typedef {object} Finding
 * @property {number} line
 * @property {string} text The matched words.
 * @property {string} use
 */

/** A space, or a line break and the comment or quotation sign that starts the next line. */
const gap = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t]*(?:(?:\/\/[\/!]?|\*|#|>)[ \t]*)?)`;

/**
 * Makes a global pattern in which every space is a `gap`.
 *
 * @param {string} source
 * @param {string} [flags]
 */
const words = (source, flags = 'i') => new RegExp(source.replaceAll(' ', gap), `gu${flags}`);

const LOOK = 'stat, resolve, scan, read, prefilter, style, search for';

const rust = /\.rs$/u;
/** The sources of these packages follow the older rules only. */
const plain = /^(?!packages\/(?:memory|retrieval|workspace-cache)\/src\/)/u;

/** @type {readonly WordRule[]} */
const wordRules = [
  {
    use: 'is not a valid X, invalid X',
    pattern: words(String.raw`(?<!there )\b(?:is|are|was|were|be) none\b(?! of\b)`),
  },
  {
    use: 'is not a X, is not X',
    pattern: words(String.raw`(?<!there )\b(?:is|are|was|were) no (?!longer\b|more\b|other\b|worse\b|better\b)`),
  },
  {
    use: 'does not accept X',
    pattern: words(String.raw`\btakes? no\b(?! (?:more|longer|part|action|time|memory|space)\b)`),
  },
  {
    use: 'is reported, is returned in `field`, the error states',
    pattern: words(String.raw`\b(?:said|told)\b(?! apart\b)|\bsays? so\b`),
  },
  { use: 'again', pattern: words(String.raw`\banew\b`) },
  { use: 'N, at most N', pattern: words(String.raw`\bso many\b`) },
  {
    use: 'after',
    pattern: words(
      String.raw`(?<!\blook-|\b(?:leaves?|leaving|left) (?:(?!behind)[\w@/-]+ ){0,3}|\b(?:falls?|lags?|far) )\bbehind\b(?! (?:a|an|the|its|one) (?:(?:symbolic|directory) )?(?:links?|symlinks?|proxy|flag|interface|lock|feature|trait|firewall)\b)`,
    ),
  },
  {
    use: 'the name of the thing',
    pattern: words(String.raw`(?:[.:;]|^\s*(?:\/\/[\/!]?|\/?\*+|#|-)) (?:Whose|Who)\b(?![^.\n]*\?)`, 'm'),
  },
  {
    use: 'the name of the thing',
    pattern: words(
      String.raw`(?:[.:;]|^\s*(?:\/\/[\/!]?|\/?\*+|#|-)) What (?:is|are|was|were|has|have|had|can|cannot|could|does|did|must|may|will|would|should|(?!this\b|its\b|was\b)[a-z]+s(?<!ss))\b(?![^.\n]*\?)`,
      'm',
    ),
  },
  {
    use: 'the name of the thing',
    pattern: words(String.raw`\bwho(?:ever)? (?:only|just|is|has|does|was|reads|writes|waits|listens|asks|wants)\b`),
  },
  {
    use: 'quarantined, quarantine()',
    pattern: words(String.raw`\bset(?:s|ting)? (?:\w+ )?aside\b|setAside|set_aside`),
  },
  { use: 'heartbeat, renewLease', pattern: words(String.raw`\bsigns? of life\b|giveSign|SIGNS_PER`) },
  {
    use: 'MAX_, MIN_',
    pattern: words(String.raw`\b(?:MOST|LEAST|LONGEST|HIGHEST)_|\b(?:most|least|longest|highest)(?:_[a-z]|[A-Z])`, ''),
  },
  {
    use: LOOK,
    pattern: words(
      String.raw`\b(?:looks?|looked|looking)\b(?!(?:-| )?(?:ahead|behind|around|alikes?|up)\b)(?!(?: |-)like\b)`,
    ),
  },
  { use: LOOK, pattern: words(String.raw`\blook(?!Up|Ahead|Behind|Around)[A-Z]\w*|\b\w*[a-z]Look\b`, '') },
  { use: 'fix', pattern: words(String.raw`\bmend(?:s|ed|ing|er)?\b`) },
  { use: 'message', pattern: words(String.raw`\bfound:`, ''), files: /^packages\/cli\/src\/doctor\// },
  { use: 'scattered', pattern: words(String.raw`\bstrewn\b`) },
  {
    use: 'segment alignment',
    pattern: words(String.raw`\blaid\b|Layout::(?:on|here|anywhere)\b|\banywhere(?=\()`),
    files: rust,
  },
  {
    use: 'typo, misspelling',
    pattern: words(String.raw`\bslip(?:s|ped|ping)?\b|\w*_slips?\b|\bslip_\w+|\b\w+Slips?\b`),
  },
  { use: 'join or start, JoinGuard', pattern: words(String.raw`\bboard(?:s|ed|ing)?\b`), files: rust },
  {
    use: 'StopReason',
    pattern: words(String.raw`\bLand(?:ing|ed)?\b|\bLeave(?=::)|\b(?:enum|->|:) Leave\b`, ''),
    files: rust,
  },
  { use: "the parameter's type: documents, group", pattern: words(String.raw`haystack`) },
  {
    use: 'rejects, throws, fails with `CODE`',
    pattern: words(
      String.raw`\b(?:is|are|was|were|be|been|being|gets?|and|or|not) refused\b(?!:)|(?<![.\x60#])\brefuses\b(?!\()|\b(?:a|the|each|its|this|every|no) refusals?\b`,
    ),
    files: plain,
  },
  { use: 'next to, alongside, compared with', pattern: words(String.raw`(?<![-\w])beside\b`), files: plain },
  {
    use: 'spaces, whitespace',
    pattern: words(String.raw`(?<!-)\bblanks\b|\b(?:a|one|the|its|each|more|trailing) blank\b(?! (?:lines?|rows?)\b)`),
    files: plain,
  },
  {
    use: 'another process, the user, "is not used"',
    pattern: words(String.raw`\b(?:somebody|anybody)\b|\bnobody (?:reads?|sees|else|knows which|has)\b`),
    files: plain,
  },
  { use: 'whose, or two sentences', pattern: words(String.raw`\bof (?:which|whom)\b`), files: plain },
  { use: 'even if, including, too', pattern: words(String.raw`\balso (?:when|if|of|for)\b`), files: plain },
  {
    use: 'name the noun: Returns the …',
    pattern: words(String.raw`(?:\bReturns|@returns) (?:what|how|why|who)\b`, ''),
    files: plain,
  },
  { use: 'in sequence, one at a time', pattern: words(String.raw`\bone after (?:another|the other)\b`), files: plain },
  { use: 'concurrently', pattern: words(String.raw`\bat the same time\b`), files: plain },
  { use: 'operators of fzf', pattern: words(String.raw`\bsigns? of fzf\b|\bfzf's signs?\b`), files: plain },
  { use: 'is in, is stored in', pattern: words(String.raw`\b(?:stands?|lies) in\b`), files: plain },
  {
    use: 'the intent, the invariant',
    pattern: words(String.raw`\bwhat (?:is|was) meant\b|\bwhat holds\b`),
    files: plain,
  },
  {
    use: 'repeat the noun',
    pattern: words(String.raw`(?:\bdefaults?:?|@default|by default|\|) (?:that|those) of\b`),
    files: plain,
  },
];

/** @type {readonly Allowance[]} */
const allowances = [
  { files: /^scripts\/lib\/words(?:\.test)?\.mjs$/u, text: /[^]+/u, reason: 'the table itself and its tests' },
  { files: /^test\/support\/odd-(?:files|tree)\.ts$/u, text: /\bblanks\b/u, reason: 'names of files' },
  {
    files: /^crates\/(?:search\/src\/grep\/matcher\/plan|content-index\/src\/plan\/(?:algebra|tests\/random))\.rs$/u,
    text: /\bLook\b/u,
    reason: 'a type of regex-syntax',
  },
];

/**
 * Finds the unwanted words of one file, in the order of their lines.
 *
 * @param {string} path relative to the repository, with forward slashes
 * @param {string} text
 * @param {{ rules?: readonly WordRule[], allowed?: readonly Allowance[] }} [options]
 * @returns {Finding[]}
 */
export const findUnwantedWords = (path, text, { rules = wordRules, allowed = allowances } = {}) => {
  const exempt = allowed.filter(({ files }) => files.test(path));
  const spans = exempt.flatMap((allowance) =>
    [...text.matchAll(new RegExp(allowance.text, 'gu'))].map(({ 0: match, index }) => [index, index + match.length]),
  );
  /** @type {Finding[]} */
  const findings = [];
  for (const { use, pattern, files } of rules) {
    if (files !== undefined && !files.test(path)) continue;
    for (const { 0: match, index } of text.matchAll(pattern)) {
      // A pattern may begin with the end of the sentence before.
      const begin = index + (/^[^\p{L}]*/u.exec(match)?.[0].length ?? 0);
      const end = index + match.length;
      if (spans.some(([from = 0, to = 0]) => from <= begin && end <= to)) continue;
      const line = text.slice(0, begin).split('\n').length;
      findings.push({ line, text: text.slice(begin, end).replace(/\s+/gu, ' '), use });
    }
  }
  return findings.toSorted((left, right) => left.line - right.line);
};
