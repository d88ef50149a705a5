import { expect, test } from "vitest";
import { manyServices } from "../support/many-services.ts";
import { world } from "../support/world.ts";
import { story } from "./support/story.ts";

story("Socket Mode on the page", (open) => {
  test("the connections are counted, refreshed and lost, and a delivery shows its envelope", async () => {
    await using town = await world({ apiFetch: manyServices(3), transport: "socket" });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.clicks("Trouble");
    await dana.page.getByRole("status").filter({ hasText: "2 connections are open" }).waitFor();
    await dana.clicks("Break one off");
    await dana.page.getByRole("status").filter({ hasText: "applink-3" }).waitFor();
    await dana.page.getByLabel("New connections get no hello").check();
    await dana.page.getByRole("button", { name: "Trouble 1 on" }).waitFor();
    await dana.clicks("Turn everything off");
    await dana.page.getByRole("button", { name: "Trouble", exact: true }).waitFor();
    await dana.says("/gantry list services");
    await dana.sees("svc-0001");
    await dana.clicks("Inspector");
    await dana.page.getByRole("button", { name: /slash_command/u }).click();
    const envelope = dana.page.getByLabel("Envelope", { exact: true });
    await envelope.waitFor();

    await expect.poll(() => envelope.textContent()).toContain('"accepts_response_payload": true');
    await expect.poll(() => dana.page.getByLabel("Wrong signature").count()).toBe(0);
  });
});
