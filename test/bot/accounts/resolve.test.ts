import { describe, expect, test } from "vitest";
import {
  type AccountRef,
  type AccountSeeker,
  type LinkedAccount,
  type OpenAccount,
  type AccountRules,
  boundTo,
  type FoundAccounts,
  openStoredAccount,
  resolveAccount,
} from "../../../src/bot/accounts/resolve.ts";
import { newKey, readKeyring, createSealer, SealError } from "../../../src/bot/accounts/seal.ts";
import { UserError } from "../../../src/bot/errors.ts";

const sealer = createSealer(readKeyring(newKey()));
const seeker: AccountSeeker = { teamId: "T1", userId: "U-DANA", channelId: "C-OPS" };
const configured: OpenAccount = { owner: { kind: "workspace" }, username: "team", token: "token-of-the-workspace" };
const rules: AccountRules = { mode: "fallback", configured, sealer, seeker };

function linked(owner: LinkedAccount["owner"], username: string, teamId = "T1"): LinkedAccount {
  const sealedToken = sealer.seal(`token-of-${username}`, boundTo({ teamId, owner, username }));
  return { teamId, owner, username, sealedToken, linkedBy: "U-DANA", linkedAt: new Date(0) };
}

const own = linked({ kind: "user", userId: "U-DANA" }, "dana");
const channel = linked({ kind: "channel", channelId: "C-OPS" }, "ops");
const none = { own: undefined, channel: undefined };

