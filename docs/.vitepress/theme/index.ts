import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { enhanceAppWithTabs } from 'vitepress-plugin-tabs/client';

import MermaidDiagram from './MermaidDiagram.vue';
import PaymentPlayground from './PaymentPlayground.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    enhanceAppWithTabs(app);
    app.component('MermaidDiagram', MermaidDiagram);
    app.component('PaymentPlayground', PaymentPlayground);
  },
} satisfies Theme;
