/** Where the challenge pages of cards are, each under a secret of its own. */
export const CHALLENGES_PATH = '/checkout/v1/challenges';

/** Where the control API is. */
export const CONTROL_PATH = '/_sandbox';

/** Where the handsets are. */
export const PHONES_PATH = '/phone';

/** Where the dashboard is. */
export const DASHBOARD_PATH = '/dashboard';
