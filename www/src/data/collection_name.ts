/** Names of collections for files. */

/** After the file's name: without its ending, and without what MongoDB does not allow or keeps for itself. */
export function nameFor(fileName: string): string {
  const base = fileName.replace(/\.(?:(?:nd|geo)?json|jsonl|ejson|txt)$/i, '');
  return base.replaceAll(/[$\0]/g, '_').replace(/^system\./, 'system_').replace(/^\.+/, '').slice(0, 100) || 'import';
}

/** `name`, or `name-2` and so on if it is used. */
export function unusedName(name: string, used: ReadonlySet<string>): string {
  let number = 1;
  let unused = name;
  while (used.has(unused)) unused = `${name}-${++number}`;
  return unused;
}
