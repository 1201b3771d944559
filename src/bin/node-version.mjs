/** Loaded before an entry point: an older Node cannot parse the rest, so this file reports the version. */
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `workflow-bot needs Node 22.18 or newer and found ${process.versions.node}; on Linux "npm ci" installs Node 24 in node_modules, elsewhere install it from your system's packages.\n`,
  );
  process.exit(2);
}

// Node strips the types of some hundred files at each start. The cache halves the time of later starts. It is in the
// installation, which only its owner can write to, rather than in the folder for temporary files.
module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));
