import fc from "fast-check";
import { kindNamed } from "../../../../src/bot/commands/grammar/argument-types.ts";
import type { FormValues } from "../../../../src/bot/commands/forms/form.ts";

/** The same wish as words after the verb and as what stands in the form. */
export type BothWays = { readonly words: readonly string[]; readonly values: FormValues };

export const part = (words: readonly string[], values: FormValues): BothWays => ({ words, values });
export const nothing = part([], {});

/** Parts one after another. */
export function all(...parts: readonly fc.Arbitrary<BothWays>[]): fc.Arbitrary<BothWays> {
  return fc.tuple(...parts).map((said) =>
    part(
      said.flatMap(({ words }) => words),
      Object.assign({}, ...said.map(({ values }) => values)),
    ),
  );
}

/** Flags may be left out, and stand in any order. */
export function flags(...each: readonly fc.Arbitrary<BothWays>[]): fc.Arbitrary<BothWays> {
  return fc.shuffledSubarray([...each.keys()]).chain((chosen) => all(...chosen.flatMap((at) => each[at] ?? [])));
}

export const flag = (id: string, value: fc.Arbitrary<string>): fc.Arbitrary<BothWays> =>
  value.map((text) => part([`--${id}=${text}`], { [id]: text }));

export const tick = (id: string): fc.Arbitrary<BothWays> => fc.constant(part([`--${id}`], { [id]: "yes" }));

/** `--env A=1 --env B=2`, and one a line; blank lines and spaces around count for nothing. */
const repeated = (id: string, item: fc.Arbitrary<string>): fc.Arbitrary<BothWays> =>
  fc.array(item, { minLength: 1, maxLength: 4 }).map((items) =>
    part(
      items.map((each) => `--${id}=${each}`),
      { [id]: items.map((each) => `  ${each} \n\n`).join("") },
    ),
  );

export const word = (id: string, value: fc.Arbitrary<string>): fc.Arbitrary<BothWays> =>
  value.map((text) => part([text], { [id]: text }));

/** One line of anything that people type, without spaces around it. Curly double quotes cannot stand between straight ones. */
const character = fc.constantFrom(...Array.from("aZ09 =-–&<>'\"\\/:.,;|*#@?!()[]{}$%~`äß漢👍‘’"));
export const line = fc
  .array(character, { minLength: 1, maxLength: 20 })
  .map((characters) => characters.join("").trim())
  .filter((text) => text !== "");

/** A workload with the name of a kind needs its kind before it: `rollback cj 1` is about the CronJob "1". */
export const name = fc
  .stringMatching(/^[a-z](?:[a-z0-9-]{0,12}[a-z0-9])?$/u)
  .filter((text) => kindNamed(text) === undefined);
export const target = fc.tuple(fc.constantFrom("", "service/", "job/"), name).map((parts) => parts.join(""));
export const numbers = (from: number, to: number): fc.Arbitrary<string> =>
  fc.integer({ min: from, max: to }).map(String);
const domain = fc.stringMatching(/^[a-z0-9]{1,8}\.(example|test)\.com$/u);
export const day = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
export const changeId = fc.stringMatching(/^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{6}$/u);
export const region = fc.constantFrom("beijing1", "beijing2", "us", "eu-1");

const reason = flag("reason", line);
const broken = all(reason, tick("break-glass"));
export const common = {
  read: flags(flag("region", region), tick("share")),
  free: flags(tick("share")),
  write: all(flags(flag("region", region)), fc.oneof(fc.constant(nothing), reason, broken)),
};

const port = fc.tuple(numbers(1, 65_535), fc.constantFrom("", "/tcp", "/TCP")).map((parts) => parts.join(""));
const env = fc.tuple(fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/u), line).map((parts) => parts.join("=").trim());
const command = fc.oneof(
  fc.constant(nothing),
  fc
    .array(fc.oneof(line, fc.constant(""), fc.constant("--share"), fc.constant(" \u200b ")), {
      minLength: 1,
      maxLength: 4,
    })
    .map((words) => part(["--", ...words], { command: words.map(quoted).join("  ") })),
);

