import { expect, test } from "vitest";
import { images } from "../../service/support/memory-store.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, says } from "../../support/speak.ts";

const policy = (pattern: string, end = "approve: { from: channel-members }") => `
rules:
  - { name: look, who: members, does: read, then: allow }
  - name: our images
    who: members
    does: [routine, disruptive]
    images: "${pattern}"
    limits: { instances: 3, memory: 1Gi }
    then: { ${end} }
`;
const ours = images.web.replace(/[^/]*$/u, "*");

test("creating, scaling and setting memory stay within the images and sizes of a rule", async () => {
  await using town = await approvalTown({ policy: policy(ours, "allow: {}") });
  const { developer } = town;
  const asks = (words: string) => says(town, developer, `/gantry ${words}`);

  expect(await asks("scale web 4")).toContain("no policy rule allows 4 instances");
  expect(await asks("memory web 2048")).toContain("no policy rule allows 2048 MiB of memory for each instance");
  expect(await asks("create service miner --image evil/miner --memory 512")).toMatch(
    /no policy rule allows the image .*evil\/miner.*is for test\/\*/su,
  );
  expect(await asks("create service shop --image evil/miner")).toMatch(/no policy rule allows the image/u);
  expect(await asks(`create service shop --image ${images.web}`)).toContain("Add --memory.");
  expect(count(town, "createService") + count(town, "updateService")).toBe(0);

  await asks("scale web 3");
  await asks(`create service shop --image ${images.web} --memory 512`);

  expect(count(town, "updateService")).toBe(1);
  expect(count(town, "createService")).toBe(1);
});

test("a request whose image policy forbids meanwhile doesn't run when it is approved", async () => {
  await using town = await approvalTown({ policy: policy(ours) });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");
  town.setPolicy(policy("other/*"));

  await clicks(town, approver, "Approve");

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/may no longer do this.*no policy rule allows the image/su);
});
