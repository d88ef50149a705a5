import { expect, test } from "vitest";
import type { NewInstallation } from "../../../../src/bot/workflow/stored.ts";
import { ann, approvedChange, atOnce, type Bench, cardsDue, event, pendingChange } from "./bench.ts";

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

export function installationsContract({ replica, db }: Bench): void {
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
    await a.saveOrgWorkspace("T2", "E1");
    await b.saveOrgWorkspace("T2", "E1");
    const seen = await b.installationOf("T2");
    if (seen === undefined) throw new Error("it was seen");
    const workspaces = await b.workspacesOf(seen);

    await a.closeWorkspace({ teamId: "T2", by: ann });

    expect([unseen, seen.id, workspaces]).toEqual([undefined, "E1", ["T2"]]);
    expect(await b.installationOf("T2")).toBeUndefined();
    expect((await b.history({ teamId: "T2", limit: 9 })).map(({ kind }) => kind)).toEqual(["uninstalled", "installed"]);
  });

  test("a token that expires is looked after, and only its first successor is stored", async () => {
    const a = await replica("a");
    await a.saveInstallation(installation("T1", { expiresAt: inHours(12) }));
    await a.saveInstallation(installation("T2"));
    const due = await a.takeDue({ kind: "token", leaseMs: 60_000, most: 9 });
    const first = await a.installationById("T1");
    if (first === undefined) throw new Error("it was installed");
    const stored = await a.rotated(first, { sealedTokens: "new", expiresAt: inHours(23) });
    const late = await a.rotated(first, { sealedTokens: "later", expiresAt: inHours(23) });

    expect([due.map(({ key }) => key), stored, late]).toEqual([["T1"], true, false]);
    expect(await a.installationOf("T1")).toMatchObject({ sealedTokens: "new", version: first.version + 1 });
  });

  test("an installation is in doubt until it is installed again or removed", async () => {
    const a = await replica("a");
    const inDoubt = async () => (await a.dueKinds()).includes("doubt");
    await a.saveInstallation(installation("T1", { expiresAt: inHours(12) }));
    await a.suspectInstallation("T1");
    const one = await inDoubt();
    await a.saveInstallation(installation("T1", { expiresAt: inHours(12) }));
    const two = await inDoubt();
    await a.suspectInstallation("T1");
    const current = await a.installationById("T1");
    if (current !== undefined) await a.removeInstallation(current);

    expect([one, two]).toEqual([true, false]);
    expect(await db().selectFrom("due").selectAll().execute()).toEqual([]);
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
    expect(await cardsDue(a)).toEqual([]);
    const kinds = (await a.history({ teamId: "T1", limit: 20 })).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "cancelled")).toHaveLength(2);
    expect(kinds.filter((kind) => kind === "uninstalled")).toHaveLength(1);
  });
}