/** Volumes, and mounts of some of them. */
const disks = (suffix: string): fc.Arbitrary<BothWays> =>
  fc.uniqueArray(name, { maxLength: 3 }).chain((names) => {
    const volumes = names.map((each) => `${each}${suffix}`);
    const mounts = names.slice(1).map((each) => `${each}:/var/${each}`);
    const said = (id: string, items: readonly string[]): BothWays =>
      items.length === 0
        ? nothing
        : part(
            items.map((item) => `--${id}=${item}`),
            { [id]: items.join("\n") },
          );
    return fc.constant(
      part([...said("volume", volumes).words, ...said("mount", mounts).words], {
        ...said("volume", volumes).values,
        ...said("mount", mounts).values,
      }),
    );
  });

const container = [
  flag("memory", fc.constantFrom("512", "512Mi", "1Gi")),
  repeated("env", env),
  repeated("port", port),
  tick("sync-timezone"),
] as const;

const image = flag(
  "image",
  fc.constantFrom("gantry/hello-web", `registry.example.com:5000/a/b@sha256:${"0123".repeat(16)}`),
);
const kind = (of: "service" | "job"): fc.Arbitrary<BothWays> => fc.constant(part([of], { kind: of }));

const creation = fc.oneof(
  all(
    kind("service"),
    word("name", name),
    image,
    flags(...container, flag("instances", numbers(0, 1_000)), repeated("publish", port), repeated("domain", domain)),
    disks("=disk-1:ro"),
    common.write,
    command,
  ),
  all(
    kind("job"),
    word("name", name),
    image,
    flags(...container, tick("pull-always")),
    disks(""),
    common.write,
    command,
  ),
);

const whose = fc.constantFrom(part([], { whose: "mine" }), part(["channel"], { whose: "channel" }));

/** What is bound can be locked, unless it is an account alone. */
const lockOf = ({ values }: BothWays): fc.Arbitrary<BothWays> =>
  values["region"] === undefined && values["names"] === undefined ? fc.constant(nothing) : flags(tick("lock"));

