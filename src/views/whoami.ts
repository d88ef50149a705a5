import { fields, header, section } from "./blocks.ts";
import { code, firstOf, moment, person, words } from "./inline.ts";
import type { Message } from "./message.ts";
import { post } from "./post.ts";
import { counted } from "./text.ts";
import { span } from "./time.ts";

export type Whoami = {
  readonly account: { readonly username: string; readonly maskedToken: string };
  /** Where the service answers. */
  readonly service: string;
  readonly region: string;
  readonly regions: readonly string[];
  /** Calls of the account to the service since a moment. */
  readonly calls: { readonly count: number; readonly since: Date };
  readonly slackUser: string;
  readonly now: Date;
};

/** Which account Gantry acts with for somebody; the token only as far as it tells two tokens apart. */
export function whoami({ account, service, region, regions, calls, slackUser, now }: Whoami): Message {
  const count = counted(calls.count, "call");
  return post(`Gantry acts as ${account.username} at ${service}, ${count} so far`, [
    header("Who you are to Gantry"),
    ...fields([
      { label: "You", value: [person(slackUser)] },
      { label: "Account", value: [code(account.username, 100)] },
      { label: "Token", value: [code(account.maskedToken, 60)] },
      { label: "Service", value: [words(service)] },
      { label: "Region", value: [words(region, 60), words(" for services without --region; jobs run in us")] },
      { label: "Known regions", value: firstOf(regions, 20, (each) => words(each, 60)) },
      {
        label: "Calls",
        value: [
          words(`${count} since `),
          moment(calls.since.toISOString()),
          words(` (${span(now.getTime() - calls.since.getTime())})`),
        ],
      },
    ]),
    section("Another account, or a new token: ask who runs Gantry here."),
  ]);
}
