/** Files may be dropped anywhere on the page. */
import { useEffect, useState } from 'preact/hooks';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

export const FileDrop = ({ onFiles }: { onFiles: (files: File[]) => void }) => {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const on = (name: 'dragover' | 'dragleave' | 'drop', listen: (event: DragEvent) => void): void => {
      addEventListener(name, listen, { signal: stop.signal });
    };
    on('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    });
    on('dragleave', (event) => {
      if (event.relatedTarget === null) setOver(false);
    });
    on('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const files = [...event.dataTransfer!.files];
      if (files.length > 0) onFiles(files);
    });
    return () => stop.abort();
  }, [onFiles]);
  return over ? <div class="drop-cover" aria-hidden="true"><p>Drop to import</p></div> : null;
};
