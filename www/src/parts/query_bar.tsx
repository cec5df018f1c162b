/** The fields of a query. Ctrl+Enter (⌘+Enter on a Mac) runs it from any of them, Enter from those of one line. */
import { useEffect, useRef } from 'preact/hooks';
import { exampleFor } from '../data/example.ts';
import type { Sample } from '../data/samples.ts';
import type { QueryText } from '../state/place.ts';
import { answer, draft, fieldErrors, isChanged, resetQuery, runQuery, runThis } from '../state/query.ts';
import { PlayIcon } from './icons.tsx';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

interface FieldOptions {
  field: keyof QueryText;
  label: string;
  placeholder: string;
  lines?: boolean;
  numeric?: boolean;
}

/** The line of the input that is wrong, with a mark under the character. */
const Where = ({ source, at }: { source: string; at: number }) => {
  if (source.length === 0) return null;
  const start = source.lastIndexOf('\n', Math.max(at - 1, 0)) + 1;
  const end = source.indexOf('\n', start);
  const line = source.slice(start, end === -1 ? undefined : end);
  return <pre class="where" aria-hidden="true">{`${line}\n${' '.repeat(Math.min(Math.max(at - start, 0), line.length))}▲`}</pre>;
};

function set(field: keyof QueryText, value: string): void {
  draft.value = { ...draft.value, [field]: value };
  if (fieldErrors.value[field] !== undefined) fieldErrors.value = { ...fieldErrors.value, [field]: undefined };
}

const QueryField = ({ field, label, placeholder, lines = false, numeric = false }: FieldOptions) => {
  const area = useRef<HTMLTextAreaElement>(null);
  const value = draft.value[field];
  const error = fieldErrors.value[field];
  const id = `query-${field}`;
  useEffect(() => {
    if (area.current === null) return;
    area.current.rows = Math.min(Math.max(value.split('\n').length, 1), 8);
  }, [value]);
  const shared = {
    id,
    value,
    placeholder,
    spellcheck: false,
    autocomplete: 'off',
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined ? undefined : `${id}-error`,
  };
  return (
    <div class={`field field-${field}`}>
      <label for={id}>{label}</label>
      {lines
        ? <textarea {...shared} ref={area} rows={1} class="code" onInput={(event) => set(field, event.currentTarget.value)} />
        : <input {...shared} type="text" class="code" inputMode={numeric ? 'numeric' : undefined}
            onInput={(event) => set(field, event.currentTarget.value)} />}
      {error !== undefined && (
        <div class="field-error" id={`${id}-error`} role="alert">
          <p>{label}: {error.message}{value !== '' && <span class="visually-hidden">, at character {error.at + 1}</span>}</p>
          <Where source={value} at={error.at} />
        </div>
      )}
    </div>
  );
};

const Tries = ({ sample }: { sample: Sample }) => (
  <div class="tries">
    <span>Try</span>
    <ul>
      {sample.tries.map(({ label, ...query }) => (
        <li key={label}><button type="button" class="chip" onClick={() => runThis(query)}>{label}</button></li>
      ))}
    </ul>
  </div>
);

export const QueryBar = ({ sample }: { sample: Sample | undefined }) => {
  const running = answer.value?.state === 'running';
  const example = exampleFor(answer.value?.documents[0]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void runQuery();
  };
  return (
    <form class="query" aria-label="Query" onKeyDown={onKeyDown} onSubmit={(event) => { event.preventDefault(); void runQuery(); }}>
      <QueryField field="filter" label="Filter" placeholder={example.filter} lines />
      <QueryField field="sort" label="Sort" placeholder={example.sort} />
      <QueryField field="project" label="Project" placeholder={example.project} />
      <QueryField field="skip" label="Skip" placeholder="0" numeric />
      <QueryField field="limit" label="Limit" placeholder="none" numeric />
      <div class="query-actions">
        <button type="submit" class="button primary run" aria-keyshortcuts="Control+Enter Meta+Enter">
          {running ? <span class="spinner" /> : <PlayIcon />} Run <kbd aria-hidden="true">{IS_MAC ? '⌘' : 'Ctrl'} ⏎</kbd>
        </button>
        <button type="button" class="button" onClick={resetQuery}>Clear</button>
        {isChanged() && <span class="query-changed">changed, not run yet</span>}
      </div>
      {sample !== undefined && <Tries sample={sample} />}
    </form>
  );
};
