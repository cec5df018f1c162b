import { render } from 'preact';
import { App } from './parts/app.tsx';
import { isOpen, open, refreshCollections } from './state/database.ts';
import { followHistory } from './state/place.ts';
import { showPlace } from './state/query.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/query.css';
import './styles/documents.css';
import './styles/import.css';

render(<App />, document.getElementById('app')!);
followHistory(showPlace);
void open().then(showPlace);
// Another tab may have imported or dropped something meanwhile.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && isOpen.value) void refreshCollections().catch(() => undefined);
});
