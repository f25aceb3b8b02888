import { expect, oneEvent } from '@open-wc/testing';
import type { FrameMessage } from '@service-pay/contract/frame-messages';
import { StandInFrame, serviceOrigin, until } from '../test/stand-in-frame.ts';
import { FrameLink } from './frame-link.ts';
import type { LoadFailure } from './load-failure.ts';

const REQUEST = {
  key: 'pub_sandbox_demo',
  email: 'ann@example.com',
  reference: 'order-1',
  amount: '10.00',
};
const QUICK = { silenceMs: 10_000, silenceAfterLoadMs: 10_000, beatMs: 150 };

describe('frame link', () => {
  let link: FrameLink;
  let said: FrameMessage[];
  let wasSilent: boolean[];
  let failures: LoadFailure[];
  let ports: number;

  const open = async (key = REQUEST.key, patience = QUICK): Promise<StandInFrame> => {
    link = new FrameLink(serviceOrigin, key, patience);
    document.body.append(link.frame);
    const receive = (message: FrameMessage) => {
      said.push(message);
      wasSilent.push(link.isSilent);
    };
    link.watch({
      ready: () => ports++,
      said: receive,
      failed: (failure) => failures.push(failure),
    });
    link.open(() => ({ request: { ...REQUEST, key }, theme: {} }));
    return new StandInFrame(link.frame);
  };

  beforeEach(() => {
    said = [];
    wasSilent = [];
    failures = [];
    ports = 0;
  });

  const { close } = MessagePort.prototype;
  afterEach(() => {
    MessagePort.prototype.close = close;
    link.end();
    link.frame.remove();
  });

  it('the frame link hands over the request once the frame has greeted, and receives from it over a port', async () => {
    const frame = await open();
    await frame.receives('service-pay:open');
    frame.says({ type: 'money', state: 'unknown', turn: 7 });

    await until(() => said.some(({ type }) => type === 'money'));
    expect(ports).to.equal(1);
    expect(await frame.receives('noted')).to.deep.equal({ type: 'noted', turn: 7 });
  });

  it('the frame link lets only the service use passkeys, payment credentials and the clipboard', async () => {
    await open();

    expect(link.frame.allow.split('; ')).to.deep.equal([
      `payment ${serviceOrigin}`,
      `publickey-credentials-get ${serviceOrigin}`,
      `clipboard-write ${serviceOrigin}`,
    ]);
  });

  it('the frame link drops what comes from elsewhere, has another shape or an unknown type, without a throw (T23, T24, T30)', async () => {
    const frame = await open('pub_silent');
    await oneEvent(link.frame, 'load');
    const greeting = { type: 'service-pay:ready', versions: [1] };
    const source = link.frame.contentWindow;
    const send = (init: MessageEventInit) =>
      window.dispatchEvent(
        new MessageEvent('message', { data: greeting, source, origin: serviceOrigin, ...init }),
      );
    for (const origin of [
      `${serviceOrigin}.evil.example`,
      serviceOrigin.replace('http:', 'https:'),
      `${serviceOrigin}0`,
      'null',
      '',
    ])
      send({ origin });
    for (const other of [window, null]) send({ source: other });
    for (const data of [
      null,
      'service-pay:ready',
      [],
      { type: 'service-pay:ready' },
      { type: '__proto__' },
      { ...greeting, versions: '1' },
    ])
      send({ data });
    expect(ports).to.equal(0);

    send({});
    expect(ports).to.equal(1);
    await frame.receives('service-pay:open');
    for (const message of [
      null,
      'paid',
      { type: 'money' },
      { type: 'money', state: 'mine' },
      { type: 'toString' },
      { type: '__proto__' },
    ]) {
      frame.says(message as unknown as FrameMessage);
    }
    frame.says({ type: 'close' });
    await until(() => said.some(({ type }) => type === 'close'));
    expect(said.filter(({ type }) => type !== 'pong')).to.deep.equal([{ type: 'close' }]);
  });

  it('the frame link hands the request to nobody where the frame has gone to another origin since it greeted (T23)', async () => {
    link = new FrameLink(serviceOrigin, REQUEST.key, QUICK);
    link.watch({
      ready: () => ports++,
      said: (message) => said.push(message),
      failed: (failure) => failures.push(failure),
    });
    document.body.append(link.frame);
    await greeted(link.frame);
    const elsewhere = serviceOrigin.replace('127.0.0.1', 'localhost');
    link.frame.src = link.frame.src.replace(serviceOrigin, elsewhere);
    await greeted(link.frame);

    link.open(() => ({ request: REQUEST, theme: {} }));

    // Messages arrive in the order they were posted.
    link.frame.contentWindow!.postMessage({ type: 'stay' }, elsewhere, [
      new MessageChannel().port1,
    ]);
    const frame = new StandInFrame(link.frame);
    await frame.receives('stay' as 'ping');
    expect(ports).to.equal(1);
    expect(frame.received()).to.deep.equal([{ type: 'stay' }]);
  });

  it('the frame link uses the newest port alone when the frame greets again (T28, T29)', async () => {
    const frame = await open();
    await frame.receives('service-pay:open');
    frame.does('greet');
    await frame.receives('service-pay:open', 2);

    frame.says({ type: 'stay' });
    await until(() => said.some(({ type }) => type === 'stay'));
    expect(ports).to.equal(2);
  });

  it('the frame link drops a message of the old port that was on its way when the frame greeted again (T28)', async () => {
    // Firefox delivers what was posted before a port is closed; Chromium does not.
    MessagePort.prototype.close = () => {};
    const frame = await open();
    await frame.receives('service-pay:open');
    const greetAgain = ({ type }: FrameMessage) => {
      if (type !== 'stay') return;
      const data = { type: 'service-pay:ready', versions: [1] };
      const source = link.frame.contentWindow;
      window.dispatchEvent(new MessageEvent('message', { data, source, origin: serviceOrigin }));
    };
    link.watch({
      ready: () => ports++,
      said: (message) => {
        said.push(message);
        greetAgain(message);
      },
      failed: () => {},
    });

    frame.says({ type: 'stay' }, { type: 'close' });
    await frame.receives('service-pay:open', 2);
    frame.says({ type: 'shown' });
    await until(() => said.some(({ type }) => type === 'shown'));

    expect(ports).to.equal(2);
    expect(said.map(({ type }) => type).filter((type) => type !== 'pong')).to.deep.equal([
      'stay',
      'shown',
    ]);
  });

  it('the frame link finds a frame that responds to no heartbeat, and takes it back when it speaks again (T28, T29)', async () => {
    const frame = await open();
    await frame.receives('ping', 4);
    expect(failures).to.deep.equal([]);
    frame.does('mute');

    await until(() => failures.length > 0);
    expect(failures[0]).to.equal('stopped');
    expect(link.isSilent).to.equal(true);
    frame.says({ type: 'shown' });
    await until(() => said.some(({ type }) => type === 'shown'));
    expect(wasSilent.at(-1)).to.equal(false);
  });

  it('the frame link distinguishes a page that loads and does not greet from one that does not load (D13)', async () => {
    await open('pub_silent', { ...QUICK, silenceAfterLoadMs: 20 });

    await until(() => failures.length > 0);
    expect(failures).to.deep.equal(['refused']);
  });

  it('the frame link reports a policy that forbids the frame at once (T17)', async () => {
    await open('pub_silent');
    const violation = {
      effectiveDirective: 'frame-src',
      violatedDirective: 'frame-src',
      disposition: 'enforce' as const,
      originalPolicy: '',
    };
    const common = { ...violation, documentURI: location.href, statusCode: 200 };
    document.dispatchEvent(
      new SecurityPolicyViolationEvent('securitypolicyviolation', {
        ...common,
        blockedURI: 'https://elsewhere.example/',
      }),
    );
    expect(failures).to.deep.equal([]);

    document.dispatchEvent(
      new SecurityPolicyViolationEvent('securitypolicyviolation', {
        ...common,
        blockedURI: link.frame.src,
      }),
    );
    expect(failures).to.deep.equal(['policy']);
  });

  it('the frame link receives nothing after its end, and may be ended twice', async () => {
    const frame = await open();
    await frame.receives('service-pay:open');
    link.end();
    link.end();

    const event = { data: { type: 'service-pay:ready', versions: [1] }, origin: serviceOrigin };
    window.dispatchEvent(
      new MessageEvent('message', { ...event, source: link.frame.contentWindow }),
    );
    expect(ports).to.equal(1);
  });
});

async function greeted(frame: HTMLIFrameElement): Promise<void> {
  for (;;) {
    const { data, source } = (await oneEvent(window, 'message')) as unknown as MessageEvent;
    if (source === frame.contentWindow && data.type === 'service-pay:ready') return;
  }
}
