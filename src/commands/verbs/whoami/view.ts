import type { AccountOwner } from "../../../accounts/account.ts";
import { fields, header, section } from "../../../views/kit/blocks.ts";
import { code, firstOf, moment, person, words } from "../../../views/kit/inline.ts";
import type { Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { counted, grouped } from "../../../views/kit/text.ts";

export type Whoami = {
  readonly account: {
    readonly owner: AccountOwner;
    readonly username: string;
    /** Of all replicas together, since a moment. */
    readonly calls: { readonly count: number; readonly since: Date };
  };
  readonly command: string;
  /** The workload API's address. */
  readonly service: string;
  readonly region: string;
  readonly regions: readonly string[];
  readonly slackUser: string;
};

/** The account that a person's requests use. No part of its token is ever shown. */
export function whoami({ account, command, service, region, regions, slackUser }: Whoami): Message {
  const { count, since } = account.calls;
  const calls = counted(count, "request");
  return post(`Account ${account.username} (${whose[account.owner.kind]}) at ${service}, ${calls} today`, [
    header("Your account"),
    ...fields([
      { label: "You", value: [person(slackUser)] },
      { label: "Account", value: [code(account.username, 100), words(`, ${whose[account.owner.kind]}`)] },
      { label: "Workload API", value: [words(service)] },
      {
        label: "Region",
        value: [words(region, 60), words(" (default for services; jobs always run in us)")],
      },
      { label: "All regions", value: firstOf(regions, 20, (each) => words(each, 60)) },
      {
        label: "API requests",
        value: [words(`${grouped(count)} since `), moment(since.toISOString())],
      },
    ]),
    section(...next[account.owner.kind](command)),
  ]);
}

const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "your own account",
  channel: "this channel's account",
  workspace: "workspace account",
};

/** How to use another account. */
const next: Readonly<Record<AccountOwner["kind"], (command: string) => [string, ...string[]]>> = {
  user: (command) => [`To change it: \`${command} connect\`. To disconnect it: \`${command} disconnect\``],
  channel: (command) => [
    `To use your own account: \`${command} connect\`. To change this channel's: \`${command} connect channel\``,
  ],
  workspace: (command) => [
    `To use your own account: \`${command} connect\`. To set one for this channel: \`${command} connect channel\``,
  ],
};
