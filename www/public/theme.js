// Before the first paint, so that the page does not flash in the other colours. A file of its own: the page allows no inline script.
try {
  const theme = localStorage.getItem('pandodb-playground.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // No storage: as the system has it.
}
