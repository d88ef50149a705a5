#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// In JavaScript, so that all TypeScript is found as it was compiled the last time: the compiler would take 15 MB until the
// process ends. In the same folder as in bot/compose/entry.ts, for programs that are started by their own file.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/gantry-compiled", import.meta.url)));
await import("./main.ts");
