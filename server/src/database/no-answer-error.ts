/**
 * The database gave no answer, or not in time: what was asked of it may or may not have been done.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}
