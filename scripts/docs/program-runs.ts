/** A command, its exit code, its last line, and the names that later commands use of its output. */
export type ProgramRun = readonly [
  command: string,
  exitCode: number,
  lastLine: RegExp,
  learns?: Readonly<Record<string, RegExp>>,
];

const READ = /^Read from the file \/.*\/shop\.db\.$/;
const WRITTEN = /^Written to the file \/.*\/shop\.db\.$/;
const LAST_COMMAND = /^ {2}move-database {2}/;
const LAST_OPTION = /^ {2}--help {2,}show this text$/;

/** Commands beside a shop that has no order, in this order. */
export const FRESH_SHOP_RUNS: readonly ProgramRun[] = [
  ['npx --no -- service-pay', 1, LAST_COMMAND],
  ['npx --no -- service-pay --help', 0, LAST_COMMAND],
  ['npx --no -- service-pay unknown', 1, LAST_COMMAND],
  ['npx --no -- service-pay doctor --help', 0, LAST_OPTION],
  ['npx --no -- service-pay orders --help', 0, LAST_OPTION],
  ['npx --no -- service-pay replay --help', 0, LAST_OPTION],
  ['npx --no -- service-pay environment --help', 0, LAST_OPTION],
  ['npx --no -- service-pay migrate --help', 0, LAST_OPTION],
  ['npx --no -- service-pay move-database --help', 0, LAST_OPTION],
  ['npx --no -- service-pay doctor', 0, /^ok +Fulfilment +No paid order waits/],
  ['npx --no -- service-pay orders', 0, READ],
  ['npx --no -- service-pay replay', 0, READ],
  ['npx --no -- service-pay migrate', 0, WRITTEN],
  [
    'npx --no -- service-pay migrate --grant-to shop',
    1,
    /^--grant-to works with PostgreSQL only\.$/,
  ],
  ['npx --no -- service-pay environment', 0, READ],
  ['npx --no -- service-pay environment add', 1, /^on any port of this machine\.$/],
  ['npx --no -- service-pay environment forget', 1, /^on any port of this machine\.$/],
  ['npx --no -- service-pay environment add <service> <public-key>', 0, WRITTEN],
  ['npx --no -- service-pay environment forget <service> <public-key>', 0, WRITTEN],
];

/**
 * Commands beside a shop that has orders: one open, two parked, two in review, and one whose webhook
 * has arrived.
 */
export const SHOP_RUNS: readonly ProgramRun[] = [
  ['npx --no -- service-pay doctor', 1, /→ .*: npx --no -- service-pay orders waiting$/],
  ['npx --no -- service-pay doctor --delivery delivery.http', 0, /^ok +Signature +It is valid/],
  [
    'npx --no -- service-pay doctor --delivery none.http',
    1,
    /cannot be read \(ENOENT\)\. Pass the path of a saved webhook\.$/,
  ],
  ['npx --no -- service-pay orders', 0, READ],
  ['npx --no -- service-pay orders --json', 0, /^\{.*"parked":2,"problems":\[\]\}$/],
  ['npx --no -- service-pay orders --env-file .env', 0, READ],
  ['npx --no -- service-pay orders --database file:shop.db', 0, READ],
  ['npx --no -- service-pay orders awaiting-payment', 0, READ],
  ['npx --no -- service-pay orders needs-review', 0, READ],
  ['npx --no -- service-pay orders waiting', 0, READ],
  ['npx --no -- service-pay orders parked', 0, READ],
  ['npx --no -- service-pay orders find <open>', 0, READ],
  ['npx --no -- service-pay orders find parked@shop.example', 0, READ],
  ['npx --no -- service-pay orders show <parked>', 0, READ],
  ['npx --no -- service-pay orders show', 1, /^orders show needs one reference: npx --no -- /],
  ['npx --no -- service-pay orders show none', 1, / npx --no -- service-pay orders find <text>$/],
  ['npx --no -- service-pay orders accept', 1, /^orders accept needs one reference: npx --no -- /],
  ['npx --no -- service-pay orders accept <short> --by ann', 0, WRITTEN],
  ['npx --no -- service-pay orders accept <open>', 1, /^Nothing was changed: /],
  ['npx --no -- service-pay orders refuse <long>', 0, WRITTEN],
  ['npx --no -- service-pay orders close <refunded>', 1, /^orders close needs --reason <text>: /],
  ['npx --no -- service-pay orders close <refunded> --by ann --reason refunded', 0, WRITTEN],
  ['npx --no -- service-pay orders redrive <parked>', 0, WRITTEN],
  ['npx --no -- service-pay orders redrive --all', 0, WRITTEN],
  ['npx --no -- service-pay replay', 0, READ, { '<delivery>': /^([0-9a-f]{12}) /m }],
  ['npx --no -- service-pay replay <delivery>', 0, / npx --no -- service-pay orders show \S+$/],
  ['npx --no -- service-pay replay 0000', 1, / npx --no -- service-pay replay$/],
  ['npx --no -- service-pay replay --reference <open>', 0, / stays in awaiting-payment\. /],
  ['npx --no -- service-pay move-database', 1, / Stop the shop first\.$/],
];

/** In a folder that has the package for a database in a file alone. */
export const MOVE_WITHOUT_PG: readonly ProgramRun[] = [
  [
    'npx --no -- service-pay move-database file:shop.db --database <address>',
    1,
    /^The package pg is not installed\. Run: npm install pg$/,
  ],
];

/** Commands once the shop is stopped; `<address>` is an empty PostgreSQL database. */
export const MOVE_RUNS: readonly ProgramRun[] = [
  ['npx --no -- service-pay move-database file:none.db --database <address>', 1, /is not there/],
  [
    'npx --no -- service-pay move-database file:shop.db --database <address>',
    0,
    /^Start the shop on the new database\. /,
  ],
  ['npx --no -- service-pay orders --database <address>', 0, /^Read from the PostgreSQL database /],
];

