import type { RankNotice } from '@cairn/retrieval';
import type { Language } from '@cairn/tool/kernel';

/** What a search states besides its results, in the words below. */
export type SearchNoticeCode =
  | RankNotice['code']
  | 'GAPS_NOT_CHANGED'
  | 'INACTIVE_LEFT_OUT'
  | 'LONG_QUERY'
  | 'UNREADABLE_ASSETS';

export interface SearchNotice {
  readonly code: SearchNoticeCode;
  readonly message: string;
}

/** What a server of embeddings did, which its notice says. */
type EmbedCode = Extract<SearchNoticeCode, `EMBED_${string}`>;

export function isOfEmbeddings(code: SearchNoticeCode): code is EmbedCode {
  return code.startsWith('EMBED_');
}

type OwnCode = Exclude<SearchNoticeCode, EmbedCode> | 'NEAR_IN_MEANING';

const messages: Readonly<Record<Language, Readonly<Record<OwnCode, (names: string) => string>>>> = {
  en: {
    NOTHING_TO_SEARCH: () => 'The query has no word to search for; add one.',
    COMMON_WORDS_ONLY: () => 'The query has only common words, and the search used those; name the subject.',
    SIMILAR_WORDS_ONLY: () =>
      'No asset has a word of the query; these results have words with a similar spelling and may be about something else.',
    LITTLE_EVIDENCE: () =>
      'No asset has enough of the words of the query; these results have some of them and may be about something else.',
    NEAR_IN_MEANING: () =>
      'No asset has enough of the words of the query; these results are near to it in meaning and may be about something else.',
    UNREADABLE_ASSETS: (number) =>
      `Assets that this version cannot read, which were not searched: ${number}. A later version of Cairn may have written them; update it.`,
    LONG_QUERY: () => 'Only the first 2,000 characters of the query were searched for; ask a shorter question.',
    GAPS_NOT_CHANGED: (reason) => `The list of questions without an answer could not be changed: ${reason}`,
    INACTIVE_LEFT_OUT: (ids) => `Left out because they are deprecated or superseded: ${ids}. get_asset reads them.`,
  },
  zh: {
    NOTHING_TO_SEARCH: () => '查询中没有可以搜索的词；请加上一个。',
    COMMON_WORDS_ONLY: () => '查询中只有常用词，搜索使用了这些词；请写明主题。',
    SIMILAR_WORDS_ONLY: () => '没有资产包含查询中的词；这些结果只是拼写相近，内容可能无关。',
    LITTLE_EVIDENCE: () => '没有资产包含足够多的查询词；这些结果只包含一部分，内容可能无关。',
    NEAR_IN_MEANING: () => '没有资产包含足够多的查询词；这些结果只是意思相近，内容可能无关。',
    UNREADABLE_ASSETS: (number) => `有 ${number} 条资产本版本无法读取，未被搜索；可能由更新版本的 Cairn 写入，请升级。`,
    LONG_QUERY: () => '只搜索了查询的前 2,000 个字符；请缩短问题。',
    GAPS_NOT_CHANGED: (reason) => `无法更改未回答问题的列表：${reason}`,
    INACTIVE_LEFT_OUT: (ids) => `以下资产已弃用或被取代，未列入结果：${ids}。可用 get_asset 读取。`,
  },
};

export function noticeOf(code: OwnCode, language: Language, names: readonly string[] = []): SearchNotice {
  const message = messages[language][code](names.join(language === 'zh' ? '、' : ', '));
  return { code: code === 'NEAR_IN_MEANING' ? 'LITTLE_EVIDENCE' : code, message };
}
