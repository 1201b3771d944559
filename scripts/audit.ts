/**
 * Looks up known vulnerabilities of the runtime packages (`npm run audit`). Exit code 1 for a high or critical one, or if npm fails;
 * exit code 0 and one line if the registry has no advisories.
 */
import { spawnSync } from 'node:child_process';

type Vulnerability = { readonly name: string; readonly severity: string; readonly range: string };
type Report = {
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
  /** Why there are no advisories. */
  readonly message?: string;
};

const failing = ['high', 'critical'];
const flags = ['--omit=dev', '--json', '--fetch-retries=1', '--fetch-timeout=20000'];
const { stdout } = spawnSync('npm', ['audit', ...flags], { encoding: 'utf8', maxBuffer: 2 ** 26 });
const { vulnerabilities, message } = readReport(stdout);

if (vulnerabilities) {
  const known = Object.values(vulnerabilities);
  for (const { name, range, severity } of known) console.log(`${severity}: ${name} ${range}`);
  const count = known.filter(({ severity }) => failing.includes(severity)).length;
  console.log(`Audited: ${known.length} packages that run have known vulnerabilities, ${count} high or critical.`);
  if (count > 0) process.exitCode = 1;
} else if (message !== undefined) {
  console.log(`Not audited, as no source of advisories answers: ${message.split('\n')[0]}`);
} else {
  console.log(`The audit failed: ${stdout}`);
  process.exitCode = 1;
}

function readReport(text: string): Report {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
