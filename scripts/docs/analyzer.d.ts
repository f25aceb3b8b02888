// What we use of the analyzer, whose own types leave it out. Its command would write to package.json.

declare module '@custom-elements-manifest/analyzer/index.js' {
  import type { Package } from 'custom-elements-manifest/schema.js';

  export const ts: {
    readonly ScriptTarget: { readonly ES2022: number };
    createSourceFile(name: string, text: string, target: number, setParents: boolean): object;
  };
  export function create(options: { modules: object[]; plugins: object[] }): Package;
}

declare module '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js' {
  export function litPlugin(): object[];
}
