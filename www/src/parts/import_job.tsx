/** One import: how far it is, how to stop it, and what became of it. */
import { bytes, count, counted, duration } from '../data/format.ts';
import { collections } from '../state/database.ts';
import { cancelImport, dismissImport, type ImportJob } from '../state/imports.ts';
import { openCollection } from '../state/query.ts';
import { CheckIcon, CloseIcon, FileIcon, WarnIcon } from './icons.tsx';
import { askToDrop } from './sidebar.tsx';
import { Trouble } from './trouble.tsx';

const rate = ({ inserted, milliseconds }: ImportJob): string =>
  milliseconds > 0 && inserted > 0 ? ` · ${count(Math.round((inserted / milliseconds) * 1000))} a second` : '';

function outcome(job: ImportJob): string {
  const kept = counted(job.inserted, 'document');
  const left = job.duplicates > 0 ? ` ${counted(job.duplicates, 'document was', 'documents were')} left out: a document of the same _id is there already.` : '';
  switch (job.state) {
    case 'waiting': return 'Waiting for the import before it';
    case 'running': return `${kept} stored${job.bytesTotal === undefined ? '' : ` · ${bytes(job.bytesRead)} of ${bytes(job.bytesTotal)}`}`;
    case 'done': return `${kept} in ${duration(job.milliseconds)}${rate(job)}.${left}`;
    case 'cancelled': return job.inserted === 0 ? 'Cancelled before anything was stored.' : `Cancelled. ${kept} stayed in ${job.collection}.${left}`;
    case 'failed': return job.inserted === 0 ? 'Nothing was stored.' : `${kept} before the error stayed in ${job.collection}.${left}`;
  }
}

const Actions = ({ job }: { job: ImportJob }) => {
  const entry = collections.value?.find(({ name }) => name === job.collection);
  if (job.state === 'running' || job.state === 'waiting') {
    return <button type="button" class="button" onClick={() => cancelImport(job.id)}>Cancel<span class="visually-hidden"> the import of {job.title}</span></button>;
  }
  return (
    <>
      {entry !== undefined && job.inserted > 0 && (
        <button type="button" class="button primary" onClick={() => openCollection(job.collection)}>Open {job.collection}</button>
      )}
      {entry !== undefined && job.inserted > 0 && job.state !== 'done' && (
        <button type="button" class="button" onClick={() => askToDrop(entry)}>Drop {job.collection}</button>
      )}
      <button type="button" class="button quiet" aria-label={`Put the report on ${job.title} away`} onClick={() => dismissImport(job.id)}><CloseIcon /></button>
    </>
  );
};

export const ImportProgress = ({ job }: { job: ImportJob }) => {
  const going = job.state === 'running' || job.state === 'waiting';
  const known = job.bytesTotal !== undefined && job.bytesTotal > 0;
  return (
    <li class="job" data-state={job.state} data-collection={job.collection}>
      <div class="job-head">
        {job.state === 'done' ? <CheckIcon /> : job.state === 'failed' ? <WarnIcon /> : <FileIcon />}
        <h2>{job.title}{job.title !== job.collection && <span class="job-into"> into {job.collection}</span>}</h2>
        <div class="row job-actions"><Actions job={job} /></div>
      </div>
      {going && (
        <progress aria-label={`Import of ${job.title}`} max={known ? job.bytesTotal : undefined} value={known ? job.bytesRead : undefined} />
      )}
      <p class="job-outcome" role={going ? undefined : 'status'}>{outcome(job)}</p>
      {job.state === 'failed' && <Trouble title="The import stopped" error={job.error} />}
    </li>
  );
};
