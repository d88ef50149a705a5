import { asRead } from "../../../support/as-read.ts";
import { expect, test } from "vitest";
import { answerShapes } from "../../../../src/api/answers.ts";
import { commandOf } from "../../../../src/bot/commands/grammar/parse.ts";
import { refusalOf as refusalOfSent } from "../../../../src/bot/commands/lookup/service-change.ts";

const reason = "It belongs to Helm.";
const read = (refused_operations: unknown) =>
  asRead(answerShapes.getService.parse({ name: "web", refused_operations }));

const refusalOf = (service: ReturnType<typeof read>, verb: string) => {
  const command = commandOf({ verb, share: false, args: {} });
  return refusalOfSent(service, command.effect === "write" ? command.sends : []);
};

test.each([
  ["missing", undefined],
  ["null", null],
  ["no list", { operation: "deleteService", reason }],
  ["without a reason", [{ operation: "deleteService" }]],
  ["of other operations", [{ operation: "renameService", reason }]],
  // As one of all updates it would forbid too much.
  ["of a part that isn't text", [{ operation: "updateService", part: { of: "memory" }, reason }]],
  ["of an unknown part", [{ operation: "updateService", part: "image", reason }]],
])("a list of refused operations that is %s refuses nothing", (_, sent) => {
  const service = read(sent);
  const verbs = ["scale", "memory", "domains", "start", "stop", "restart", "delete", "create", "show"];

  expect(verbs.filter((verb) => refusalOf(service, verb) !== undefined)).toEqual([]);
});

test("an update that is refused as a whole is refused in each of its parts", () => {
  const service = read([{ operation: "updateService", reason }]);

  expect(["scale", "memory", "domains"].map((verb) => refusalOf(service, verb))).toEqual([reason, reason, reason]);
  expect(refusalOf(service, "stop")).toBeUndefined();
});
