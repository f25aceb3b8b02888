import { configure } from '@service-pay/widget';
import '@service-pay/widget/define';
import { createApp } from 'vue';

import { serviceUrl } from '../shop.ts';
import App from './App.vue';

configure({ serviceUrl });
createApp(App).mount('#app');
