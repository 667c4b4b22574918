import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServerError } from '../errors.ts';
import { HOST } from './address.ts';

/**
 * Starts to listen on this machine. Returns the port.
 *
 * @throws {McpServerError} `PORT_IN_USE`, `PORT_REFUSED`.
 */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const isInUse = error.code === 'EADDRINUSE';
      const what = isInUse ? 'is in use' : `cannot be used (${error.message})`;
      const message = `port ${port} of ${HOST} ${what}; use another port, or 0 for any free one`;
      reject(new McpServerError(isInUse ? 'PORT_IN_USE' : 'PORT_REFUSED', message, { cause: error }));
    };
    server.once('error', fail);
    server.listen(port, HOST, () => {
      server.off('error', fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
