import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../random.ts';
import type { AttackPlan, AttackReport } from './f14-under-attack.ts';

// Attacks the shop on this port until the parent process sends a message: some connections never end
// their headers, others post unsigned webhooks. Reports when the attack begins, and loads little
// before, so that the start does not count as part of the attack.

const LINE_EVERY_MS = 2_000;
const TICK_MS = 10;
const SENDERS = 64;
const LET_GO_WITHIN_MS = 15_000;

const WELL_FORMED = 'a'.repeat(128);

const { port, path, slowConnections, unsignedPerSecond, patienceMs, leastUnsigned, seed } =
  JSON.parse(process.argv[2]!) as AttackPlan;
const report: AttackReport = {
  slowOpened: 0,
  slowClosed: 0,
  longestHeldMs: 0,
  slowResponses: {},
  unsignedSent: 0,
  unsignedResponses: {},
  cameForMs: 0,
  completedAfterMs: 0,
};
const unreadResponses = new Set<Promise<void>>();
const random = new Random(seed);
const began = performance.now();
let isOver = false;

process.once('disconnect', () => process.exit(0)); // whoever started it is gone
process.once('message', () => void end());
const held = Array.from({ length: slowConnections }, dawdleOn);
const sending = sendUnsigned();
process.send?.('begun');

async function end(): Promise<void> {
  const stoppedAt = performance.now();
  const areEnough = () =>
    report.slowOpened >= slowConnections && report.unsignedSent >= leastUnsigned;
  while (!areEnough() && performance.now() - stoppedAt < patienceMs) await pause(TICK_MS);
  isOver = true;
  report.cameForMs = performance.now() - began;
  await sending;
  await Promise.race([Promise.all(held), pause(LET_GO_WITHIN_MS)]);
  await Promise.all(unreadResponses);
  report.completedAfterMs = performance.now() - began;
  process.send?.(report, () => process.exit(0));
}

/** Holds a connection with one header line after the other, and opens another when it is closed. */
async function dawdleOn(): Promise<void> {
  await pause(random.below(LINE_EVERY_MS));
  while (!isOver) await dawdle();
}

function dawdle(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    let openedAt = performance.now();
    const timer = setInterval(() => socket.write('X-Slow: 1\r\n'), LINE_EVERY_MS);
    socket.on('connect', () => {
      report.slowOpened++;
      openedAt = performance.now();
      socket.write(`POST ${path} HTTP/1.1\r\nHost: shop\r\n`);
    });
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      report.slowClosed++;
      report.longestHeldMs = Math.max(
        report.longestHeldMs,
        Math.round(performance.now() - openedAt),
      );
      count(report.slowResponses, received);
      resolve();
    });
  });
}

/**
 * Sends at this rate over a few connections, one request at a time on each: fewer if the shop is
 * slower.
 */
async function sendUnsigned(): Promise<void> {
  const senders = Array.from({ length: SENDERS }, buildSender);
  while (!isOver) {
    const due = ((performance.now() - began) * unsignedPerSecond) / 1_000 - report.unsignedSent;
    for (const sender of senders.filter(({ isFree }) => isFree()).slice(0, Math.max(0, due))) {
      const response = sender.send(report.unsignedSent++).then((text) => {
        count(report.unsignedResponses, text);
        unreadResponses.delete(response);
      });
      unreadResponses.add(response);
    }
    await pause(TICK_MS);
  }
}

function buildSender() {
  let isFree = true;
  let socket: Socket | undefined;
  return {
    isFree: () => isFree,
    send(number: number): Promise<string> {
      isFree = false;
      const body = JSON.stringify({
        event: 'collection.successful',
        data: { reference: `stranger-${number}` },
      });
      const signature = number % 2 ? `X-ServicePay-Signature: ${WELL_FORMED}\r\n` : '';
      const used =
        !socket || socket.destroyed ? connect(port, '127.0.0.1').on('error', () => {}) : socket;
      socket = used;
      return new Promise((resolve) => {
        let received = '';
        const receive = (data: Buffer) => {
          received += data;
          if (received.includes('\r\n\r\n') && received.endsWith('}')) finish();
        };
        const finish = () => {
          used.off('data', receive).off('close', finish);
          if (/^connection: close/im.test(received)) socket = undefined;
          isFree = true;
          resolve(received);
        };
        used.on('data', receive).once('close', finish);
        used.write(
          `POST ${path} HTTP/1.1\r\nHost: shop\r\n${signature}Content-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
    },
  };
}

function count(statuses: Record<string, number>, received: string): void {
  const status = received.slice(9, 12) || 'none';
  statuses[status] = (statuses[status] ?? 0) + 1;
}
