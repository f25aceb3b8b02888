import { configure } from '@service-pay/widget';
import '@service-pay/widget/define';
import { mount } from 'svelte';

import { serviceUrl } from '../shop.ts';
import App from './App.svelte';

configure({ serviceUrl });
mount(App, { target: document.getElementById('app')! });
