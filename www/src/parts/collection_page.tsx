/** A collection: its query, and the answer from three sides. */
import { counted, duration } from '../data/format.ts';
import { briefPlan } from '../data/plan.ts';
import { sampleOf } from '../data/samples.ts';
import { collections } from '../state/database.ts';
import { go, place, type View } from '../state/place.ts';
import { answer } from '../state/query.ts';
import { Documents } from './documents.tsx';
import { IndexesView } from './indexes_view.tsx';
import { PlanView } from './plan_view.tsx';
import { QueryBar } from './query_bar.tsx';
import { Tabs, type Tab } from './tabs.tsx';

const TABS: readonly Tab<View>[] = [
  { id: 'documents', label: 'Documents' },
  { id: 'plan', label: 'Plan' },
  { id: 'indexes', label: 'Indexes' },
];

/** One line about the answer: how many, how fast, and how. */
const Summary = () => {
  const shown = answer.value;
  if (shown === undefined) return <p class="answer-line" role="status">Running…</p>;
  if (shown.state === 'failed') return <p class="answer-line" role="status">No answer</p>;
  const { documents, matching, milliseconds, plan } = shown;
  return (
    <p class="answer-line" role="status" data-state={shown.state}>
      {shown.state === 'running' ? 'Running…' : (
        <>
          <strong>{matching === undefined ? counted(documents.length, 'document') : counted(matching, 'document matches', 'documents match')}</strong>
          <span>first page in {duration(milliseconds)}</span>
          {plan !== undefined && <span class={plan.indexes.length > 0 ? 'by-index' : 'by-scan'}>{briefPlan(plan)}</span>}
        </>
      )}
    </p>
  );
};

export const CollectionPage = ({ name }: { name: string }) => {
  const entry = collections.value?.find((known) => known.name === name);
  const { view } = place.value;
  return (
    <div class="collection-page">
      <div class="page-head">
        <h1>{name}</h1>
        <p>{entry !== undefined && counted(entry.documents, 'document')}</p>
      </div>
      <QueryBar sample={sampleOf(name)} />
      <Summary />
      <Tabs label="The answer" tabs={TABS} chosen={view} onChoose={(chosen) => go({ view: chosen })}>
        {view === 'documents' && <Documents />}
        {view === 'plan' && <PlanView />}
        {view === 'indexes' && <IndexesView name={name} />}
      </Tabs>
    </div>
  );
};
