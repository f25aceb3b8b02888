import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { runProgram } from '../../scripts/programs/run-tool.ts';
import { findFreePort } from '../../scripts/programs/server-program.ts';
import { findProgram } from '../lab/find-program.ts';
import { PATIENT } from '../lab/patience.ts';

const CONFIGURATION = readFileSync(
  fileURLToPath(new URL('../../bff-example/operate/nginx.conf', import.meta.url)),
  'utf8',
);

const nginx = findProgram('nginx', '-v') ?? '';
const openssl = findProgram('openssl', 'version') ?? '';

export const NGINX_IS_MISSING = !nginx || !openssl;

interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Nginx {
  url: string;
  plainPort: number;
  send(
    method: string,
    path: string,
    sent?: Sent,
  ): Promise<{ status: number; headers: IncomingHttpHeaders; text: string; json: any }>;
  open(method: string, path: string, sent?: Sent): Promise<IncomingMessage>;
  sendRaw(bytes: string): Promise<string>;
  flood(path: string, times: number): Promise<string>;
  stop(): Promise<void>;
}

export async function startNginx([one, two]: number[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const certificate = await makeCertificate(folder);
  const port = await findFreePort();
  const plainPort = await findFreePort();
  writeFileSync(
    join(folder, 'shop.conf'),
    CONFIGURATION.replace('127.0.0.1:3000', `127.0.0.1:${one}`)
      .replace('127.0.0.1:3001', `127.0.0.1:${two}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('listen 80', `listen 127.0.0.1:${plainPort}`)
      .replaceAll('shop.example', 'localhost')
      .replaceAll('/etc/ssl/shop/', `${folder}/`),
  );
  writeFileSync(join(folder, 'nginx.conf'), mainFile(folder));
  const files = ['-e', join(folder, 'error.log'), '-p', folder, '-c', join(folder, 'nginx.conf')];
  const { exitCode, output } = await runProgram(nginx, ['-t', ...files], { quiet: true });
  if (exitCode !== 0) throw new Error(`nginx does not take its configuration: ${output}`);
  const child = spawn(nginx, files, { stdio: 'ignore' });
  await vi.waitFor(() => once(connectTcp(port, '127.0.0.1'), 'connect').then(() => {}), PATIENT);

  const open = (
    method: string,
    path: string,
    { body, headers = {} }: Sent = {},
  ): Promise<IncomingMessage> => {
    const bytes =
      body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const sent = request({
      ...{
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path,
        method,
        ca: certificate,
        agent: false,
      },
      headers: {
        host: `localhost:${port}`,
        ...(bytes !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(bytes),
        }),
        ...headers,
      },
    });
    const responded = Promise.withResolvers<IncomingMessage>();
    sent.once('response', responded.resolve).on('error', responded.reject);
    sent.end(bytes);
    return responded.promise;
  };
  return {
    url: `https://localhost:${port}`,
    plainPort,
    open,
    async send(method, path, sent) {
      const response = await open(method, path, sent);
      const body = await text(response);
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: body,
        json: body.startsWith('{') ? JSON.parse(body) : undefined,
      };
    },
    async sendRaw(bytes) {
      const socket = connectTls({
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        ca: certificate,
      });
      socket.write(bytes);
      const head = Promise.withResolvers<string>();
      socket
        .once('data', (piece: Buffer) => head.resolve(piece.toString()))
        .once('error', head.reject);
      const response = await head.promise;
      socket.destroy();
      return response;
    },
    async flood(path, times) {
      const socket = connectTls({
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        ca: certificate,
      });
      const buildRequest = (connection: string) =>
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`;
      socket.write(buildRequest('keep-alive').repeat(times - 1) + buildRequest('close'));
      return text(socket);
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function mainFile(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return [
    ...[
      process.getuid?.() === 0 ? 'user root;' : '',
      'daemon off;',
      'worker_processes 2;',
      `pid ${folder}/nginx.pid;`,
    ],
    ...[
      'events { worker_connections 2048; }',
      'http {',
      'access_log off;',
      ...temporary,
      `include ${folder}/shop.conf;`,
      '}',
    ],
  ].join('\n');
}

async function makeCertificate(folder: string): Promise<string> {
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  const kind = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const args = ['req', '-x509', ...kind, ...files, ...names];
  const { output } = await runProgram(openssl, args, { quiet: true });
  if (!existsSync(join(folder, 'fullchain.pem')))
    throw new Error(`openssl made no certificate: ${output}`);
  return readFileSync(join(folder, 'fullchain.pem'), 'utf8');
}
