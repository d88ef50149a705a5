import { expect, test } from "vitest";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo } from "../support/script.ts";

test("version says what runs", async () => {
  expect(drawn(await answerTo("version"))).toMatch(
    /^Gantry \d+\.\d+\.\d+ · Node \d+\.\d+\.\d+ · workload API built in$/u,
  );
});
