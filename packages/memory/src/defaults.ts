/** The stream and the group that memory is kept in where nobody says another: by the tools and by `cairn memory`. */
export const DEFAULT_STREAM = 'agent';
export const DEFAULT_GROUP = 'default';
