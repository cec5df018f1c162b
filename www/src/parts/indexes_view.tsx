/** The indexes of a collection: what there is, a new one, and dropping them. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Document, IndexSpecification } from 'pandodb';
import { duration } from '../data/format.ts';
import { oneLine } from '../data/values.ts';
import { collection } from '../state/database.ts';
import { answer, runQuery } from '../state/query.ts';
import { ask } from './confirm.tsx';
import { PlusIcon, TrashIcon } from './icons.tsx';
import { Trouble } from './trouble.tsx';

interface Row {
  field: string;
  direction: 1 | -1;
}

/** The names of fields in the documents that are shown, for completion; one level of embedded documents too. */
function fieldNames(): string[] {
  const names = new Set<string>();
  for (const document of answer.value?.documents ?? []) {
    for (const [name, value] of Object.entries(document)) {
      names.add(name);
      if (Object.getPrototypeOf(value ?? 0) === Object.prototype) for (const inner of Object.keys(value as object)) names.add(`${name}.${inner}`);
    }
  }
  return [...names].sort();
}

const IndexRow = ({ index, onDrop }: { index: Document; onDrop: (name: string) => void }) => {
  const name = String(index.name);
  const kind = name === '_id_' ? 'unique, always there' : index.unique === true ? 'unique' : '';
  return (
    <tr>
      <th scope="row">{name}{kind !== '' && <> <span class="index-kind">{kind}</span></>}</th>
      <td class="code">{oneLine(index.key)}</td>
      <td class="index-drop">
        {name !== '_id_' && <button type="button" class="button quiet" aria-label={`Drop index ${name}`} title={`Drop ${name}`} onClick={() => onDrop(name)}><TrashIcon /></button>}
      </td>
    </tr>
  );
};

const KeyRow = ({ rows, at }: { rows: Signal<Row[]>; at: number }) => {
  const { field, direction } = rows.value[at]!;
  const change = (changed: Partial<Row>): void => {
    rows.value = rows.value.map((row, place) => (place === at ? { ...row, ...changed } : row));
  };
  return (
    <div class="key-row">
      <label class="field"><span>{at === 0 ? 'Field' : `Field ${at + 1}`}</span>
        <input type="text" class="code" list="field-names" value={field} spellcheck={false} autocomplete="off" placeholder="name or path.to.name"
          onInput={(event) => change({ field: event.currentTarget.value })} /></label>
      <label class="field"><span>Order</span>
        <select value={String(direction)} onChange={(event) => change({ direction: event.currentTarget.value === '1' ? 1 : -1 })}>
          <option value="1">ascending</option>
          <option value="-1">descending</option>
        </select></label>
      {rows.value.length > 1 && (
        <button type="button" class="button quiet" aria-label={`Take field ${at + 1} out`} onClick={() => { rows.value = rows.value.filter((_, place) => place !== at); }}><TrashIcon /></button>
      )}
    </div>
  );
};

const NewIndex = ({ name, onCreated }: { name: string; onCreated: () => Promise<void> }) => {
  const rows = useSignal<Row[]>([{ field: '', direction: 1 }]);
  const unique = useSignal(false);
  const busy = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const done = useSignal('');
  const create = async (): Promise<void> => {
    busy.value = true;
    error.value = undefined;
    done.value = '';
    const started = performance.now();
    try {
      // A list of pairs, since an object would put names that are numbers first.
      const key = rows.value.map(({ field, direction }) => [field, direction] as const);
      const made = await collection(name).createIndex(key as unknown as IndexSpecification, unique.value ? { unique: true } : {});
      done.value = `${made} was built in ${duration(performance.now() - started)}.`;
      rows.value = [{ field: '', direction: 1 }];
      unique.value = false;
      await onCreated();
    } catch (reason) {
      error.value = reason;
    } finally {
      busy.value = false;
    }
  };
  return (
    <form class="new-index" aria-labelledby="new-index-title" onSubmit={(event) => { event.preventDefault(); void create(); }}>
      <h2 id="new-index-title">New index</h2>
      <datalist id="field-names">{fieldNames().map((field) => <option value={field} key={field} />)}</datalist>
      {rows.value.map((_, at) => <KeyRow rows={rows} at={at} key={at} />)}
      <div class="row">
        <button type="button" class="button" onClick={() => { rows.value = [...rows.value, { field: '', direction: 1 }]; }}><PlusIcon /> Another field</button>
        <label class="check"><input type="checkbox" checked={unique.value} onChange={(event) => { unique.value = event.currentTarget.checked; }} /> Unique</label>
        <button type="submit" class="button primary" disabled={busy.value || rows.value.some(({ field }) => field.trim() === '')}>{busy.value ? 'Building…' : 'Create index'}</button>
      </div>
      <p role="status" class="quiet-text">{done.value}</p>
      {error.value !== undefined && <Trouble title="The index was not created" error={error.value} />}
    </form>
  );
};

export const IndexesView = ({ name }: { name: string }) => {
  const indexes = useSignal<Document[] | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const load = async (): Promise<void> => {
    try {
      indexes.value = await collection(name).indexes();
      error.value = undefined;
    } catch (reason) {
      error.value = reason;
    }
  };
  const reload = async (): Promise<void> => {
    await load();
    await runQuery();
  };
  useEffect(() => void load(), [name]);
  const askToDropIndex = (index: string): void => ask({
    title: `Drop index “${index}”?`,
    text: 'Queries are answered all the same, but those that use it become slower.',
    action: 'Drop index',
    async perform() {
      await collection(name).dropIndex(index);
      await reload();
    },
  });
  return (
    <div class="indexes">
      {error.value !== undefined && <Trouble title="The indexes cannot be listed" error={error.value} />}
      {indexes.value === undefined && error.value === undefined && <p class="quiet-text" role="status">Loading…</p>}
      {indexes.value !== undefined && (
        <div class="table-scroll" role="region" aria-label="Indexes" tabIndex={0}>
          <table>
            <thead><tr><th scope="col">Index</th><th scope="col">Key</th><th scope="col"><span class="visually-hidden">Drop</span></th></tr></thead>
            <tbody>{indexes.value.map((index) => <IndexRow index={index} onDrop={askToDropIndex} key={String(index.name)} />)}</tbody>
          </table>
        </div>
      )}
      <NewIndex name={name} onCreated={reload} />
    </div>
  );
};
