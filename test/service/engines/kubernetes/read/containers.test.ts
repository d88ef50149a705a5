import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escaped, unescaped } from "../../../../../src/service/engines/kubernetes/read/containers.ts";
import { claimOf, hostPathOf, podVolumeOf } from "../../../../../src/service/engines/kubernetes/names.ts";

describe("names of volumes and disks", () => {
  test("a name that Kubernetes takes is kept; others become different names that it takes", () => {
    const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u;
    const names = ["data", "Data", "dATA", "da_ta", "da.ta", "x".repeat(63), `X${"x".repeat(62)}`];

    const fitting = names.map((name) => podVolumeOf(name));

    expect(fitting[0]).toBe("data");
    expect(fitting.filter((name) => !label.test(name))).toEqual([]);
    expect(new Set(fitting).size).toBe(names.length);
    expect(claimOf("disk-1")).toBe("disk-1");
    expect(hostPathOf("/srv/gantry/", "team", "cache")).toBe("/srv/gantry/team/cache");
  });
});

/** https://github.com/kubernetes/kubernetes/blob/v1.34.0/third_party/forked/golang/expansion/expand.go */
function kubelet(word: string): string {
  return word.replaceAll(/\$(\$|\([^)]*\))/gu, (_, rest: string) => (rest === "$" ? "$" : "REPLACED"));
}

describe("words of commands and variables", () => {
  test.each([
    ["echo $HOME", "echo $HOME"],
    ["$(date)", "$$(date)"],
    ["kill $$", "kill $$$$"],
    ["$", "$"],
  ])("%j is stored as %j", (word, stored) => {
    expect(escaped(word)).toBe(stored);
  });

  test("any word reaches the program, and is read back, as it was sent", () => {
    const word = fc.array(fc.constantFrom("$", "(", ")", "A", "$$", "$(A)")).map((parts) => parts.join(""));
    fc.assert(
      fc.property(word, (sent) => {
        expect(kubelet(escaped(sent))).toBe(sent);
        expect(unescaped(escaped(sent))).toBe(sent);
      }),
    );
  });
});
