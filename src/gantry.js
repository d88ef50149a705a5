#!/usr/bin/env node
// An older Node must be able to read this file: from 14.0 on, which knows neither `node:` in an import statement nor an
// `await` outside of a function. The sources would end it with the stack trace of a syntax error.
const OLDEST_NODE = 26;

async function start() {
  const { enableCompileCache } = await import("node:module");
  const { fileURLToPath } = await import("node:url");
  // In JavaScript, so that all TypeScript is found as it was compiled the last time: the compiler would take 15 MB until
  // the process ends. In the same folder as in bot/compose/entry.ts, for programs that are started by their own file.
  enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/gantry-compiled", import.meta.url)));
  await import("./main.ts");
}

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `Gantry's sources run on Node ${OLDEST_NODE}, and this is Node ${process.versions.node}. Nothing was started.\n` +
      `npm ci puts the right one beside them: use npm start, or npm run COMMAND.\n`,
  );
  process.exitCode = 1;
} else {
  // Node prints it and exits with 1.
  start().catch((error) => {
    throw error;
  });
}
