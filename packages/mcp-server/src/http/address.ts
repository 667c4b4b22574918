/** The only address that the server listens on. */
export const HOST = '127.0.0.1';

/** The path of the endpoint. */
export const PATH = '/mcp';
