import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { form, says, whispers } from "../../support/speak.ts";

const readOnly = `rules:
  - { name: all read, who: everyone, does: read, then: allow }
  - { name: alex changes, who: U0ALEX, does: anything, then: allow }
`;

test("a card offers what makes sense in the state of the service", async () => {
  await using town = await approvalTown({
    policy: `rules:
  - { name: all, who: members, does: anything, then: allow }
`,
  });
  const { developer } = town;

  expect(await says(town, developer, "/gantry show web")).toMatch(/\[Restart\] \[Scale\].*Stop/u);
  await says(town, developer, "/gantry stop web");
  await town.until(async () => (await town.service("web")).status === "Stopped");

  const stopped = await says(town, developer, "/gantry show web");
  expect(stopped).toContain("[Start]");
  expect(stopped).not.toMatch(/\[(?:Restart|Stop)\]/u);
});

test("a button that would be refused is not drawn for who would be refused", async () => {
  await using town = await approvalTown({ policy: readOnly });
  const { developer, approver } = town;

  const danas = await says(town, developer, "/gantry show web");
  const alexs = await says(town, approver, "/gantry show web");

  expect(danas).toMatch(/\[Logs\]/u);
  expect(danas).not.toMatch(/Scale|Restart|Stop|Delete/u);
  expect(alexs).toMatch(/\[Restart\] \[Scale\].*Stop/u);
});

test("a shared card is judged at the click", async () => {
  await using town = await approvalTown({ policy: readOnly });
  const { developer, approver } = town;
  await says(town, developer, "/gantry show web --share");

  await developer.clicks("Restart");
  await town.settled();
  expect(form(developer)).toMatch(/no policy rule allows it/u);
  await developer.dismisses();

  await approver.clicks("Restart");
  await town.settled();
  expect(form(approver)).toMatch(/Restart/u);
  await approver.submits();
  await town.settled();
  expect(count(town, "restartService")).toBe(1);
});

test("a card is refreshed where it stands", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry show web");
  const before = developer.sees("ops").length;
  await says(town, town.approver, "/gantry scale web 4");

  await developer.clicks("Refresh");
  await town.settled();

  expect(whispers(developer).filter((text) => text.includes("web · "))).toHaveLength(1);
  expect(whispers(developer).find((text) => text.includes("web · "))).toMatch(/4 instances/u);
  expect(developer.sees("ops").length).toBe(before + 1);
});

test("log lines come from the card into a thread", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry show web");

  await developer.clicks("Logs");
  await town.settled();

  expect(count(town, "getServiceLogs")).toBe(1);
  expect(whispers(developer).some((text) => text.includes("web · "))).toBe(true);
});
