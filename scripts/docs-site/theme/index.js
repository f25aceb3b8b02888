import DefaultTheme from 'vitepress/theme-without-fonts';

import LanguageTabs from './LanguageTabs.vue';
import PaymentPlayground from './PaymentPlayground.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LanguageTabs', LanguageTabs);
    app.component('PaymentPlayground', PaymentPlayground);
  },
};
