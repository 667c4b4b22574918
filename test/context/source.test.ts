/* eslint-disable typescript/no-floating-promises -- the source awaits nothing */
/** The tests of the document that the context modes come from, as it has them. */
import { ContextManager } from '@cairn/context';
import type { UnifiedMessage } from '@cairn/context';
import { describe, expect, it } from 'vitest';

const userMessage: UnifiedMessage = { role: 'user', content: '帮我写个组件' };

describe('ContextManager', () => {
  it('should create separate contexts for isolated mode', () => {
    const manager = new ContextManager();

    const ctx1 = manager.getContext('agent1', 'isolated');
    const ctx2 = manager.getContext('agent2', 'isolated');

    expect(ctx1).not.toBe(ctx2);
  });

  it('should share context in shared mode', () => {
    const manager = new ContextManager();

    const ctx1 = manager.getContext('agent1', 'shared');
    const ctx2 = manager.getContext('agent2', 'shared');

    expect(ctx1).toBe(ctx2);
  });

  it('should maintain separate histories', () => {
    const manager = new ContextManager();

    manager.addMessage('agent1', userMessage, 'isolated');
    manager.addMessage('agent2', userMessage, 'isolated');

    const ctx1 = manager.getContext('agent1', 'isolated');
    const ctx2 = manager.getContext('agent2', 'isolated');

    expect(ctx1.conversationHistory.length).toBe(1);
    expect(ctx2.conversationHistory.length).toBe(1);
  });
});
