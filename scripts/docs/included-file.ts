import { extname } from 'node:path';
import { MarkedPage } from './marked-page.ts';

const LANGUAGES: Readonly<Record<string, string>> = { '.mjs': 'js', '.html': 'html' };

/** Writes a file that another page prints, so that it stands on both and is changed on one. */
export function includeFile(page: string, name: string): string {
  const code = new MarkedPage(page).file(name);
  return `**\`${name}\`**\n\n\`\`\`${LANGUAGES[extname(name)]}\n${code}\`\`\`\n`;
}
