import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { enhanceAppWithTabs } from 'vitepress-plugin-tabs/client';

import PaymentPlayground from './PaymentPlayground.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    enhanceAppWithTabs(app);
    app.component('PaymentPlayground', PaymentPlayground);
  },
} satisfies Theme;
