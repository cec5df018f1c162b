/** The documents of an answer, as trees or as Extended JSON, fetched page by page. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Document } from 'pandodb';
import { toExtendedJson } from '../data/extended_json.ts';
import { count } from '../data/format.ts';
import { answer, fetchMore, resetQuery } from '../state/query.ts';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { Trouble } from './trouble.tsx';
import { ValueTree } from './value_tree.tsx';

type Form = 'tree' | 'relaxed' | 'canonical';

const FORMS: [form: Form, label: string][] = [['tree', 'Tree'], ['relaxed', 'Extended JSON'], ['canonical', 'Canonical']];

const form = signal<Form>('tree');

const Copy = ({ document, number }: { document: Document; number: number }) => {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(toExtendedJson(document, { canonical: form.value === 'canonical' }));
      setDone(true);
    } catch {
      setDone(false);
    }
  };
  return (
    <button type="button" class="button quiet document-copy" title="Copy as Extended JSON" onClick={() => void copy()} onBlur={() => setDone(false)}>
      {done ? <CheckIcon /> : <CopyIcon />}<span class="visually-hidden">{done ? 'Copied' : `Copy document ${number}`}</span>
    </button>
  );
};

const Card = ({ document, number }: { document: Document; number: number }) => (
  <li class="document">
    <span class="document-number" aria-hidden="true">{count(number)}</span>
    {form.value === 'tree'
      ? <ValueTree value={document} />
      // A region that scrolls sideways must be reachable by keyboard.
      : <pre class="json" tabIndex={0} aria-label={`Document ${number} as Extended JSON`}>{toExtendedJson(document, { canonical: form.value === 'canonical' })}</pre>}
    <Copy document={document} number={number} />
  </li>
);

const Forms = () => (
  <fieldset class="segmented">
    <legend class="visually-hidden">Show documents as</legend>
    {FORMS.map(([value, label]) => (
      <label key={value}>
        <input type="radio" name="form" value={value} checked={form.value === value} onChange={() => { form.value = value; }} />
        <span>{label}</span>
      </label>
    ))}
  </fieldset>
);

const Loading = () => (
  <ol class="documents" aria-hidden="true">{[1, 2, 3].map((key) => <li class="document ghost" key={key}><span /><span /><span /></li>)}</ol>
);

const NothingFound = () => (
  <div class="empty">
    <h2>No document matches</h2>
    <p>Names of fields and texts are matched exactly, capitals included.</p>
    <button type="button" class="button" onClick={resetQuery}>Show all documents</button>
  </div>
);

export const Documents = () => {
  const shown = answer.value;
  if (shown === undefined) return <Loading />;
  const { documents, more, fetching, state, error, matching } = shown;
  if (state === 'failed') return <Trouble title="The query was refused" error={error} />;
  if (documents.length === 0) return state === 'running' ? <Loading /> : <NothingFound />;
  return (
    <div aria-busy={state === 'running'} class={state === 'running' ? 'stale' : undefined}>
      <div class="documents-head"><Forms /></div>
      <ol class="documents" aria-label="Documents">
        {documents.map((document, at) => <Card document={document} number={at + 1} key={at} />)}
      </ol>
      {error !== undefined && <Trouble title="No more documents could be fetched" error={error} />}
      <p class="documents-foot">
        {more && <button type="button" class="button" disabled={fetching} onClick={() => void fetchMore()}>{fetching ? 'Fetching…' : 'More documents'}</button>}
        <span role="status">{count(documents.length)}{matching !== undefined && ` of ${count(matching)}`} shown</span>
      </p>
    </div>
  );
};
