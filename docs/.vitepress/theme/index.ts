import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { enhanceAppWithTabs } from 'vitepress-plugin-tabs/client';
import { h } from 'vue';

import popup from '../../popup.png';
import PaymentPlayground from './PaymentPlayground.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-after': () =>
        h('img', {
          class: 'popup-picture',
          src: popup,
          width: 1764,
          height: 1182,
          alt: 'The popup on a phone: the card form, a payment to approve on the phone, and a successful payment with its receipt',
        }),
    }),
  enhanceApp({ app }) {
    enhanceAppWithTabs(app);
    app.component('PaymentPlayground', PaymentPlayground);
  },
} satisfies Theme;
