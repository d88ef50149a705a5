import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { openWatches, watchesInFile } from "../../../src/bot/compose/operator-files.ts";
import { testClock } from "../../support/test-clock.ts";
import { until } from "../../support/until.ts";

const watch = (name: string): string => `  - { watch: ${name}, owner: U0123ABCD, in: dm }\n`;
const good = `watches:\n${watch("web")}${watch("shop-*")}`;
const broken = `watches:\n${watch("web")}  - { watch: shop, ownr: U0123ABCD, in: dm }\n`;

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-watches-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "watches.yaml");
}

async function opened(path: string | undefined) {
  const clock = testClock();
  const source = await openWatches({ path, needsTeam: false, log: pino({ enabled: false }), clock });
  onTestFinished(source.close);
  /** Passes time until it is so: a change is polled, read again, and then taken. */
  const becomes = (isSo: () => boolean): Promise<void> =>
    until(() => {
      clock.passMs(2_000);
      return isSo();
    });
  return { ...source, becomes };
}

test("the problem of a changed file is reported until it is corrected, and the previous watches stay", async () => {
  const path = file();
  writeFileSync(path, good);
  const { becomes, current, facts } = await opened(path);
  expect(facts()).toEqual({ source: "watches.yaml", count: 2, problem: undefined });

  writeFileSync(path, broken);
  await becomes(() => facts()?.problem !== undefined);
  expect(facts()?.problem).toBe(
    "watches.yaml, line 3: watch 2, owner: This must be an ID such as U0123ABCD. And 1 more.",
  );
  expect(current()).toHaveLength(2);

  writeFileSync(path, `watches:\n${watch("web")}`);
  await becomes(() => facts()?.problem === undefined);
  expect(facts()).toMatchObject({ count: 1 });
  expect(current()).toHaveLength(1);
});

test("the doctor reads the file as it is now", async () => {
  const path = file();
  const read = () => watchesInFile({ path, needsTeam: false });

  expect(await watchesInFile({ path: undefined, needsTeam: false })).toBeUndefined();
  expect((await read())?.problem).toMatch(/^watches\.yaml, line 1: Couldn't read the file \(ENOENT\)/u);
  writeFileSync(path, broken);
  expect((await read())?.problem).toMatch(/^watches\.yaml, line 3: /u);
  writeFileSync(path, good);
  expect(await read()).toEqual({ source: "watches.yaml", count: 2, problem: undefined });
});

test("without a file there are no watches and no facts", async () => {
  const { current, facts } = await opened(undefined);

  expect(current()).toEqual([]);
  expect(facts()).toBeUndefined();
});
