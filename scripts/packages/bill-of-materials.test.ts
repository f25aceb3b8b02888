import { expect, test } from 'vitest';

import { withPackageAsSubject } from './bill-of-materials.ts';

const component = (name: string, url?: string) => ({
  'bom-ref': `${name}@1.0.0`,
  name,
  externalReferences: url ? [{ type: 'distribution', url }] : [],
});

const BILL = {
  metadata: { component: component('stand-in') },
  components: [
    component('@service-pay/contract', 'file:/home/me/contract.tgz'),
    component('@service-pay/widget', 'file:/home/me/widget.tgz'),
    component('valibot', 'https://registry.example/valibot.tgz'),
  ],
  dependencies: [
    { ref: 'stand-in@1.0.0', dependsOn: ['@service-pay/widget@1.0.0'] },
    { ref: '@service-pay/widget@1.0.0', dependsOn: ['@service-pay/contract@1.0.0'] },
  ],
};

test('a bill of materials is about the package, not about the project it was installed into', () => {
  const bill = withPackageAsSubject(BILL, '@service-pay/widget');

  expect(bill.metadata.component).toEqual(component('@service-pay/widget'));
  expect(bill.components).toEqual([
    component('@service-pay/contract'),
    component('valibot', 'https://registry.example/valibot.tgz'),
  ]);
  expect(bill.dependencies).toEqual([BILL.dependencies[1]]);
});

test('a package missing from its bill of materials fails the release', () => {
  expect(() => withPackageAsSubject(BILL, '@service-pay/server')).toThrow('@service-pay/server');
});
