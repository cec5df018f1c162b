/** Light, dark, or as the system has it. `public/theme.js` sets it before the first paint. */
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'pandodb-playground.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const chosen = document.documentElement.dataset.theme;
export const theme = signal<Theme>(THEMES.find((known) => known === chosen) ?? 'system');

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // It then lasts as long as the page.
  }
});

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}
