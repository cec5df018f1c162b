/** A question that must be answered before something is lost. One at a time; the browser keeps the focus inside it. */
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Trouble } from './trouble.tsx';

interface Question {
  title: string;
  text: string;
  action: string;
  perform(): Promise<void>;
}

const asked = signal<Question | undefined>(undefined);

export function ask(question: Question): void {
  asked.value = question;
}

export const Confirm = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const question = asked.value;
  useEffect(() => {
    if (question === undefined) return dialog.current?.close();
    setError(undefined);
    dialog.current?.showModal();
  }, [question]);
  const perform = async (): Promise<void> => {
    setBusy(true);
    try {
      await question?.perform();
      if (asked.value === question) asked.value = undefined;
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-title" aria-describedby="confirm-text"
      /* Escape. Not `close`, whose event comes later and would take away a question asked meanwhile. */
      onCancel={() => { asked.value = undefined; }}>
      <h2 id="confirm-title">{question?.title}</h2>
      <p id="confirm-text">{question?.text}</p>
      {error !== undefined && <Trouble title="That did not work" error={error} />}
      <div class="dialog-actions">
        <button type="button" class="button" autofocus onClick={() => { asked.value = undefined; }}>Keep it</button>
        <button type="button" class="button danger" disabled={busy} onClick={() => void perform()}>{question?.action}</button>
      </div>
    </dialog>
  );
};
