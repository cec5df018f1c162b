/** Where data come from: samples, and files of one's own. */
import { useRef, useState } from 'preact/hooks';
import { bytes, count } from '../data/format.ts';
import { SAMPLES, type Sample } from '../data/samples.ts';
import { collections, connection } from '../state/database.ts';
import { importFiles, imports, importSample } from '../state/imports.ts';
import { openCollection } from '../state/query.ts';
import { FileIcon } from './icons.tsx';
import { ImportProgress } from './import_job.tsx';

const SampleCard = ({ sample }: { sample: Sample }) => {
  const stored = collections.value?.find(({ name }) => name === sample.name);
  const going = imports.value.some((job) => job.collection === sample.name && (job.state === 'running' || job.state === 'waiting'));
  const whole = stored !== undefined && stored.documents >= sample.documents;
  return (
    <li class="sample" data-sample={sample.name}>
      <h3>{sample.title}</h3>
      <p>{sample.about}</p>
      <p class="sample-facts">{count(sample.documents)} documents · {bytes(sample.bytes)} of JSON<br />{sample.licence}, from {sample.source}</p>
      {whole && !going
        ? <button type="button" class="button" onClick={() => openCollection(sample.name)}>Open {sample.name}</button>
        : (
          <button type="button" class="button primary" disabled={going} onClick={() => importSample(sample)}>
            {going ? 'Importing…' : stored === undefined ? `Import ${sample.name}` : `Import ${sample.name} again`}
          </button>
        )}
    </li>
  );
};

const FileChoice = () => {
  const input = useRef<HTMLInputElement>(null);
  const [into, setInto] = useState('');
  return (
    <div class="files">
      <FileIcon />
      <p class="files-title">Drop files anywhere on this page</p>
      <p class="files-text">JSON arrays, NDJSON (one document a line) and Extended JSON, of any size: they are read in parts.</p>
      <label class="field files-into">
        <span>Into collection</span>
        <input type="text" value={into} placeholder="named after the file" spellcheck={false} autocomplete="off" onInput={(event) => setInto(event.currentTarget.value)} />
      </label>
      <input ref={input} class="visually-hidden" id="files" type="file" multiple tabIndex={-1} aria-hidden="true"
        accept=".json,.ndjson,.jsonl,.ejson,.geojson,.txt,application/json,application/x-ndjson"
        onChange={(event) => {
          importFiles([...(event.currentTarget.files ?? [])], into.trim());
          event.currentTarget.value = '';
        }} />
      <button type="button" class="button primary" onClick={() => input.current?.click()}>Choose files…</button>
    </div>
  );
};

const lasts = (): string => {
  const state = connection.value;
  return state.state === 'open' && state.inMemory
    ? 'This browser keeps nothing for the page: all of it ends when you leave.'
    : 'Your browser keeps it all: it will be there after a reload.';
};

export const AddData = () => (
  <div class="add-data">
    <h1>{collections.value?.length === 0 ? 'Bring some data in' : 'Add data'}</h1>
    <p class="lead">PandoDB is a document database that runs inside this page. Import a sample or a file, query it, and see how the answer was found. {lasts()}</p>
    {imports.value.length > 0 && (
      <section aria-label="Imports">
        <ul class="jobs">{imports.value.map((job) => <ImportProgress job={job} key={job.id} />)}</ul>
      </section>
    )}
    <section aria-labelledby="samples-title">
      <h2 id="samples-title">Samples</h2>
      <ul class="samples">{SAMPLES.map((sample) => <SampleCard sample={sample} key={sample.name} />)}</ul>
    </section>
    <section aria-labelledby="files-title">
      <h2 id="files-title">Your files</h2>
      <FileChoice />
    </section>
  </div>
);
