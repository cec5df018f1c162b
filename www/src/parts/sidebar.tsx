/** The collections: what there is, how large it is, and how to get rid of it. */
import { useState } from 'preact/hooks';
import { bytes, count, counted } from '../data/format.ts';
import { collections, dropCollection, type CollectionEntry } from '../state/database.ts';
import { place } from '../state/place.ts';
import { openAddData } from '../state/query.ts';
import { ask } from './confirm.tsx';
import { CollectionIcon, MenuIcon, PlusIcon, TrashIcon } from './icons.tsx';

export function askToDrop({ name, documents }: CollectionEntry): void {
  ask({
    title: `Drop “${name}”?`,
    text: `Its ${counted(documents, 'document')} and all its indexes are deleted from this browser. This cannot be undone.`,
    action: 'Drop collection',
    async perform() {
      await dropCollection(name);
      if (place.value.collection === name) openAddData();
    },
  });
}

const Entry = ({ entry, onOpen }: { entry: CollectionEntry; onOpen: (name: string) => void }) => {
  const { name, documents } = entry;
  return (
    <li class="collection">
      <button type="button" class="collection-open" aria-current={place.value.collection === name ? 'page' : undefined}
        title={name} onClick={() => onOpen(name)}>
        <CollectionIcon />
        <span class="collection-name">{name}</span>
        <span class="collection-count">{count(documents)}<span class="visually-hidden"> documents</span></span>
        {entry.bytes !== undefined && <span class="collection-bytes">{bytes(entry.bytes)}</span>}
      </button>
      <button type="button" class="button quiet collection-drop" aria-label={`Drop ${name}`} title={`Drop ${name}`} onClick={() => askToDrop(entry)}>
        <TrashIcon />
      </button>
    </li>
  );
};

export const Sidebar = ({ onOpen, onAdd }: { onOpen: (name: string) => void; onAdd: () => void }) => {
  const [shown, setShown] = useState(false);
  const entries = collections.value ?? [];
  const choose = (name: string): void => {
    setShown(false);
    onOpen(name);
  };
  return (
    <nav class="sidebar" aria-label="Collections" data-shown={shown}>
      <button type="button" class="sidebar-toggle button" aria-expanded={shown} aria-controls="collections" onClick={() => setShown(!shown)}>
        <MenuIcon /> {place.value.collection ?? 'Collections'} <span class="badge">{entries.length}</span>
      </button>
      <div class="sidebar-body" id="collections">
        <h2 class="sidebar-title">Collections</h2>
        {entries.length === 0 && <p class="sidebar-empty">None yet. Import a sample or a file of your own.</p>}
        <ul class="collections">{entries.map((entry) => <Entry entry={entry} onOpen={choose} key={entry.name} />)}</ul>
        <button type="button" class="button add" aria-current={place.value.collection === undefined ? 'page' : undefined}
          onClick={() => { setShown(false); onAdd(); }}><PlusIcon /> Add data</button>
        <p class="sidebar-foot">A database that runs in this page. Nothing you import leaves your machine. Not affiliated with MongoDB, Inc.</p>
      </div>
    </nav>
  );
};
