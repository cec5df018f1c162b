import { connection, storageBytes } from '../state/database.ts';
import { nextTheme, theme, type Theme } from '../state/theme.ts';
import { bytes } from '../data/format.ts';
import { Logo, MoonIcon, SunIcon, SystemIcon } from './icons.tsx';

const THEMES: Record<Theme, { label: string; Icon: () => preact.JSX.Element }> = {
  system: { label: 'as the system', Icon: SystemIcon },
  light: { label: 'light', Icon: SunIcon },
  dark: { label: 'dark', Icon: MoonIcon },
};

const Storage = () => {
  const state = connection.value;
  if (state.state !== 'open') return null;
  if (state.inMemory) return <span class="header-fact warn">in memory: ends with this page</span>;
  return <span class="header-fact">{storageBytes.value === undefined ? 'kept in this browser' : `${bytes(storageBytes.value)} in this browser`}</span>;
};

export const Header = () => {
  const { label, Icon } = THEMES[theme.value];
  return (
    <header class="header">
      <Logo />
      <p class="brand"><strong>PandoDB</strong> <span>Playground</span></p>
      <Storage />
      <button type="button" class="button quiet" onClick={nextTheme} title={`Colours: ${label}`}>
        <Icon /><span class="visually-hidden">Colours: {label}. Change them</span>
      </button>
    </header>
  );
};
