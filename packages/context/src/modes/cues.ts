const words = (list: string): RegExp => new RegExp(String.raw`\b(?:${list})\b`, 'iu');

/** Signs that tell a statement from talk, in English and Chinese, with their weight. Each counts once in a sentence. */
const cues: readonly (readonly [weight: number, ...signs: RegExp[]])[] = [
  // Numbers, and words for times and amounts.
  [2, /\d/u],
  [
    1.2,
    words(
      'mon|tues|wednes|thurs|fri|satur|sun)day(?:s)?|(?:january|february|march|april|june|july|august|september|october|november|december)|' +
        '(?:daily|weekly|monthly|yearly|hourly|nightly|noon|midnight|quarter|percent|once|twice|first|second|third|last|every|' +
        'one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million',
    ),
  ],
  [
    2,
    /[零〇一二两三四五六七八九十百千万]+(?:个|次|天|周|月|年|分|秒|小时|号|点|元|人|套|版|倍|台|条|份|岁|位|种|层|级|遍|成|折|块|角|吨|米|公里|度|季度)|百分之|周[一二三四五六日末]|星期|每[天周月年日]|凌晨|上午|中午|下午|晚上|年底|月底|季度/u,
    // Names: of files, hosts, code, and those written with a capital within the sentence.
    /`[^`]+`|["“「『][^"”」』]{2,40}["”」』]|\w[@/\\]\w|\w[_:]\w|\w\.\w|[a-z][A-Z]|~\/|--\w/u,
  ],
  [1.5, /(?<=[\p{L}\p{N}’'",;:)]\s)(?!I\b|I['’]|OK\b|Ok\b)\p{Lu}[\p{L}\p{N}+#]*/u],
  [1, /\b(?!OK\b)[A-Z][A-Z\d]{1,}\b/u],
  [1.5, /(?<=\p{Script=Han}\s*)[A-Za-z][A-Za-z\d.+#-]+|^[A-Za-z][A-Za-z\d.+#-]+\s*(?=\p{Script=Han})/u],
  // Rules, decisions and preferences.
  [
    2,
    words(
      'must|never|always|only|mandatory|require[sd]?|requirement|forbidden|prohibited|(?:not|never) allowed|allowed|has to|have to|' +
        "needs? (?:to|a|an|two)|(?:do|does|did|must|should|may|can|will) not|(?:don|doesn|mustn|shouldn|won|can)['’]t (?!know|mind|worry|think|see|understand|remember)|" +
        'cannot|no longer|avoid|exclude[sd]?|instead of|rather than|may|whenever|unless|at (?:most|least)|maximum|minimum|limit(?:ed|s)? (?:to|is|are)?|deadline|due|default',
    ),
    words(
      'decided|decision|agreed|agreement|chose|chosen|settled|picked|planned|scheduled|switched|migrated|moved to|renamed|replaced|changed (?:to|from)|removes?d?|' +
        'drop(?:ped)?|approved?s?|owns?|owned|owner|responsible|maintain(?:s|ed)?|belongs?|hosted|deployed?|stored|located|lives? (?:in|at|under)|runs? (?:on|at|in|under)|' +
        'listens?|written in|built (?:with|on|in)|based (?:on|in)|uses?|using|called|named|codename|known as|expires?|kept|ends? on|starts? (?:at|on)|follows?|because|caused?|reason|' +
        'supports?|support for|depends? on|contains?|consists? of|means|stands for|costs?|budget|version|port|password|address|account|format|approves',
    ),
    /\b(?:my (?:name|favou?rite|birthday|job|wife|husband|dog|cat|team|boss|e-?mail|time ?zone)|call me|i (?:really |strongly |always |usually )?(?:prefer|hate|love|dislike|like|need|want|live|work|speak|use)|i(?: am|['’]m) (?!not sure|sorry|afraid|glad|happy|still|going|on it|here|back|done|wondering|curious)(?:an? |allergic|colou?r|vegetarian|vegan|new|from|based|the))/iu,
    /必须|不要|不能|不得|不可|不许|不准|不用|禁止|只能|只有|只在|仅|一律|统一|务必|避免|不再|应当|需要[^我]|要求|至少|至多|最多|最大|最小|最低|最高|不超过|不含|默认|除非|规定|约定|规范|标准|上限|下限|门槛|截止|限制|限流/u,
    /决定|定[在于为]|确定|选[了用择定]|采用|使用|改[为成用]|换成|迁移|替换|去掉|删除|负责|审批|维护|归.{1,6}管|属于|叫|名[字为叫]|代号|位于|存[放在储]|部署|保留|运行在|监听|基于|开发|安排|计划|预算|地址|端口|密码|账号|版本|路径|目录|接口|因为|原因|由于|所以|支持|缺少|依赖|包含|过期|轮换|遵循|而不是|一共|总共|等于|意味|完成|没有测试|失败|崩溃|出现|超时|只读/u,
    /我(?:叫|姓|是|住|喜欢|讨厌|不喜欢|偏好|习惯|爱|怕|对.{1,8}过敏|希望你|需要你|的.{1,8}(?:是|叫))|叫我|称呼我|请用|尽量|讨厌|偏爱|非常喜欢/u,
  ],
  // A statement about a thing.
  [
    1.2,
    /^(?:["'*\-\d.) ]*)(?:the|our|my|your|all|every|each|only|no|there (?:is|are)|this project|we (?:use|have|do|are|will|never|always|deploy|store|keep|chose|decided|agreed))\b/iu,
  ],
  [
    1,
    words('is|are|was|were|has|have|goes|go through|comes?|stays?|stay|takes?|breaks?|crash(?:es)?|happens?'),
    /\p{Script=Han}(?:是|为|由|在|有|用|归|要)\p{L}/u,
    /\b(?:remember|note|important|keep in mind|fyi|for the record|heads.up|actually|correction|in fact|please (?:use|call|keep|make|do|avoid|write))\b|记住|记得|注意|重要|其实|更正|备忘|请记|别忘/iu,
  ],
  // Questions, thanks, agreement, and talk about the talk.
  [-3.5, /[?？]["'”’」』）)]*$|吗[。.!！]?$/u],
  [
    -3,
    /^(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|thanks|thank you|thx|sure|ok(?:ay)?|yes|yep|yeah|no problem|right|alright|all right|great|nice|cool|perfect|awesome|excellent|wonderful|sounds|looks good|got it|understood|absolutely|of course|certainly|fine|sorry|hmm+|haha|well|i see|never ?mind|one (?:moment|second)|just a|working on|you(?:['’]re| are) (?:right|welcome)|makes sense|good (?:point|idea|question|catch|work|job|to know)|let me|let us|let['’]s|here (?:is|are|you)|as i said|please (?:continue|go (?:ahead|on)|proceed)|keep (?:going|it up)|exactly|noted|done|agreed[.!]|no worries|happy to|glad to|interesting|indeed|true|fair enough|yes,? please|looking forward|see you|bye)\b/iu,
  ],
  [
    -2,
    /\b(?:i(?:['’]ll| will| would| can| could| shall| was| had| have| hope| guess| suppose| see| looked| appreciate| wonder| did|['’]d|['’]ve| am going| am (?:still|not sure|glad|happy|sorry|wondering)|['’]m (?:still|not sure|glad|happy|sorry|wondering|going))|we (?:should|can|could|might) (?:always|also|probably|maybe)|let me know|tell me|take a look|have a look|do you want|would you like|could you|can you|anything else|what do you think|in a (?:minute|moment)|for (?:now|the moment|a while)|get back to|the right track|step by step|as far as i|good enough|by the way, the weather|weather|weekend|coffee|lunch|i think (?:we|this|that|it))\b/iu,
  ],
  [
    -1.5,
    /\b(?:maybe|perhaps|probably|i think|i guess|kind of|sort of|somehow|something|anything|everything|a bit|a little|a few|not sure|seems?|looks?)\b/iu,
  ],
  [-1, /^(?:it|that|this|these|those)\b/iu],
  [
    -3,
    /^(?:好|行|嗯|哦|啊|是的|对|没错|谢谢|多谢|感谢|可以|当然|明白|知道了|了解|收到|没问题|没事|没关系|不错|太好|太棒|很好|真好|稍等|等一下|抱歉|对不起|不好意思|请继续|继续|请稍|哈哈|早上好|下午好|晚上好|你好|您好|希望|辛苦|正在|这是第|有点|看起来|应该可以|目前这样|到目前|还有什么|还需要|要不|随便|时间不早|没意见|同意)/u,
  ],
  [
    -2.5,
    /我(?:再|来|先|看|去|又|想|觉得|不太|在想|稍后|换个|马上|这就|们(?:看|再|先|能|接着|一步|可以|休息|继续))|一下|吧[。！!.]?$|呢[。？?！!.]?$|怎么样|好吗|行吗|可以吗|看看|慢慢来|告诉我|帮忙|天气|咖啡|周末愉快|有意思|有道理|跟我说|方向是对|过一遍/u,
  ],
  [-0.7, /[!！]["'”’」』）)]*$/u],
];

/** Returns how much a sentence looks like one that states a fact, a decision, a rule or a preference. */
export function weighCues(sentence: string): number {
  let weight = 0;
  for (const [value, ...signs] of cues) {
    for (const sign of signs) if (sign.test(sentence)) weight += value;
  }
  return weight;
}

/** Words before a statement that add nothing to it. */
const LEAD_IN =
  /^(?:(?:by the way|btw|also|just so you know|for the record|fyi|oh,? and|and|so|well|note that|please note(?: that)?|remember(?: that)?|please remember(?: that)?|keep in mind(?: that)?|one more thing|quick note|heads.up|important|in case it matters|as a reminder|just a reminder|reminder|for context|for reference|i forgot to mention(?: that)?|you should know that|to be clear|noted|got it|understood|okay|ok|好的|明白|收到|顺便(?:说一下|说一句|提一下)?|另外|还有|对了|请?记住|请?注意|补充一下|备忘|说明一下|提醒一下|哦)[,:，：、\s-]+)+/iu;

export function withoutLeadIn(sentence: string): string {
  const rest = sentence.replace(LEAD_IN, '');
  return rest === '' ? sentence : rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** How a clause begins that only tells when, why or in spite of what. */
const SUBORDINATE =
  /^(?:as|after|although|because|before|besides|despite|even (?:if|though)|given|if|in spite of|once|since|so that|though|when|where|which|while|who|正如|就像|虽然|尽管|因为|由于|如果|要是|不过|但是|考虑到|当时|当(?!前)|等(?!级|于)|这样|以便)/iu;

/** The end of a clause: a comma or a dash, not within a number, or before a word that joins. */
const CLAUSE_END =
  /[,;，；—–]+(?!\d)\s*|\s+(?=(?:because|although|though|while|which|so that|since|mainly|even if|as well as)\s)/giu;

interface Clause {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

function clausesOf(text: string): Clause[] {
  const ends = [...text.matchAll(CLAUSE_END)].map(({ 0: { length }, index }) => index + length);
  const starts = [0, ...ends.filter((end) => end < text.length)];
  return starts.map((from, index) => {
    const to = starts[index + 1] ?? text.length;
    const clause = text.slice(from, to).trim();
    return { from, to, weight: weighCues(clause) - (SUBORDINATE.test(clause) ? 3 : 0) };
  });
}

/**
 * Returns a sentence within a number of characters, if clauses without signs can be left out at its ends. An ellipsis
 * stands in the place of each, so that nobody takes the rest for the whole.
 */
export function shortenSentence(sentence: string, maxCharacters: number): string {
  const text = withoutLeadIn(sentence);
  if (text.length <= maxCharacters) return text;
  const clauses = clausesOf(text);
  const weights = clauses.map(({ weight }) => weight);
  const best = weights.indexOf(Math.max(...weights));
  let from = 0;
  let to = clauses.length;
  const join = (): string => {
    const kept = text.slice(clauses[from]?.from, clauses[to - 1]?.to).trim();
    return `${from > 0 ? '… ' : ''}${to < clauses.length ? `${kept.replace(/[,;，；—–]+$/u, '')} …` : kept}`;
  };
  while (join().length > maxCharacters && to - from > 1) {
    if (from < best && (to - 1 <= best || (weights[from] ?? 0) <= (weights[to - 1] ?? 0))) from++;
    else to--;
  }
  return join();
}
