#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";

// An older Node fails on the sources with the stack trace of a syntax error.
const OLDEST_NODE = 26;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `Gantry's sources run on Node ${OLDEST_NODE}, and this is Node ${process.versions.node}. Nothing was started.\n` +
      `npm ci puts the right one beside them: use npm start, or npm run COMMAND.\n`,
  );
  process.exitCode = 1;
} else {
  // In JavaScript, so that all TypeScript is found as it was compiled the last time: the compiler would take 15 MB until
  // the process ends. In the same folder as in bot/compose/entry.ts, for programs that are started by their own file.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/gantry-compiled", import.meta.url)));
  await import("./main.ts");
}