/** The verbs whose words do not follow from the fields of their form; for the others see `saidByFields`. */
export const bothWays: Readonly<Record<string, fc.Arbitrary<BothWays>>> = {
  list: all(
    fc.oneof(fc.constant(nothing), word("kind", fc.constantFrom("services", "jobs"))),
    flags(
      word(
        "text",
        name.map((text) => `x-${text}`),
      ),
    ),
    flags(flag("status", line)),
    common.read,
  ),
  logs: all(
    word("name", target),
    flags(
      flag("instance", name),
      flag("date", day),
      flag("from", numbers(0, 10_000_000)),
      flag("size", numbers(1, 1000)),
      flag("grep", fc.stringMatching(/^[a-z0-9]{1,4}[ .&<>"'a-z]{0,6}[a-z]$/u)),
      flag("context", numbers(0, 20)),
      flag("around", fc.constantFrom("14:03", "9:05:59", "2026-11-20T14:03:00Z")),
      tick("previous"),
      tick("file"),
      tick("raw"),
      tick("follow"),
      flag("for", fc.constantFrom("1m", "90s", "1h", "25")),
      tick("private"),
    ),
    common.read,
  ),
  create: creation,
  scale: all(word("name", target), word("size", numbers(0, 1_000)), common.write),
  memory: all(
    word("name", target),
    word("mib", fc.constantFrom("256", "512", "1024", "2048")),
    flags(flag("container", name)),
    common.write,
  ),
  deploy: all(
    word("name", target),
    word(
      "image",
      fc.constantFrom("1.5", "shop/web:1.5", "registry.example.com:5000/shop/web:1.5", `@sha256:${"0f3c".repeat(16)}`),
    ),
    flags(flag("container", name), flag("on-failure", fc.constantFrom("roll-back", "stop"))),
    common.write,
  ),
  env: all(
    word("name", target),
    fc.constant(part(["--set=LEVEL=a b", "--unset=OLD"], { set: "LEVEL=a b", unset: "OLD" })),
    flags(flag("container", name), flag("on-failure", fc.constantFrom("roll-back", "stop"))),
    common.write,
  ),
  rollback: all(word("name", target), flags(word("revision", numbers(1, 999_999_999))), common.write),
  domains: all(
    word("name", target),
    fc.array(domain, { maxLength: 5 }).map((domains) => part(["set", ...domains], { domains: domains.join("\n") })),
    common.write,
  ),
  delete: all(
    target.map((text) => part([text], { name: text, confirm: text.split("/").at(-1) ?? "" })),
    common.write,
  ),
  undo: all(flags(word("name", target)), common.free),
  reject: all(word("id", changeId), flags(reason)),
  history: all(
    flags(word("name", target)),
    flags(
      flag("by", fc.constantFrom("<@U0DANA>", "<@W0ALEX>")),
      fc.oneof(
        flag("since", fc.constantFrom("30m", "1h", "12h", "1d", "7d", "2w", "4w")),
        day.map((text) => part([`--since=${text}`], { since: "day", day: text })),
      ),
      tick("json"),
    ),
    common.free,
  ),
  connect: whose,
  disconnect: whose,
  use: flags(flag("region", region), flag("names", fc.constant("shop-*")), flag("account", name)).chain((bound) =>
    bound.words.length === 0
      ? fc.constantFrom(bound, part(["--clear"], { clear: "yes" }))
      : all(fc.constant(bound), lockOf(bound)),
  ),
  watch: all(
    fc.oneof(
      word("name", target),
      fc.constantFrom("shop-*", "job/report-*", "all").map((text) => part([text], { pattern: text })),
    ),
    fc.oneof(
      flags(
        fc.constant(part(["--on=failing,deployed"], { on: "failing\ndeployed" })),
        flag("after", fc.constantFrom("0", "90s", "5m")),
        flag("quiet", fc.constant("22:00-07:00")),
      ),
      flag("digest", fc.constantFrom("daily", "weekdays 8:30")),
    ),
    flags(fc.oneof(tick("dm"), flag("in", fc.constant("C0OPS"))), flag("region", region)),
  ),
  unwatch: all(
    fc.oneof(word("name", target), fc.constant(part(["shop-*"], { pattern: "shop-*" }))),
    flags(fc.oneof(tick("dm"), flag("in", fc.constant("C0OPS"))), flag("region", region)),
  ),
  unmute: all(
    fc.oneof(word("name", target), fc.constant(part(["shop-*"], { pattern: "shop-*" }))),
    flags(fc.oneof(tick("dm"), flag("in", fc.constant("C0OPS"))), flag("region", region)),
  ),
  mute: all(
    fc.oneof(word("name", target), fc.constant(part(["shop-*"], { pattern: "shop-*" }))),
    fc.constantFrom(
      nothing,
      part(["2h"], { until: "2h" }),
      part(["until", "18:00"], { until: "until 18:00" }),
      part(["off"], { until: "off" }),
    ),
    flags(fc.oneof(tick("dm"), flag("in", fc.constant("C0OPS"))), flag("region", region)),
  ),
  "can-i": all(
    word("verb", fc.constantFrom("scale", "create", "help", "history")),
    common.free,
    fc
      .array(line.filter((text) => text !== "--share"))
      .map((words) => part(words, { words: words.map(quoted).join(" ") })),
  ),
};

/** As it has to be typed, whatever is in it. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/gu, "\\$&")}"`;
}

/** Words as Slack hands them on: people are marked up, and all else is escaped. */
export function typed(verb: string, words: readonly string[]): string {
  const escaped = words.map((each) =>
    /^--by=<@\w+>$/u.test(each)
      ? each
      : quoted(each).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  );
  return [verb, ...escaped].join(" ");
}
