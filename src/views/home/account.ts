import type { StaticSelect } from "@slack/types";
import type { AccountOwner } from "../../accounts/account.ts";
import { actionButton, actions, fields, section } from "../kit/blocks.ts";
import type { HomeState } from "./state.ts";
import { code, strong, words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";

type Parts = Pick<HomeState, "account" | "accountProblem" | "command" | "who">;

/** The person's account and region, and how to change them; without an account, how to start. */
export function homeAccount(
  { account, accountProblem, command, who }: Parts,
  regions: StaticSelect | undefined,
): Block[] {
  if (account === undefined) {
    return [
      section([strong("How to begin")], [words(accountProblem ?? "No account of the service is linked.", 600)]),
      ...actions(connect("Connect an account", "primary")),
      section(`What Gantry can do: \`${command} help\``),
    ];
  }
  const { owner, username, region } = account;
  return [
    section([strong("You and your account")]),
    ...fields([
      { label: "You", value: who === "" ? [] : [words(who, 80)] },
      { label: "Account", value: [code(username, 100), words(`, ${whose[owner.kind]}`)] },
      {
        label: "Region",
        value: [words(region, 60), words(" for services, unless you say another one; jobs run in the region us")],
      },
    ]),
    ...actions(regions, connect(connectLabels[owner.kind])),
  ];
}

function connect(label: string, style?: "primary") {
  return actionButton({ label, act: "home:connect", value: "mine", style });
}

const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "your own",
  channel: "the channel's",
  workspace: "the workspace's",
};

const connectLabels: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "Connect another account",
  channel: "Connect your own account",
  workspace: "Connect your own account",
};