/** Commands of the sandbox that end by themselves. `<checked>` posts its webhooks to `<port>`. */
export const SANDBOX_RUNS: readonly ProgramRun[] = [
  ['npx --no -- service-pay-sandbox --help', 0, /^ {2}2 {2}invalid arguments/],
  ['npx --no -- service-pay-sandbox -h', 0, /^ {2}2 {2}invalid arguments/],
  ['npx --no -- service-pay-sandbox --version', 0, /^\d+\.\d+\.\d+$/],
  ['npx --no -- service-pay-sandbox --prot 0', 2, /^See npx --no -- service-pay-sandbox --help\.$/],
  ['npx --no -- service-pay-sandbox --port 0 --exit-with-stdin', 0, /"why":"stdin ended"/],
  ['npx --no -- service-pay-sandbox check --help', 0, /^ {2}2 {2}invalid arguments/],
  ['npx --no -- service-pay-sandbox check', 2, /^See npx .* service-pay-sandbox check --help\.$/],
  [
    'npx --no -- service-pay-sandbox check --url <shop> --key pub_1 --token sec_1',
    1,
    /^\d+ ok, \d+ fail, \d+ not tried$/,
  ],
  [
    'npx --no -- service-pay-sandbox check --url <checked> --key pub_sandbox_demo --token sec_sandbox_demo --origin https://shop.example --other-key pub_sandbox_other --other-token sec_sandbox_other --numbers numbers.json --webhook-port <port> --patience 2',
    0,
    /^98 ok, 0 fail, 4 not tried$/,
  ],
  [
    'npx --no -- service-pay-sandbox check --url <sandbox> --key pub_sandbox_demo --token sec_sandbox_demo --json',
    0,
    /^91 ok, 0 fail, 11 not tried$/,
  ],
];

/** Commands that check the shop, one after another: each has the sandbox to itself. */
export const CHECK_SHOP_RUNS: readonly ProgramRun[] = [
  ['npx --no -- service-pay-sandbox check-shop --help', 0, /^ {2}2 {2}invalid arguments/],
  ['npx --no -- service-pay-sandbox check-shop', 2, /^See npx .* check-shop --help\.$/],
  [
    'npx --no -- service-pay-sandbox check-shop --shop <shop> --order order.json --sandbox <sandbox>',
    0,
    /^51 ok, 0 fail, 3 not tried$/,
  ],
  [
    "npx --no -- service-pay-sandbox check-shop --shop <shop> --order order.json --sandbox <sandbox> --only fulfilled --only never --page / --fulfilled 'grep ship shop.log' --header 'X-CSRFToken: {cookie:csrftoken}'",
    0,
    /^9 ok, 0 fail, 0 not tried$/,
  ],
  [
    `npx --no -- service-pay-sandbox check-shop --shop <shop> --order order.json --sandbox <sandbox> --fulfilled "grep 'order fulfilled' shop.log" --only fulfilled --only 'is failed'`,
    0,
    /^6 ok, 0 fail, 0 not tried$/,
  ],
  [
    'npx --no -- service-pay-sandbox check-shop --shop <service> --order order.json --sandbox <sandbox> --json',
    1,
    /^0 ok, 1 fail, 53 not tried$/,
  ],
];

/** Commands that run until Ctrl-C. npx exits with 130 then, whatever its program does. */
export const ENDLESS_RUNS: readonly ProgramRun[] = [
  ['npx --no -- service-pay-sandbox', 130, /"msg":"shutting down"/],
  [
    'npx --no -- service-pay-sandbox --webhook-url http://localhost:3000/webhooks/service-pay',
    130,
    /"msg":"shutting down"/,
  ],
  [
    'npx --no -- service-pay-sandbox --port 0 --clock virtual --seed 7 --history 100',
    130,
    /"msg":"shutting down"/,
  ],
  ['npx --no -- service-pay-sandbox --state sandbox.db', 130, /"msg":"shutting down"/],
  [
    'SANDBOX_TOKEN=only-for-tests npx --no -- service-pay-sandbox --host 0.0.0.0 --host sandbox',
    130,
    /"msg":"shutting down"/,
  ],
  [
    'npx --no -- service-pay-sandbox check --url <sandbox> --key pub_sandbox_demo --token sec_sandbox_demo',
    130,
    /^Stopped before the last rule\. /,
  ],
];

/** Commands that run until Ctrl-C, and have the sandbox to themselves. */
export const ENDLESS_CHECK_SHOP_RUNS: readonly ProgramRun[] = [
  [
    'npx --no -- service-pay-sandbox check-shop --shop <shop> --order order.json --sandbox <sandbox>',
    130,
    /^Stopped before the last rule\. /,
  ],
];

export const CREATE_RUNS: readonly ProgramRun[] = [
  ['npx --no -- create-service-pay my-shop --packages vendor', 0, /^ {2}npm run sandbox /],
  ['npx --no -- create-service-pay my-shop', 1, / is not empty\. Name a new or an empty folder\.$/],
  ['npx --no -- create-service-pay', 1, /^Name one new folder: npm create service-pay my-shop$/],
];

export const PROGRAM_RUNS = [
  ...FRESH_SHOP_RUNS,
  ...SHOP_RUNS,
  ...MOVE_RUNS,
  ...SANDBOX_RUNS,
  ...CHECK_SHOP_RUNS,
  ...ENDLESS_CHECK_SHOP_RUNS,
  ...ENDLESS_RUNS,
  ...CREATE_RUNS,
];
