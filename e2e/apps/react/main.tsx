import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';

import { App } from './app.tsx';

hydrateRoot(
  document.getElementById('app')!,
  <StrictMode>
    <App />
  </StrictMode>,
);
