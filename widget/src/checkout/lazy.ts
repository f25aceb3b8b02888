/** What the frame loads after its first form. */
export { rehearse } from './rehearse.ts';
export * from './screens/later-screens.ts';
export { glide } from './shell/glide.ts';