function refusal(resolve: () => OpenAccount): UserError {
  try {
    resolve();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("it was resolved");
}

describe("with fallback", () => {
  test.each([
    ["one's own goes before all", { own, channel }, "dana"],
    ["the channel's goes before the workspace's", { own: undefined, channel }, "ops"],
    ["the workspace's is the last", none, "team"],
  ])("%s", (_what, found, username) => {
    const account = resolveAccount(found, rules);

    expect(account.username).toBe(username);
    expect(account.token).toBe(username === "team" ? configured.token : `token-of-${username}`);
  });

  test("where there is none at all, the person is told how to link one", () => {
    const { message, next } = refusal(() => resolveAccount(none, { ...rules, configured: undefined }));

    expect(`${message} ${next ?? ""}`).toMatchInlineSnapshot(
      `"No account is connected for you, this channel or the workspace. Connect yours with \`/gantry connect\`, or one for this channel with \`/gantry connect channel\`. A workspace admin can connect one for everybody with \`/gantry connect workspace\`."`,
    );
  });
});

describe("about a workload that a message showed", () => {
  const shown = (account: string): AccountSeeker => ({ ...seeker, account });

  test.each([
    ["one's own", { own, channel }, "dana", "user"],
    ["the channel's, though one has one's own", { own, channel }, "ops", "channel"],
    ["the workspace's, though one has one's own", { own, channel }, "team", "workspace"],
  ])("it is %s", (_what, found, account, kind) => {
    const resolved = resolveAccount(found, { ...rules, seeker: shown(account) });

    expect([resolved.username, resolved.owner.kind]).toEqual([account, kind]);
  });

  test.each([
    ["of another person", { own, channel }, rules, "alex", "you use the account dana here"],
    [
      "shared, where everybody uses their own",
      { own, channel },
      { ...rules, mode: "own" as const },
      "team",
      "dana here",
    ],
    ["shared, for somebody without one", none, { ...rules, mode: "own" as const }, "team", "you have no account here"],
    ["another one than the channel's binding", { own, channel }, { ...rules, wanted: "ops" }, "dana", "ops here"],
    ["gone", none, { ...rules, configured: undefined }, "team", "you have no account here"],
  ])("one that is %s is never replaced by another", (_what, found, given, account, other) => {
    const { message } = refusal(() => resolveAccount(found, { ...given, seeker: shown(account) }));

    expect(message).toContain(`This belongs to the account ${account}, and `);
    expect(message).toContain(`${other}. Nothing was changed.`);
  });
});

describe("in a channel that is bound to a user name", () => {
  const found = { own, channel };

  test.each([
    ["one's own", "dana", "user"],
    ["the channel's, though one has another of one's own", "ops", "channel"],
    ["the workspace's", "team", "workspace"],
  ])("it is %s", (_what, wanted, kind) => {
    const account = resolveAccount(found, { ...rules, wanted });

    expect([account.username, account.owner.kind]).toEqual([wanted, kind]);
  });

  test("one's own goes before the others of that name", () => {
    const same = { own: linked({ kind: "user", userId: "U-DANA" }, "team"), channel };

    expect(resolveAccount(same, { ...rules, wanted: "team" }).owner.kind).toBe("user");
  });

  test("no other one is taken, and the person is told how to link it", () => {
    const { message, next } = refusal(() => resolveAccount(found, { ...rules, wanted: "night-shift" }));

    expect(`${message} ${next ?? ""}`).toMatchInlineSnapshot(
      `"This channel uses the account night-shift, which isn't connected. Connect it with \`/gantry connect\`, or for everybody here with \`/gantry connect channel\`. To see or change the channel's account: \`/gantry use\`"`,
    );
  });

  test("where everybody acts with their own only, the channel's and the workspace's are not taken", () => {
    for (const wanted of ["ops", "team"]) {
      const { message, next } = refusal(() => resolveAccount(found, { ...rules, mode: "own", wanted }));

      expect(message).toContain(`uses the account ${wanted}, which isn't connected for you`);
      expect(next).not.toContain("connect channel");
    }
    expect(resolveAccount(found, { ...rules, mode: "own", wanted: "dana" }).username).toBe("dana");
  });
});

describe("with one's own only", () => {
  const strict: AccountRules = { ...rules, mode: "own" };

  test("one's own is taken", () => {
    expect(resolveAccount({ own, channel }, strict)).toEqual({
      owner: { kind: "user", userId: "U-DANA" },
      username: "dana",
      token: "token-of-dana",
    });
  });

  test("the channel's and the workspace's are not, and the person is told to connect first", () => {
    const { message, next } = refusal(() => resolveAccount({ own: undefined, channel }, strict));

    expect(`${message} ${next ?? ""}`).toMatchInlineSnapshot(
      `"You haven't connected an account, and everybody here uses their own. Connect yours with \`/gantry connect\`. A form asks for the user name and token."`,
    );
  });
});

describe("a row that does not open", () => {
  const otherUser = linked({ kind: "user", userId: "U-ALEX" }, "alex");

  test.each([
    ["another person's row", otherUser],
    ["another person's token in one's own row", { ...own, sealedToken: otherUser.sealedToken }],
    ["a row of the same person in another team", linked({ kind: "user", userId: "U-DANA" }, "dana", "T2")],
    ["a row with another user name", { ...own, username: "root" }],
    ["the channel's token in one's own row", { ...own, username: "ops", sealedToken: channel.sealedToken }],
    ["an empty row", { ...own, sealedToken: "" }],
    ["a row that was cut off", { ...own, sealedToken: own.sealedToken.slice(0, -5) }],
  ])("%s never leads to another account", (_what, row) => {
    const { message, next, cause } = refusal(() => resolveAccount({ own: row, channel }, rules));

    expect(message).toContain("its stored token is damaged");
    expect(next).toContain("Connect it again with `/gantry connect`");
    expect(cause).toBeInstanceOf(SealError);
    expect(`${message} ${String(next)} ${String(cause)}`).not.toMatch(/token-of|g1\./u);
  });

  test("a channel's row does not open in another channel", () => {
    const elsewhere = { ...rules, seeker: { ...seeker, channelId: "C-OTHER" } };
    const { message, next } = refusal(() => resolveAccount({ own: undefined, channel }, elsewhere));

    expect(message).toContain("Couldn't use this channel's account (ops)");
    expect(next).toContain("connect channel");
  });

  test("a key that is gone is not called damage", () => {
    const { message } = refusal(() =>
      resolveAccount({ own, channel }, { ...rules, sealer: createSealer(readKeyring(newKey())) }),
    );

    expect(message).toMatchInlineSnapshot(
      `"Couldn't use your account (dana): the key that sealed its token is missing. Nothing was changed."`,
    );
  });
});

describe("a Change that was asked for earlier", () => {
  const asOwn = { owner: own.owner, username: "dana" };
  const asChannel = { owner: channel.owner, username: "ops" };
  const asWorkspace = { owner: configured.owner, username: "team" };

  test.each([
    ["one's own", asOwn, "token-of-dana"],
    ["the channel's", asChannel, "token-of-ops"],
    ["the workspace's", asWorkspace, "token-of-the-workspace"],
  ])("is carried out with %s account, whatever goes before it by now", (_what, ref, token) => {
    expect(openStoredAccount(ref, { own, channel }, rules).token).toBe(token);
  });

  test("takes a new token of the same account", () => {
    const sealedToken = sealer.seal("a newer token", boundTo(own));

    expect(openStoredAccount(asOwn, { own: { ...own, sealedToken }, channel }, rules).token).toBe("a newer token");
  });

  type Later = { readonly ref: AccountRef; readonly found: FoundAccounts; readonly given?: Partial<AccountRules> };
  const alexs = { owner: { kind: "user", userId: "U-ALEX" }, username: "dana" } as const;
  const later: readonly (readonly [string, Later])[] = [
    ["one's own was unlinked", { ref: asOwn, found: { own: undefined, channel } }],
    ["one's own is another one by now", { ref: asOwn, found: { own: linked(own.owner, "dana-2"), channel } }],
    ["it is somebody else's", { ref: alexs, found: { own, channel } }],
    ["the channel's was unlinked", { ref: asChannel, found: none }],
    ["the channel's is another one by now", { ref: asChannel, found: { own, channel: linked(channel.owner, "b") } }],
    [
      "the workspace's is another one by now",
      { ref: asWorkspace, found: none, given: { configured: { ...configured, username: "b" } } },
    ],
    ["the workspace has none by now", { ref: asWorkspace, found: { own, channel }, given: { configured: undefined } }],
  ];

  test.each(later)("is not sent when %s", (_what, { ref, found, given }) => {
    const { message, next } = refusal(() => openStoredAccount(ref, found, { ...rules, ...given }));

    expect(message).toBe(
      `The account of this request (${ref.username}) was changed or disconnected. Nothing was changed.`,
    );
    expect(next).toBe("Request it again.");
  });

  test("is not sent with the channel's account when everybody may act with their own only by now", () => {
    const { message } = refusal(() => openStoredAccount(asChannel, { own, channel }, { ...rules, mode: "own" }));

    expect(message).toMatchInlineSnapshot(
      `"This was requested with the channel's account. Everybody now has to use their own. Nothing was changed."`,
    );
  });
});
