// Whether a file is the program, or is only imported. A work tree may be reached by a symbolic link, and
// node resolves those for the one side only.

import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

export const isInvoked = (url) =>
  process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === fileURLToPath(url);
