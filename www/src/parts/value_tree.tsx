/** A document as a tree. What is closed is not drawn, so depth and length cost nothing until they are looked at. */
import { useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import { isOpenable, summaryOf, textOf, typeOf } from '../data/values.ts';

const PARTS_AT_ONCE = 100;
const TEXT_CHARACTERS_MAX = 1000;

const Leaf = ({ value }: { value: unknown }) => {
  const type = typeOf(value);
  const text = textOf(value);
  const shown = text.length > TEXT_CHARACTERS_MAX ? `${text.slice(0, TEXT_CHARACTERS_MAX)}…` : text;
  return (
    <span class="value" data-type={type}>
      {type === 'string' ? `"${shown}"` : shown}
      {text.length > TEXT_CHARACTERS_MAX && <small> ({count(text.length)} characters)</small>}
    </span>
  );
};

const Part = ({ name, value }: { name: string; value: unknown }) => {
  const [open, setOpen] = useState(false);
  const type = typeOf(value);
  if (!isOpenable(value)) {
    return <li class="part"><span class="name">{name}</span> <Leaf value={value} /> <span class="type">{type}</span></li>;
  }
  return (
    <li class="part">
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary><span class="name">{name}</span> <span class="summary">{summaryOf(value)}</span> <span class="type">{type}</span></summary>
        {open && <ValueTree value={value} />}
      </details>
    </li>
  );
};

export const ValueTree = ({ value }: { value: Record<string, unknown> | unknown[] }) => {
  const [shown, setShown] = useState(PARTS_AT_ONCE);
  const parts = Object.entries(value);
  return (
    <ul class="parts">
      {parts.slice(0, shown).map(([name, part]) => <Part name={name} value={part} key={name} />)}
      {parts.length > shown && (
        <li><button type="button" class="button small" onClick={() => setShown(shown + PARTS_AT_ONCE)}>{count(parts.length - shown)} more</button></li>
      )}
    </ul>
  );
};
