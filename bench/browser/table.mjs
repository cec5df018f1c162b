// Figures as a table: medians, ratios within the run, targets, and what was measured on.
import { cpus, loadavg, totalmem } from 'node:os';

export function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const UNITS = { ms: [1, 'ms'], µs: [1e3, 'µs'], ns: [1e6, 'ns'] };

export function figure(milliseconds, unit = 'ms') {
  const [factor, name] = UNITS[unit];
  const value = milliseconds * factor;
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ${name}`;
}

/**
 * A row: what, its unit, samples by store, and the target: at most `ratio` times the store `against`, or at most `most`
 * milliseconds. Gives the medians, the ratios to PandoDB's, and whether the target is met.
 */
export function evaluate({ what, unit = 'ms', samples, target }) {
  const medians = Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
  const own = medians.pandodb;
  const best = samples.pandodb && Math.min(...samples.pandodb);
  let met;
  let wanted = '';
  if (target?.against !== undefined) {
    met = own <= target.ratio * medians[target.against];
    wanted = `≤ ${target.ratio} × ${target.against}`;
  } else if (target?.most !== undefined) {
    met = own <= target.most;
    wanted = `≤ ${figure(target.most, unit)}`;
  }
  return { what, unit, medians, best, wanted, met };
}

const STORES = ['pandodb', 'raw bytes', 'raw IndexedDB', 'dexie'];

export function markdown(rows) {
  const cell = (row, name) => {
    const value = row.medians[name];
    if (value === undefined) return '–';
    if (name === 'pandodb') return `${figure(value, row.unit)}, best ${figure(row.best, row.unit)}`;
    const ratio = row.medians.pandodb / value;
    return `${figure(value, row.unit)} (${ratio.toFixed(ratio < 0.1 ? 3 : 2)})`;
  };
  const lines = [
    `| | ${STORES.join(' | ')} | target | met |`,
    `|---|${STORES.map(() => '---:|').join('')}---|---|`,
    ...rows.map((row) => {
      const verdict = row.met === undefined ? '' : row.met ? 'yes' : 'no';
      return `| ${row.what} | ${STORES.map((name) => cell(row, name)).join(' | ')} | ${row.wanted} | ${verdict} |`;
    }),
  ];
  return lines.join('\n');
}

export function machine(browserVersion) {
  const processors = cpus();
  const load = loadavg().map((value) => value.toFixed(1)).join(', ');
  return `${processors.length} × ${processors[0]?.model?.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `${browserVersion}, Node ${process.versions.node}, load averages ${load}`;
}
