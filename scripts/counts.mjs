// Reading how many tests ran from what the runners print.

const SGR = /\x1b\[[0-9;]*m/g;

const sum = (text, pattern) => {
  let total = 0;
  for (const [, digits] of text.matchAll(pattern)) total += Number(digits);
  return total;
};

/** cargo test and wasm-bindgen-test-runner: `test result: ok. 3 passed; 0 failed; …`, once for each binary. */
export function cargoCounts(output) {
  const text = output.replace(SGR, '');
  return {
    passed: sum(text, /^test result: .*?(\d+) passed/gm),
    failed: sum(text, /^test result: .*?(\d+) failed/gm),
    skipped: sum(text, /^test result: .*?(\d+) ignored/gm),
  };
}

/** The same, binary by binary: [{ target, passed, failed, seconds }], where target is a source file or `doc-tests`. */
export function cargoTargets(output) {
  const found = [];
  let target = '';
  for (const line of output.replace(SGR, '').split('\n')) {
    const running = /^\s*Running (?:unittests )?(\S+) \(/.exec(line);
    if (running) target = running[1].replaceAll('\\', '/');
    else if (/^\s*Doc-tests /.test(line)) target = 'doc-tests';
    const result = /^test result: .*?(\d+) passed; (\d+) failed.*?finished in ([\d.]+)s/.exec(line);
    if (result) found.push({ target, passed: Number(result[1]), failed: Number(result[2]), seconds: Number(result[3]) });
  }
  return found;
}

/** node --test with the spec reporter: `ℹ pass 3`, `ℹ fail 0`, and what was cancelled, skipped or left to do. */
export function nodeCounts(output) {
  const text = output.replace(SGR, '');
  const count = (word) => sum(text, new RegExp(`^ℹ ${word} (\\d+)`, 'gm'));
  return { passed: count('pass'), failed: count('fail') + count('cancelled'), skipped: count('skipped') + count('todo') };
}

/** The part of a runner's output that says what failed, at most `lines_max` lines. */
export function failureExcerpt(output, lines_max = 120) {
  const lines = output.replace(SGR, '').trimEnd().split('\n');
  const start = lines.findIndex((line) => /^failures:$|^✖ failing tests:|^error(\[E\d+\])?:|panicked at|^Stopped:/.test(line));
  const from = start < 0 ? Math.max(0, lines.length - 60) : Math.max(0, start - 2);
  return lines.slice(from, from + lines_max).join('\n');
}
