import { expect, test } from "vitest";
import { report, web } from "../../views/support/workloads.ts";
import { scripted, proposalTo } from "../support/script.ts";

test.each([
  [
    "service web",
    "Service web already exists in beijing1.",
    "Choose another name, or see it with `/gantry show service/web`.",
  ],
  [
    "job report",
    "Job report already exists.",
    "Choose another name, or delete it first with `/gantry delete job/report`.",
  ],
])("a name that exists isn't created again: %s", async (named, message, next) => {
  const town = scripted({ services: [web], jobs: [report] });

  await expect(proposalTo(`create ${named} --image gantry/worker`, town)).rejects.toMatchObject({ message, next });
});
