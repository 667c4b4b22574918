/** The stream and the group that the tools and `cairn memory` use by default. */
export const DEFAULT_STREAM = 'agent';
export const DEFAULT_GROUP = 'default';
