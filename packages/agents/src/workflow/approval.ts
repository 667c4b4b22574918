/** What a person decided about a call that waits for approval. */
export type ApprovalDecision =
  /** `input` replaces the arguments. */
  | { readonly isApproved: true; readonly input?: unknown }
  | { readonly isApproved: false; readonly reason?: string | undefined };

const YES = ['y', 'yes', 'ok', 'okay', 'approve', 'approved', '同意', '批准', '允许', '可以', '是', '好', '好的'];
const NO = ['n', 'no', 'refuse', 'refused', 'reject', 'deny', '拒绝', '不', '不同意', '不可以', '否', '不行', '不允许'];

/**
 * Reads the message of a user as a decision. Only these words alone approve a call; every other message is a reason to reject it,
 * so that no call runs by a misreading.
 */
export function decisionOf(message: string): ApprovalDecision {
  const word = message
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s.。!！,，]+/gu, '');
  if (YES.includes(word)) return { isApproved: true };
  return NO.includes(word) ? { isApproved: false } : { isApproved: false, reason: message };
}
