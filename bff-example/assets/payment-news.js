// @ts-check
// What the shop's server knows of a payment, as it changes: told by its event stream, asked for
// beneath that, and asked for at once
// whenever this page may have missed something.

import { ApiError, askPayment } from './api.js';

/**
 * Asking makes the shop's server ask the service; while that works, often, since a customer is
 * looking.
 */
const ASK_EVERY_MS = 3_000;

/** While asking fails, less and less often. */
const LONGEST_PAUSE_MS = 15_000;

/** A stream that was refused is asked for again after this. */
const STREAM_AGAIN_MS = 30_000;

/**
 * What is known now. `not-known`: the server could not learn it; `unreachable`: this page could not
 * ask the server; `unknown-order`: this browser made no such order. `asksFirst`: it failed since
 * the shop refused it, so nobody should pay again without a word with the shop.
 * @typedef {{ status: 'pending' | 'successful' | 'failed' | 'not-known' | 'unreachable' | 'unknown-order', message?: string, reference?: string, amount?: string, currency?: string, asksFirst?: boolean, isInReview?: boolean }} News
 */

/**
 * Follows a payment and tells what is known of it, until it has come to an end or the function it
 * gives is called.
 * @param {string} reference
 * @param {(news: News) => void} tell
 */
export function followPayment(reference, tell) {
  const ended = new AbortController();
  const { signal } = ended;
  /** @type {EventSource | undefined} */
  let stream;
  let streamRefusedAt = Number.NEGATIVE_INFINITY;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let pause = ASK_EVERY_MS;
  let isAsking = false;
  let isLeft = false;
  /** @type {News['status'] | undefined} */
  let end;

  signal.addEventListener('abort', () => {
    stream?.close();
    clearTimeout(timer);
  });
  // A page that slept, was kept aside by the browser, or lost its network may have missed the one
  // event that matters.
  document.addEventListener(
    'visibilitychange',
    () => (document.visibilityState === 'visible' ? catchUp() : clearTimeout(timer)),
    {
      signal,
    },
  );
  addEventListener('pageshow', ({ persisted }) => persisted && catchUp(), { signal });
  addEventListener('online', catchUp, { signal });
  addEventListener('offline', () => tell({ status: 'unreachable' }), { signal });

  openStream();
  void ask();
  return () => {
    isLeft = true;
    ended.abort();
  };

  function catchUp() {
    pause = ASK_EVERY_MS;
    if (stream?.readyState !== EventSource.OPEN) openStream();
    void ask();
  }

  function openStream() {
    stream?.close();
    stream = new EventSource(`/api/payments/${reference}/events`);
    stream.addEventListener('payment', ({ data }) => void hear(JSON.parse(data)), { signal });
    stream.addEventListener('error', onStreamError, { signal });
  }

  /** The browser connects again by itself, except where the server refused. */
  function onStreamError() {
    if (stream?.readyState === EventSource.CLOSED) streamRefusedAt = Date.now();
  }

  /**
   * An end is told at once; why it failed is asked for after it. A payment still pending is no
   * news. @param {News} payment
   */
  async function hear(payment) {
    if (payment.status !== 'successful' && payment.status !== 'failed') return;
    end = payment.status;
    ended.abort();
    tell(payment);
    if (end === 'failed') await ask();
  }

  async function ask() {
    if (isAsking) return;
    isAsking = true;
    clearTimeout(timer);
    const news = await learn();
    isAsking = false;
    pause = news.status === 'pending' ? ASK_EVERY_MS : Math.min(pause * 1.5, LONGEST_PAUSE_MS);
    if (isLeft || (end && news.status !== end)) return;
    if (news.status === 'successful' || news.status === 'failed' || news.status === 'unknown-order')
      ended.abort();
    else plan();
    tell(news);
  }

  /** @returns {Promise<News>} */
  async function learn() {
    try {
      const { data, message } = await askPayment(reference);
      return /** @type {News} */ ({ ...data, message });
    } catch (error) {
      const httpStatus = error instanceof ApiError ? error.httpStatus : 0;
      if (httpStatus === 404) return { status: 'unknown-order' };
      return { status: httpStatus === 0 ? 'unreachable' : 'not-known' };
    }
  }

  /** Asks again later; not while nobody looks, since `catchUp` does so once somebody does. */
  function plan() {
    clearTimeout(timer);
    if (signal.aborted || isAsking || document.visibilityState === 'hidden') return;
    timer = setTimeout(onTime, pause);
  }

  function onTime() {
    if (
      stream?.readyState === EventSource.CLOSED &&
      Date.now() - streamRefusedAt >= STREAM_AGAIN_MS
    )
      openStream();
    void ask();
  }
}
