/** The page's pictures. They say nothing that the text beside them does not, so they are hidden from readers of the page. */
import type { ComponentChildren } from 'preact';

const Icon = ({ children }: { children: ComponentChildren }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false" fill="none" stroke="currentColor" stroke-width="1.5"
    stroke-linecap="round" stroke-linejoin="round">{children}</svg>
);

export const PlusIcon = () => <Icon><path d="M8 3v10M3 8h10" /></Icon>;
export const TrashIcon = () => <Icon><path d="M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.5 8.500h6l.5-8.500M7 7v4M9 7v4" /></Icon>;
export const PlayIcon = () => <Icon><path d="M5 3.500v9l7.500-4.500z" fill="currentColor" /></Icon>;
export const FileIcon = () => <Icon><path d="M4 2h5l3 3v9H4zM9 2v3h3" /></Icon>;
export const CloseIcon = () => <Icon><path d="M4 4l8 8M12 4l-8 8" /></Icon>;
export const CopyIcon = () => <Icon><path d="M6 6h7.500v7.500H6zM10 6V2.500H2.500V10H6" /></Icon>;
export const CheckIcon = () => <Icon><path d="M3 8.500l3.500 3.500L13 4.500" /></Icon>;
export const WarnIcon = () => <Icon><path d="M8 2.500l6 10.500H2zM8 6.500v3M8 11.200v.1" /></Icon>;
export const MenuIcon = () => <Icon><path d="M2.500 4.500h11M2.500 8h11M2.500 11.500h11" /></Icon>;
export const SunIcon = () => <Icon><circle cx="8" cy="8" r="2.800" /><path d="M8 1.500v1.200M8 13.300v1.200M1.500 8h1.200M13.300 8h1.200M3.400 3.400l.9.9M11.700 11.700l.9.9M12.600 3.400l-.9.9M4.300 11.700l-.9.9" /></Icon>;
export const MoonIcon = () => <Icon><path d="M13 9.500A5.500 5.500 0 016.500 3a5.500 5.500 0 106.500 6.500z" /></Icon>;
export const SystemIcon = () => <Icon><path d="M2 3h12v8H2zM6 14h4M8 11v3" /></Icon>;
export const CollectionIcon = () => <Icon><path d="M2.500 4.500C2.500 3 13.500 3 13.500 4.500S2.500 6 2.500 4.500v7c0 1.500 11 1.500 11 0v-7M2.500 8c0 1.500 11 1.500 11 0" /></Icon>;

/** Aspen trunks that are one tree under the ground. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect class="logo-ground" width="32" height="32" rx="7" />
    <path class="logo-trunks" d="M9 26V13M16 26V8M23 26V13M5.500 26h21" />
    <g class="logo-leaves"><circle cx="9" cy="11" r="4" /><circle cx="16" cy="7" r="4.500" /><circle cx="23" cy="11" r="4" /></g>
  </svg>
);
