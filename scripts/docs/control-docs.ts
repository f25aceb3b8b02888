import { buildOpenApi } from '@service-pay/contract/openapi';
import { CALLS, type Call, CONTROL_COMPONENTS } from '@service-pay/sandbox/documented';

type Schemas = Record<string, { properties?: object; required?: string[] }>;

/** Returns every control call of the sandbox, with the method and the body, as a table. */
export function writeControl(): string {
  const { components } = buildOpenApi({ version: '0', components: CONTROL_COMPONENTS });
  const { schemas } = components as { schemas: Schemas };
  const rows = Object.entries<Call>(CALLS).map(
    ([name, { route, body, query, summary, effect }]) => {
      const sent = body ? fieldsOf(schemas[body.name]!) : query ? `?${query.join(', ')}` : '';
      const [method, path] = route.split(' ');
      return `| \`${name}\` \`${method} ${path}\` | ${sent && `\`${sent}\``} | ${summary}. ${effect} |`;
    },
  );
  return `\n${['| method of `control`, call after `/_sandbox` | query or body | effect |', '| --- | --- | --- |', ...rows].join('\n')}\n\n`;
}

function fieldsOf({ properties = {}, required = [] }: Schemas[string]): string {
  const fields = Object.keys(properties).map((name) =>
    required.includes(name) ? name : `${name}?`,
  );
  return `{ ${fields.join(', ')} }`;
}
