import { expect } from '@open-wc/testing';
import { NETWORKS } from '../test/stand-in-checkout.ts';
import { findNationalNumber, findNetwork } from './number.ts';

describe('phone number', () => {
  for (const form of [
    '0961111111',
    '961111111',
    '260961111111',
    '+260961111111',
    '00260961111111',
    '+260 96 111-1111',
    ' 096 111 1111 ',
  ]) {
    it(`reads "${form}" as the same national number (T46)`, () => {
      expect(findNationalNumber(form, NETWORKS)).to.equal('0961111111');
    });
  }

  it('reads no number from letters, too few digits, or another country (T46)', () => {
    expect(
      ['', 'abc', '096', '096111111a', '+1 202 555 0100', '1'.repeat(20)].map((text) =>
        findNationalNumber(text, NETWORKS),
      ),
    ).to.deep.equal(Array(6).fill(undefined));
  });

  it('finds the network as soon as the prefix is typed, in every form', () => {
    expect(
      ['096', '96', '+26096', '260 97', '095'].map((text) => findNetwork(text, NETWORKS)?.name),
    ).to.deep.equal(['MTN', 'MTN', 'MTN', 'Airtel', 'Zamtel']);
    expect(['', '0', '09', '02'].map((text) => findNetwork(text, NETWORKS))).to.deep.equal(
      Array(4).fill(undefined),
    );
  });
});
