import fc from "fast-check";
import { commands } from "../../../src/bot/commands/verbs.ts";
import { historyEventKinds } from "../../../src/bot/changes/history-event.ts";
import { homeView } from "../../../src/bot/views/home/view.ts";
import { hostileChange, hostileEvent } from "./support/hostile-change.ts";
import { hostileText } from "./support/hostile.ts";
import { lately } from "./support/hostile-lists.ts";
import { holds } from "./support/holds.ts";
import { expectHomeFits } from "./support/judges.ts";
import { event } from "./support/stored-changes.ts";
import { now } from "./support/workloads.ts";

const listed = lately.map(({ entries }) => entries);
const plainEvent = fc
  .tuple(hostileText, fc.constantFrom(...historyEventKinds))
  .map(([text, kind]) => event(kind, { verb: text, result: text, who: { userId: text, name: text } }));

const offered = commands.filter(({ name }) => ["logs", "restart", "delete"].includes(name));
const mayAll = (name: string) => ["service", "job"].map((kind) => [`${kind}/${name}`, offered] as const); // a pair, not a list

holds(
  "Home",
  fc.record({
    who: hostileText,
    region: hostileText,
    services: fc.option(listed, { nil: undefined }),
    jobs: fc.option(listed, { nil: undefined }),
    problems: fc.array(hostileText, { maxLength: 6 }),
    apiProblem: fc.option(hostileText, { nil: undefined }),
    page: fc.nat(9),
    mine: fc.array(hostileChange, { maxLength: 2 }),
    recent: fc.array(fc.oneof(plainEvent, hostileEvent), { maxLength: 2 }),
    verbs: fc.array(fc.record({ name: hostileText, summary: hostileText }), { maxLength: 3 }),
    isKnown: fc.boolean(),
    times: fc.constantFrom(1, 9),
  }),
  ({ region, who, isKnown, times, mine, ...more }) => {
    const account = { owner: { kind: "workspace" } as const, username: who, region, jobsRegion: region };
    const many = Array.from({ length: times }, () => mine).flat();
    const own = many.map((each, at) => ({ ...each, id: `${at}m${each.id}` }));
    const waiting = many.map((each, at) => ({ ...each, id: `${at}w${each.id}` }));

    expectHomeFits(
      homeView({
        ...more,
        ...(isKnown ? { account } : { accountProblem: who }),
        mine: own,
        waiting,
        isReading: false,
        mayDo: new Map([...(more.services ?? []), ...(more.jobs ?? [])].flatMap(({ name }) => mayAll(name))),
        regions: [region, who],
        defaultRegion: who,
        readAt: new Date(0),
        now,
      }),
    );
  },
);
