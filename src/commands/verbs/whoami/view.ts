import type { AccountOwner } from "../../../accounts/account.ts";
import { fields, header, section } from "../../../views/kit/blocks.ts";
import { code, firstOf, moment, person, words } from "../../../views/kit/inline.ts";
import type { Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { counted } from "../../../views/kit/text.ts";
import { span } from "../../../views/kit/time.ts";

export type Whoami = {
  readonly account: {
    readonly owner: AccountOwner;
    readonly username: string;
    /** Of all replicas together, since a moment. */
    readonly calls: { readonly count: number; readonly since: Date };
  };
  readonly command: string;
  /** Where the service answers. */
  readonly service: string;
  readonly region: string;
  readonly regions: readonly string[];
  readonly slackUser: string;
  readonly now: Date;
};

/** The account Gantry uses for a person. No part of its token is ever shown. */
export function whoami({ account, command, service, region, regions, slackUser, now }: Whoami): Message {
  const { count, since } = account.calls;
  const calls = counted(count, "call");
  return post(`Gantry acts as ${account.username} (${whose[account.owner.kind]}) at ${service}, ${calls} today`, [
    header("Who you are to Gantry"),
    ...fields([
      { label: "You", value: [person(slackUser)] },
      { label: "Account", value: [code(account.username, 100), words(`, ${whose[account.owner.kind]}`)] },
      { label: "Service", value: [words(service)] },
      {
        label: "Region",
        value: [words(region, 60), words(" for services without --region; jobs run in the region us")],
      },
      { label: "Known regions", value: firstOf(regions, 20, (each) => words(each, 60)) },
      {
        label: "Calls",
        value: [
          words(`${calls} since `),
          moment(since.toISOString()),
          words(` (${span(now.getTime() - since.getTime())})`),
        ],
      },
    ]),
    section(...next[account.owner.kind](command)),
  ]);
}

const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "your own",
  channel: "this channel's",
  workspace: "the workspace's",
};

/** How another account comes in. */
const next: Readonly<Record<AccountOwner["kind"], (command: string) => [string, ...string[]]>> = {
  user: (command) => [
    `Another token or account: \`${command} connect\`. To unlink this one: \`${command} disconnect\``,
  ],
  channel: (command) => [
    `To act with your own account: \`${command} connect\`. Another one for this channel: \`${command} connect channel\``,
  ],
  workspace: (command) => [
    `To act with your own account: \`${command} connect\`. One for everybody in this channel: \`${command} connect channel\``,
  ],
};
