import { expect, test } from "vitest";
import type { About } from "../../../../src/commands/command.ts";
import type { Message } from "../../../../src/views/kit/message.ts";
import { report, web } from "../../../views/support/workloads.ts";
import { allow, answerTo, refuse, scripted, type Script } from "../../support/script.ts";

const script: Script = { services: [web], jobs: [report] };

function buttons({ blocks }: Message): string {
  return blocks
    .flatMap((block) => (block.type === "actions" ? block.elements : []))
    .flatMap((each) => {
      if (each.type === "overflow") return each.options.map(({ text }) => text.text);
      return each.type === "button" ? [each.text.text] : [each.type];
    })
    .join(", ");
}

test("a card offers what this person may do here with this workload, and costs no further call", async () => {
  const world = scripted({
    ...script,
    permissions: ({ op, workload }) => (op === "restartService" && workload.name === "web" ? refuse : allow),
  });

  const message = await answerTo("show service/web", world);

  expect(buttons(message)).toBe("Logs, Scale, Refresh, Stop, Memory, Domains, Create like this, Delete");
  expect(world.calls).toEqual(["getService"]);
});

test("what is refused whichever way it is done is not offered", async () => {
  const permissions = ({ op, risk }: About) => (op === "updateService" && risk === "routine" ? refuse : allow);
  const destroys = ({ risk }: About) => (risk === "destructive" || risk === "disruptive" ? refuse : allow);

  expect(buttons(await answerTo("show service/web", { ...script, permissions }))).toContain("Scale");
  expect(buttons(await answerTo("show service/web", { ...script, permissions: destroys }))).toBe(
    "Logs, Scale, Refresh, Domains, Create like this",
  );
});

test("somebody who may only look gets no other button", async () => {
  const permissions = ({ op }: About) => (op === "getService" || op === "getJob" ? allow : refuse);

  for (const words of ["show service/web", "show job/report"]) {
    const message = await answerTo(words, { ...script, permissions, outlook: () => "refuse" });

    expect(buttons(message)).toBe("Refresh");
  }
});

test("a card for everybody offers all that makes sense: the click is judged", async () => {
  const permissions = ({ op }: About) => (op === "getService" ? allow : refuse);

  const message = await answerTo("show service/web --share", { ...script, permissions });

  expect(buttons(message)).toBe("Logs, Restart, Scale, Refresh, Stop, Memory, Domains, Create like this, Delete");
});
