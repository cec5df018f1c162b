/** Tabs by the pattern of the ARIA guide: arrows, Home and End go from one to the other, Tab goes into what is shown. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

export interface Tab<Id extends string> {
  id: Id;
  label: string;
}

interface TabsOptions<Id extends string> {
  label: string;
  tabs: readonly Tab<Id>[];
  chosen: Id;
  onChoose: (id: Id) => void;
  children: ComponentChildren;
}

export function Tabs<Id extends string>({ label, tabs, chosen, onChoose, children }: TabsOptions<Id>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + tabs.length) % tabs.length;
    onChoose(tabs[next]!.id);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ id, label: text }) => (
          <button key={id} type="button" role="tab" id={`tab-${id}`} class="tab" aria-selected={id === chosen} aria-controls="panel"
            tabIndex={id === chosen ? 0 : -1} onClick={() => onChoose(id)}>{text}</button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${chosen}`} tabIndex={-1}>{children}</div>
    </div>
  );
}
