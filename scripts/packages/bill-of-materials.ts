export interface BillOfMaterials {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Component {
  'bom-ref': string;
  name: string;
  externalReferences: { type: string; url: string }[];
}

/**
 * Makes a package the subject of a CycloneDX bill, in place of the project that npm installed it
 * into, and removes the paths of the machine that packed it.
 */
export function withPackageAsSubject(bill: BillOfMaterials, name: string): BillOfMaterials {
  const components = bill.components.map((component) => ({
    ...component,
    externalReferences: component.externalReferences.filter(({ url }) => !url.startsWith('file:')),
  }));
  const subject = components.find((component) => component.name === name);
  if (!subject) throw new Error(`The bill of materials does not list ${name}.`);
  const project = bill.metadata.component['bom-ref'];
  return {
    ...bill,
    metadata: { ...bill.metadata, component: subject },
    components: components.filter((component) => component !== subject),
    dependencies: bill.dependencies.filter(({ ref }) => ref !== project),
  };
}
