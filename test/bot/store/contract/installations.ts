import { expect, test } from "vitest";
import type { NewInstallation } from "../../../../src/bot/workflow/access/installation.ts";
import { ann, approvedChange, atOnce, type Bench, event, pendingChange } from "./bench.ts";

const HOUR_MS = 60 * 60_000;

function installation(id: string, other: Partial<NewInstallation> = {}): NewInstallation {
  return {
    id,
    isOrgWide: false,
    enterpriseId: undefined,
    name: `Team ${id}`,
    appId: "A1",
    botUserId: "UB",
    scopes: ["commands", "chat:write"],
    sealedTokens: `sealed for ${id}`,
    expiresAt: undefined,
    installedBy: "U1",
    ...other,
  };
}

const org = (id: string) => installation(id, { isOrgWide: true, enterpriseId: id });
const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

export function installationsContract({ replica }: Bench): void {
  test("a workspace's own installation goes before its organization's, and others have none", async () => {
    const a = await replica("a");
    await a.saveInstallation(org("E1"));
    await a.saveInstallation(installation("T1", { enterpriseId: "E1" }));

    const found = [
      await a.findInstallation({ teamId: "T1", enterpriseId: "E1" }),
      await a.findInstallation({ teamId: "T2", enterpriseId: "E1" }),
      await a.findInstallation({ teamId: "T3", enterpriseId: undefined }),
      // An organization is no workspace, and a workspace no organization.
      await a.findInstallation({ teamId: "E1", enterpriseId: "T1" }),
    ];

    expect(found.map((each) => each?.id)).toEqual(["T1", "E1", undefined, undefined]);
    expect(found[0]).toMatchObject({ ...installation("T1", { enterpriseId: "E1" }), installedAt: expect.any(Date) });
  });

  test("an organization's workspace is known after it was seen, until it is closed", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.saveInstallation(org("E1"));
    const unseen = await b.installationOf("T2");
    await a.noteOrgWorkspace("T2", "E1");
    await b.noteOrgWorkspace("T2", "E1");
    const seen = await b.installationOf("T2");
    if (seen === undefined) throw new Error("it was seen");
    const workspaces = await b.workspacesOf(seen);

    await a.closeWorkspace({ teamId: "T2", by: ann });

    expect([unseen, seen.id, workspaces]).toEqual([undefined, "E1", ["T2"]]);
    expect(await b.installationOf("T2")).toBeUndefined();
    expect((await b.history({ teamId: "T2", limit: 9 })).map(({ kind }) => kind)).toEqual(["uninstalled", "installed"]);
  });

  test("one replica at a time renews a token, two hours before it expires", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.saveInstallation(installation("T1", { expiresAt: inHours(12) }));
    await a.saveInstallation(installation("T2"));
    const early = await a.takeRotation(2 * HOUR_MS, 60_000);
    for (const each of [a, b]) each.later(11 * HOUR_MS);

    const taken = await atOnce(6, [a, b], (store) => store.takeRotation(2 * HOUR_MS, 60_000));
    const due = taken.filter((each) => each !== undefined);
    const [first] = due;
    if (first === undefined) throw new Error("nobody got it");
    const stored = await a.rotated(first, { sealedTokens: "new", expiresAt: inHours(23) });
    const late = await b.rotated(first, { sealedTokens: "later", expiresAt: inHours(23) });

    expect([early, due.map(({ id }) => id), stored, late]).toEqual([undefined, ["T1"], true, false]);
    expect(await b.installationOf("T1")).toMatchObject({ sealedTokens: "new", version: first.version + 1 });
    expect(await b.takeRotation(2 * HOUR_MS, 60_000)).toBeUndefined();
  });

  test("when a replica dies during the exchange, another one tries again", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.saveInstallation(installation("T1", { expiresAt: inHours(1) }));
    await a.takeRotation(2 * HOUR_MS, 60_000);
    const during = await b.takeRotation(2 * HOUR_MS, 60_000);
    b.later(61_000);

    expect([during, (await b.takeRotation(2 * HOUR_MS, 60_000))?.id]).toEqual([undefined, "T1"]);
  });

  test("an installation in doubt is found until it is trusted, installed again or removed", async () => {
    const a = await replica("a");
    const doubts = async () => (await a.listSuspect()).map(({ id }) => id);
    await a.saveInstallation(installation("T1"));
    await a.suspectInstallation("T1");
    const one = await doubts();
    await a.trustInstallation("T1");
    const two = await doubts();
    await a.suspectInstallation("T1");
    await a.saveInstallation(installation("T1"));
    const three = await doubts();

    expect([one, two, three]).toEqual([["T1"], [], []]);
  });

  test("only the version that was looked at is removed, and a new one never looks like it", async () => {
    const a = await replica("a");
    await a.saveInstallation(installation("T1"));
    const old = await a.installationOf("T1");
    await a.saveInstallation(installation("T1", { sealedTokens: "newer" }));
    const current = await a.installationOf("T1");
    if (old === undefined || current === undefined) throw new Error("it was installed");

    expect(await a.removeInstallation(old)).toBe(false);
    expect((await a.installationVersions()).get("T1")).toBe(current.version);
    expect(await a.removeInstallation(current)).toBe(true);
    expect((await a.installationVersions()).size).toBe(0);
  });

  test("closing a workspace ends what waits, once, and a Run that was sent goes on", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111"), event("requested"));
    await a.addChange(approvedChange("BBB222"), event("requested"));
    await a.addChange(approvedChange("CCC333"), event("requested"));
    await a.claim("CCC333", event("claimed"));

    await atOnce(4, [a, b], (store) => store.closeWorkspace({ teamId: "T1", by: ann }));

    const found = await Promise.all(["AAA111", "BBB222", "CCC333"].map((id) => a.findChange(id)));
    expect(found.map((each) => each?.state)).toEqual(["cancelled", "cancelled", "claimed"]);
    expect(found.map((each) => each?.sealed)).toEqual(["", "", ""]);
    expect(await a.undrawn()).toEqual([]);
    const kinds = (await a.history({ teamId: "T1", limit: 20 })).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "cancelled")).toHaveLength(2);
    expect(kinds.filter((kind) => kind === "uninstalled")).toHaveLength(1);
  });
}
