/** How an answer was found: the stages of the plan as a tree, with what each looked at. */
import { count, counted } from '../data/format.ts';
import { toExtendedJson } from '../data/extended_json.ts';
import type { PlanStage, PlanSummary } from '../data/plan.ts';
import { answer } from '../state/query.ts';
import { Trouble } from './trouble.tsx';

const Figure = ({ value, label }: { value: string; label: string }) => (
  <div class="figure"><dt>{label}</dt><dd>{value}</dd></div>
);

const Stage = ({ stage }: { stage: PlanStage }) => (
  <li class="stage" data-stage={stage.name}>
    <div class="stage-box">
      <p class="stage-name">{stage.name}</p>
      <p class="stage-meaning">{stage.meaning}</p>
      {stage.facts.length > 0 && (
        <dl class="stage-facts">
          {stage.facts.map(([name, text]) => <div key={name}><dt>{name}</dt><dd class="code">{text}</dd></div>)}
        </dl>
      )}
      <p class="stage-counts">
        {stage.returned !== undefined && <span>{count(stage.returned)} returned</span>}
        {stage.keysExamined !== undefined && <span>{counted(stage.keysExamined, 'key')} examined</span>}
        {stage.docsExamined !== undefined && <span>{counted(stage.docsExamined, 'document')} examined</span>}
      </p>
    </div>
    {stage.inputs.length > 0 && <ol class="stages">{stage.inputs.map((input, at) => <Stage stage={input} key={at} />)}</ol>}
  </li>
);

/** What one may want to do about the plan. */
function advice(plan: PlanSummary): string | undefined {
  const wasted = plan.docsExamined > 1000 && plan.docsExamined > 10 * Math.max(plan.returned, 1);
  if (plan.scansCollection && wasted) return 'Most of what was read did not match. An index on a field of the filter would read only what does.';
  if (plan.sortsInMemory && plan.returned > 1000) return 'The documents were sorted in memory. An index in the order of the sort would give them in order.';
  return undefined;
}

export const PlanView = () => {
  const shown = answer.value;
  if (shown === undefined || shown.state === 'running') return <p class="quiet-text" role="status">Waiting for the answer…</p>;
  if (shown.state === 'failed') return <Trouble title="The query was refused" error={shown.error} />;
  if (shown.planError !== undefined) return <Trouble title="The plan cannot be shown" error={shown.planError} />;
  const { plan, explained } = shown;
  if (explained === undefined) return <p class="quiet-text" role="status">Running the query once more to count what it looks at…</p>;
  if (plan === undefined) return <p class="quiet-text">The engine gave no plan.</p>;
  const tip = advice(plan);
  return (
    <div class="plan">
      <dl class="figures">
        <Figure value={count(plan.returned)} label="Documents returned" />
        <Figure value={count(plan.keysExamined)} label="Keys examined" />
        <Figure value={count(plan.docsExamined)} label="Documents examined" />
        <Figure value={`${plan.milliseconds} ms`} label="Time" />
        <Figure value={plan.indexes.join(', ') || 'none'} label={plan.indexes.length > 1 ? 'Indexes used' : 'Index used'} />
      </dl>
      {tip !== undefined && <p class="tip">{tip}</p>}
      <ol class="stages stages-root" aria-label="Stages, from the answer down to what is read"><Stage stage={plan.root} /></ol>
      <details class="raw"><summary>The whole reply of explain</summary><pre class="json" tabIndex={0} aria-label="Reply of explain">{toExtendedJson(explained)}</pre></details>
    </div>
  );
};
