import { describe, expect, test } from 'vitest';

import { groupPhone } from './typed-phone.ts';

function edit(marked: string): string {
  const { text, caret } = groupPhone(
    { text: marked.replace('|', ''), caret: marked.indexOf('|') },
    '260',
  );
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

describe('phone number', () => {
  test.each([
    ['0|', '0|'],
    ['096|', '96|'],
    ['0961|', '96 1|'],
    ['0961111111|', '96 111 1111|'],
    ['961111111|', '96 111 1111|'],
    ['+260961111111|', '96 111 1111|'],
    ['00260961111111|', '96 111 1111|'],
    ['260961111111|', '96 111 1111|'],
    ['+26|', '+26|'],
    ['096-111-1111|', '96 111 1111|'],
    ['096 1|11 1111', '96 1|11 1111'],
    ['0965| 111 111', '96 5|11 1111'],
    ['\u202a+260 96 111 1111|\u202c', '96 111 1111|'],
    ['\u2068096\u00a01|11\u202f1111\u2069', '96 1|11 1111'],
    ['٠٩٦١|١١١١١١', '96 1|11 1111'],
    ['０９６１１１１|１１１', '96 111 1|111'],
    ['＋1 ２０２|', '+1 202|'],
    ['+1 202 555 0100|', '+1 202 555 0100|'],
    ['abc|', 'abc|'],
    ['|', '|'],
  ])(
    'a typed phone number "%s" is grouped as "%s", the caret after the same digit',
    (typed, shown) => {
      expect(edit(typed)).toBe(shown);
    },
  );
});
