/** What the frame loads after its first form. */
export * from './screens/lazy.ts';
export { rehearse } from './warm-up.ts';
