import { expect } from '@open-wc/testing';
import { LANGUAGES, type Language } from '@service-pay/contract/languages';
import { messages as ar } from './messages/ar.ts';
import { messages as fr } from './messages/fr.ts';
import { messages as pt } from './messages/pt.ts';
import { messages as sw } from './messages/sw.ts';
import { loadMessages, messages } from './messages.ts';
import { serviceOrigin } from './test/stand-in-frame.ts';

const TRANSLATIONS = { fr, pt, sw, ar };

describe('the words of the page’s side', () => {
  it('the words of the page’s side are all there in each language, in its own words', () => {
    expect(Object.keys(TRANSLATIONS)).to.deep.equal(
      LANGUAGES.filter((language) => language !== 'en'),
    );
    for (const [language, words] of Object.entries(TRANSLATIONS)) {
      expect(Object.keys(words), language).to.deep.equal(Object.keys(messages));
      expect(words.lang).to.equal(language);
      for (const [name, text] of Object.entries(words)) {
        expect(text.trim(), `${language} ${name}`).not.to.equal('');
        expect(text, `${language} ${name}`).not.to.equal(messages[name as keyof typeof messages]);
        expect(text, `${language} ${name}`).not.to.match(/[!¡]/);
      }
    }
  });

  it('the words of the page’s side come from the service, and only what is a word of ours is taken from there', async () => {
    const words = await loadMessages(serviceOrigin, 'fr');

    expect(words.close).to.equal('Fermer');
    expect(words.lang).to.equal('fr');
    expect(words.retry, 'no text').to.equal(messages.retry);
    expect(words.offline, 'missing').to.equal(messages.offline);
    expect(Object.keys(words)).to.deep.equal(Object.keys(messages));
    expect(Object.getPrototypeOf(words)).to.equal(Object.prototype);
  });

  it('the words of the page’s side are English where the service has no such file, no such address, or nonsense in it', async () => {
    expect(await loadMessages(serviceOrigin, 'pt')).to.deep.equal(messages);
    expect(await loadMessages(serviceOrigin, 'sw')).to.deep.equal(messages);
    expect(await loadMessages('http://127.0.0.1:9', 'ar')).to.deep.equal(messages);
    expect(await loadMessages(serviceOrigin, '../../x' as Language)).to.deep.equal(messages);
  });

  it('the words of the page’s side are not requested in English', async () => {
    expect(await loadMessages('http://127.0.0.1:9', 'en')).to.deep.equal(messages);
    expect(
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/words/en')),
    ).to.equal(false);
  });
});
