import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';

import { ROOT } from '../programs/run-tool.ts';
import { buildReferencePages } from './reference.ts';
import { ROLES, type Role } from './roles.ts';

const ELSEWHERE: Record<string, string> = {
  'about.md': 'README.md',
  'packages/contract.md': 'contract/README.md',
  'packages/widget.md': 'widget/README.md',
  'packages/server.md': 'server/README.md',
  'packages/sandbox.md': 'sandbox/README.md',
  'packages/template.md': 'bff-example/README.md',
  'running.md': 'bff-example/operate/README.md',
  'conversations.md': 'sandbox/conversations/README.md',
  'changelog.md': 'CHANGELOG.md',
  'contributing.md': 'CONTRIBUTING.md',
  'security-policy.md': 'SECURITY.md',
};

const PICTURES = /\.(?:png|svg|jpg|webp)$/;

const LINK = /(\]\(|(?:href|src)=")(?!https?:|mailto:|#)([^)#"\s]+)(#[^)"\s]*)?/g;

const FENCES: Record<string, string> = { '.conf': 'nginx', '.service': 'ini', '.mjs': 'js' };

export interface SiteFiles {
  readonly pages: ReadonlyMap<string, string>;
  readonly pictures: ReadonlyMap<string, string>;
}

/**
 * Collects the pages of `docs/` and the READMEs beside them, the reference made from the source, a
 * page for each role, and a page for each file of the repository that one of them links to.
 */
export function collectPages(): SiteFiles {
  const tracked = listTracked();
  const sources = new Map(Object.entries(ELSEWHERE));
  for (const file of tracked)
    if (file.startsWith('docs/') && file.endsWith('.md') && !file.startsWith('docs/_include/'))
      sources.set(addressOf(file), file);
  sources.delete('index.md'); // the site has a home of its own

  const pages = new Map<string, string>();
  const shown = new Map<string, string>();
  const pictures = new Map<string, string>();
  const addresses = new Map([...sources].map(([address, file]) => [file, address]));
  const findAddress = (file: string) => {
    const address = addresses.get(file);
    if (address) return address;
    if (file === 'docs/README.md') return 'index.md';
    if (PICTURES.test(file)) return pictures.set(file, file) && file;
    if (!tracked.has(file) || extname(file) === '.md') return undefined;
    shown.set(file, `files/${file}.md`);
    return `files/${file}.md`;
  };
  for (const [address, file] of sources)
    pages.set(address, toSite(readFileSync(join(ROOT, file), 'utf8'), file, address, findAddress));
  for (const [file, address] of shown) pages.set(address, showFile(file));
  for (const [address, text] of Object.entries(buildReferencePages())) pages.set(address, text);
  for (const role of ROLES) pages.set(`${role.address}.md`, toRolePage(role));
  return { pages, pictures };
}

export function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? 'Untitled').replaceAll('`', '');
}

function listTracked(): Set<string> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n');
  return new Set(files.filter((file) => file && existsSync(join(ROOT, file))));
}

function addressOf(file: string): string {
  return file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
}

function toSite(
  text: string,
  file: string,
  address: string,
  findAddress: (file: string) => string | undefined,
): string {
  const linked = text.replace(LINK, (whole, before: string, target: string, anchor = '') => {
    const path = posix.normalize(posix.join(posix.dirname(file), target)).replace(/\/$/, '');
    const found = findAddress(path) ?? findAddress(`${path}/README.md`);
    if (!found) return before.startsWith(']') ? `${before}#not-on-this-site` : whole;
    const site = PICTURES.test(found) ? `/${found}` : relativeTo(address, found);
    return `${before}${site}${anchor}`;
  });
  return addTabs(addAnchors(withoutDeadLinks(linked))).replace(/^ *<!--[\s\S]*?-->\n/gm, '');
}

function relativeTo(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Replaces a link to something the site does not have, such as a source folder, with its text. */
function withoutDeadLinks(text: string): string {
  return text.replace(/\[([^\]]+)\]\(#not-on-this-site[^)]*\)/g, '$1');
}

function addAnchors(text: string): string {
  return text.replace(/^\| `([a-z]+(?:_[a-z]+)+)` \|(?! <a id)/gm, '| <a id="$1"></a>`$1` |');
}

function addTabs(text: string): string {
  return text.replace(/<!-- tabs -->\n([\s\S]*?)<!-- \/tabs -->/g, (_, inside: string) => {
    const level = /^(#+) /m.exec(inside)?.[1] ?? '##';
    const [, ...sections] = `\n${inside}`.split(new RegExp(`\n${level} `));
    const tabs = sections.map((section) => {
      const [name = '', ...lines] = section.split('\n');
      return { name, body: lines.join('\n') };
    });
    const names = tabs.map(({ name }) => name);
    // Plain elements, not slots of the component: VitePress then sends their text only once, as HTML.
    const panels = tabs.map(({ name, body }, at) => {
      const slug = slugOf(name);
      const attributes = `id="${slug}" role="tabpanel" aria-labelledby="tab-${slug}"`;
      return `<div ${attributes}${at ? ' hidden' : ''}>\n\n${body}\n\n</div>`;
    });
    return `<LanguageTabs names="${names.join('|')}" />\n\n${panels.join('\n\n')}\n`;
  });
}

/** Returns the anchor that GitHub gives a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .replace(/\s/g, '-');
}

function showFile(file: string): string {
  const fence = FENCES[extname(file)] ?? (extname(file).slice(1) || 'text');
  const text = readFileSync(join(ROOT, file), 'utf8').trimEnd();
  return `---\nsearch: false\n---\n\n# ${posix.basename(file)}\n\n\`${file}\`\n\n\`\`\`\`${fence}\n${text}\n\`\`\`\`\n`;
}

function toRolePage({ name, lead, entries }: Role): string {
  const rows = entries.map(([address, words, about]) => `| [${words}](./${address}) | ${about} |`);
  return `# ${name}\n\n${lead}\n\n| page | what it answers |\n| --- | --- |\n${rows.join('\n')}\n`;
}
