export { serveHttp, type HttpListener, type ServeHttpOptions } from './serve.ts';
