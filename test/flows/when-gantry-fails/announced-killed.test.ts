import { expect, test } from "vitest";
import { spoken } from "../../support/channel-town.ts";
import { someOf } from "../../support/full-run.ts";
import { killTown } from "../../support/kill-town.ts";
import type { Moment } from "../../support/stalls.ts";
import type { StorePoint } from "../../support/store-point.ts";

const policy = `
rules:
  - { name: everything, who: [members], does: [read, watch, bindChannel], then: allow }
`;
const deeds = {
  "watches a workload": ["/gantry watch web", /watches web/u],
  "binds the channel": ["/gantry use --region beijing2", /beijing2/u],
} as const; // literal keys
type Deed = keyof typeof deeds;

/** Where it is killed. */
const moments: readonly (readonly [what: StorePoint, moment: Moment])[] = [
  ["takeDue post", "before"],
  ["takeDue post", "after"],
  ["postOf", "after"],
  ["savePost", "after"],
  ["removePost", "before"],
  ["removePost", "after"],
];

const each = (Object.keys(deeds) as Deed[]).flatMap((deed) => moments.map((moment) => [deed, ...moment] as const)); // its keys

test.each(someOf(each, 1, 4))(
  "when somebody %s and Gantry is killed at %s, %s it, the channel reads it once",
  async (deed, what, moment) => {
    const [words, told] = deeds[deed];
    const { town, killAt } = await killTown({ policy });
    await using _town = town;
    const reads = () => spoken(town.developer).filter((text) => told.test(text));

    await killAt(what, moment, () => town.developer.says(words));
    for (let minute = 0; minute < 3; minute += 1) {
      town.passMinutes(1);
      await town.sweep();
      await town.settled();
    }

    expect(reads()).toHaveLength(1);
  },
);
