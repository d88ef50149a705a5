import { afterEach, beforeEach, describe } from "vitest";
import { auditContract } from "./audit.ts";
import { benchOver, type Database } from "./bench.ts";
import { decisionsContract } from "./decisions.ts";
import { deliveriesContract } from "./deliveries.ts";
import { cardsContract } from "./cards.ts";
import { endingsContract } from "./endings.ts";
import { dueContract } from "./due.ts";
import { movesContract } from "./moves.ts";
import { inspectionContract } from "./inspection.ts";
import { installationsContract } from "./installations.ts";
import { partsContract } from "./parts.ts";
import { personContract } from "./person.ts";
import { placesContract } from "./places.ts";
import { recordsContract } from "./records.ts";
import { requestsContract } from "./requests.ts";
import { duplicatesContract } from "./duplicates.ts";
import { postsContract } from "./posts.ts";
import { watchingContract } from "./watching.ts";
import { restoresContract } from "./restores.ts";
import { runsContract } from "./runs.ts";
import { logFollowsContract } from "./log-follows.ts";
import { watchesContract } from "./watches.ts";

/** What the store promises, on whatever database it stands; `fresh` makes one for each test. */
export function contract(name: string, fresh: () => Promise<Database>): void {
  const bench = benchOver(fresh);

  describe.each([name])("%s", () => {
    beforeEach(bench.begin);
    afterEach(bench.end);

    describe("deliveries", () => {
      deliveriesContract(bench);
    });
    describe("work that is due", () => {
      dueContract(bench);
    });
    describe("requests", () => {
      requestsContract(bench);
    });
    describe("one at a time", () => {
      duplicatesContract(bench);
    });
    describe("decisions", () => {
      decisionsContract(bench);
    });
    describe("runs", () => {
      runsContract(bench);
    });
    describe("endings", () => {
      endingsContract(bench);
    });
    describe("several workloads", () => {
      partsContract(bench);
    });
    describe("cards", () => {
      cardsContract(bench);
    });
    describe("records", () => {
      recordsContract(bench);
    });
    describe("channels that get another id", () => {
      movesContract(bench);
    });
    describe("a look at the database", () => {
      inspectionContract(bench);
    });
    describe("what is seen of workloads, and told", () => {
      watchingContract(bench);
    });
    describe("a copy that is started over", () => {
      restoresContract(bench);
    });
    describe("messages that are kept true", () => {
      postsContract(bench);
    });
    describe("installations", () => {
      installationsContract(bench);
    });
    describe("logs that are followed", () => {
      logFollowsContract(bench);
    });
    describe("one person's data, and the keys", () => {
      personContract(bench);
    });
    describe("the audit chain", () => {
      auditContract(bench);
    });
    describe("watches", () => {
      watchesContract(bench);
    });
    describe("places and people", () => {
      placesContract(bench);
    });
  });
}
