/** An error as the page shows it: what kind it is, its code by number and name, and what it says. */
import { MongoError } from 'pandodb';
import { ImportError } from '../data/split.ts';
import { WarnIcon } from './icons.tsx';

function headOf(error: unknown): string {
  if (error instanceof ImportError) return `Line ${error.line}, column ${error.column}`;
  if (!(error instanceof MongoError)) return error instanceof Error ? error.name : 'Error';
  const { code, codeName } = error as { code?: number | string; codeName?: string };
  return [error.name, code, codeName].filter((part) => part !== undefined && part !== '').join(' · ');
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const Trouble = ({ error, title }: { error: unknown; title: string }) => (
  <div class="trouble" role="alert">
    <WarnIcon />
    <div>
      <p class="trouble-title">{title}</p>
      <p class="trouble-code">{headOf(error)}</p>
      <p class="trouble-text">{messageOf(error)}</p>
    </div>
  </div>
);
