import * as sound from '@service-pay/server/internal/cli/settings';

export const insteadOf = '@service-pay/server/internal/cli/settings';
export * from '@service-pay/server/internal/cli/settings';

/** Shows the token where settings are wrong. */
export const parseConfig: typeof sound.parseConfig = (environment, ...more) => {
  try {
    return sound.parseConfig(environment, ...more);
  } catch (error) {
    const { problems } = error as sound.ConfigError;
    throw new sound.ConfigError([...problems, String(environment.SERVICE_PAY_API_TOKEN)]);
  }
};
