const INVISIBLE = /[\p{Cf}\p{DI}]/gu;

/** Removes the marks that nobody sees and that contacts, chats and editors copy along (T128). */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}
