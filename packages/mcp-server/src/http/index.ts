export { serveHttp } from './serve.ts';
export type { HttpListener, ServeHttpOptions } from './serve.ts';
