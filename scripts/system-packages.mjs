// Programs that only the system's package manager can bring. They are installed without asking only where nobody
// minds: as root in a container or on a CI machine, or when `--install-system` was given.
import { existsSync, readFileSync } from 'node:fs';
import { onPath } from './places.mjs';
import { must, StepFailed } from './processes.mjs';
import { step } from './progress.mjs';

function inContainer() {
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv') || process.env.container) return true;
  try {
    return /docker|containerd|kubepods|lxc/.test(readFileSync('/proc/1/cgroup', 'utf8'));
  } catch {
    return false;
  }
}

const isRoot = process.getuid?.() === 0;
const hasApt = process.platform === 'linux' && onPath('apt-get') !== undefined;
const isCi = Boolean(process.env.CI) && process.env.CI !== 'false';

/** May packages be installed without asking? */
export function mayInstall(argv = process.argv) {
  if (!hasApt) return false;
  if (argv.includes('--install-system')) return true;
  return isRoot && (isCi || inContainer());
}

/** The one line a person runs to get Debian packages. */
export const aptLine = (packages) => `sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`;

/**
 * Installs Debian packages, or stops with one line that says what to run.
 * `what` names the lack in words; `elsewhere` says what to do on systems without apt.
 */
export async function needPackages(packages, what, elsewhere) {
  if (!mayInstall()) {
    const how = hasApt ? `${aptLine(packages)}   (or run this again with --install-system)` : elsewhere;
    throw new StepFailed(`${what}: ${how}`);
  }
  const [program, first] = isRoot ? ['apt-get', []] : ['sudo', ['apt-get']];
  // Several clones may set up at once: wait for the other one's lock.
  const apt = [...first, '-o', 'DPkg::Lock::Timeout=600', '-qq'];
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await step(`${what}: installing ${packages.join(', ')}`, async () => {
    await must(program, [...apt, 'update'], { env, minutes: 5, show: false });
    await must(program, [...apt, 'install', '-y', '--no-install-recommends', ...packages], { env, minutes: 20, show: false });
  });
}
