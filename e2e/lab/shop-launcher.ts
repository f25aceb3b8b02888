import { type ServerProgram, startServerProgram } from '../../scripts/programs/server-program.ts';

interface ShopAddresses {
  databaseUrl: string;
  serviceUrl: string;
}

/** The settings of the template before a service that takes the sandbox's token. */
export function shopEnvironment({
  databaseUrl,
  serviceUrl,
}: ShopAddresses): Record<string, string> {
  return {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    SERVICE_PAY_API_URL: serviceUrl,
    SERVICE_PAY_SCRIPT_URL: `${serviceUrl}/js/v1/inline.js`,
    SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
    SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
  };
}

/** Starts the template as a program, and resolves when it responds. */
export function startShopProgram(
  addresses: ShopAddresses,
  environment: Record<string, string> = {},
): Promise<ServerProgram> {
  return startServerProgram('scripts/run.js', ['bff-example/src/main.ts'], {
    ...shopEnvironment(addresses),
    ...environment,
  });
}
