import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test.each([256, 700])("a process that may open %d files knows so", (limit) => {
  const module = new URL("../../../src/platform/http/guard-server.ts", import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then((it) => process.stdout.write(String(it.openFileLimit())))`;

  const said = execFileSync("sh", ["-c", `ulimit -n ${limit} && exec "$0" "$@"`, process.execPath, "-e", script]);

  expect(String(said)).toBe(String(limit));
});
