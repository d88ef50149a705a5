import { describe, expect, test } from "vitest";
import type { Service } from "../../../../../src/api/answers.ts";
import type { Change } from "../../../../../src/bot/changes/change.ts";
import { nothingToDo, nothingToDoForAny } from "../../../../../src/bot/views/messages/request-answers.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { service } from "../../../views/support/workloads.ts";
import { ableEngine, proposalTo } from "../../support/script.ts";

const digest = `sha256:3f2a9c1d5b6e${"0".repeat(52)}`;
/** A change that was asked of a service with this container, which turns out to change nothing. */
async function unchanged(words: string, container: object): Promise<Change> {
  const web: Partial<Service> = {
    containers: [{ name: "web", ...container }],
    revision: 1,
    revisions: [{ revision: 1, images: ["shop/web:1.4"], outcome: "done" }],
  };
  const proposal = await proposalTo(words, { services: [service("web", web)], engine: ableEngine });
  if (proposal.kind !== "proposed") throw new Error(`it is ${proposal.kind}`);
  expect(proposal.change.diff).toEqual([]);
  return proposal.change;
}

async function told(words: string, container: object): Promise<string> {
  return drawn(nothingToDo(await unchanged(words, container)));
}

describe("a deploy of the image that a service has already", () => {
  test("says how to get the new one if the tag was moved", async () => {
    expect(await told("deploy web 1.4", { image: "shop/web:1.4", image_digest: digest })).toBe(
      "web already has the image shop/web:1.4 · 3f2a9c1d5b6e. Nothing to do.\n" +
        "If the tag was moved, deploy the new image by its digest: deploy web @sha256:….",
    );
  });

  test("says nothing of moved tags where the image came from no registry, or is named by its digest", async () => {
    expect(await told("deploy web 1.4", { image: "shop/web:1.4" })).toBe(
      "web already has the image shop/web:1.4. Nothing to do.",
    );
    const image = `shop/web@${digest}`;
    expect(await told(`deploy web @${digest}`, { image, image_digest: digest })).toBe(
      "web already has the image shop/web@sha256:3f2a9c1d5b6e. Nothing to do.",
    );
  });

  test("is told apart from variables and a revision that are there already", async () => {
    const container = { image: "shop/web:1.4", image_digest: digest, env: [{ name: "LOG_LEVEL", value: "info" }] };

    expect(await told("env web --set LOG_LEVEL=info", container)).toBe(
      "web already has these environment variables. Nothing to do.",
    );
    expect(await told("rollback web 1", container)).toBe("web is already at version 1. Nothing to do.");
  });

  test("of several services says it of all of them", async () => {
    const web = await unchanged("deploy web 1.4", { image: "shop/web:1.4", image_digest: digest });
    const worker = { ...web, workload: { ...web.workload, name: "worker" } };

    expect(drawn(nothingToDoForAny([web, worker]))).toBe(
      "web, worker are already as requested. Nothing to do.\n" +
        "If the tag was moved, deploy the new image by its digest: deploy NAME @sha256:….",
    );
  });
});
