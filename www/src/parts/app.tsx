/** The page as a whole. */
import { useEffect, useRef } from 'preact/hooks';
import { collections, connection, open, reopen, storeNotice } from '../state/database.ts';
import { importFiles } from '../state/imports.ts';
import { place } from '../state/place.ts';
import { openAddData, openCollection, showPlace } from '../state/query.ts';
import { AddData } from './add_data.tsx';
import { CollectionPage } from './collection_page.tsx';
import { Confirm } from './confirm.tsx';
import { FileDrop } from './file_drop.tsx';
import { Header } from './header.tsx';
import { Sidebar } from './sidebar.tsx';
import { Trouble } from './trouble.tsx';

const Opening = () => (
  <div class="center" role="status"><span class="spinner" /> <p>Opening the database…</p></div>
);

const Failed = ({ error }: { error: unknown }) => {
  const retry = (inMemory: boolean): void => void open({ inMemory }).then(showPlace);
  return (
    <div class="center">
      <div class="failed">
        <Trouble title="The database cannot be opened" error={error} />
        <p>Browsers refuse storage in some private windows, when the disk is full, or when the site’s data are blocked. You can look around all the same, with a database in memory that ends with this page.</p>
        <div class="row">
          <button type="button" class="button primary" onClick={() => retry(true)}>Use memory</button>
          <button type="button" class="button" onClick={() => retry(false)}>Try again</button>
        </div>
      </div>
    </div>
  );
};

const Missing = ({ name }: { name: string }) => (
  <div class="empty">
    <h1>There is no collection “{name}”</h1>
    <p>It may have been dropped, or the link is from another browser: what you import is kept in this one only.</p>
    <button type="button" class="button primary" onClick={openAddData}>Add data</button>
  </div>
);

const Main = () => {
  const name = place.value.collection;
  if (name === undefined) return <AddData />;
  if (!collections.value?.some((entry) => entry.name === name)) return <Missing name={name} />;
  return <CollectionPage name={name} key={name} />;
};

const Notice = () => storeNotice.value === undefined ? null : (
  <div class="notice" role="alert">
    <p><strong>The stored data are out of reach:</strong> {storeNotice.value}.</p>
    <button type="button" class="button" onClick={() => void reopen().then(showPlace)}>Open it again</button>
  </div>
);

export const App = () => {
  const state = connection.value;
  const name = place.value.collection;
  const before = useRef(name);
  useEffect(() => {
    document.title = name === undefined ? 'PandoDB Playground' : `${name} – PandoDB Playground`;
    // What had the focus may have gone with the part that was left: then reading goes on where the new one begins.
    if (before.current !== name && document.activeElement === document.body) document.getElementById('main')?.focus();
    before.current = name;
  }, [name]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the content</a>
      <Header />
      <Notice />
      {state.state === 'opening' && <main id="main" tabIndex={-1}><Opening /></main>}
      {state.state === 'failed' && <main id="main" tabIndex={-1}><Failed error={state.error} /></main>}
      {state.state === 'open' && (
        <div class="columns">
          <Sidebar onOpen={openCollection} onAdd={openAddData} />
          <main id="main" tabIndex={-1}><Main /></main>
        </div>
      )}
      {state.state === 'open' && <FileDrop onFiles={(files) => { openAddData(); importFiles(files, ''); }} />}
      <Confirm />
    </>
  );
};
