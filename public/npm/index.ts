import { configure } from '@service-pay/widget';
import '@service-pay/widget/define';
import './preload.ts';
import './react.tsx';
import './theming.ts';

configure({ serviceUrl: 'http://localhost:4010' });
