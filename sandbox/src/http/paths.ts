export const CHALLENGES_PATH = '/checkout/v1/challenges';

export const CONTROL_PATH = '/_sandbox';

export const PHONES_PATH = '/phone';

export const DASHBOARD_PATH = '/dashboard';
