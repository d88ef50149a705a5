import type { StaticSelect } from "@slack/types";
import type { AccountOwner } from "../../accounts/resolve.ts";
import { actionButton, actions, askButton, context, header, section } from "../kit/blocks.ts";
import type { HomeState } from "./state.ts";
import { words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { truncate, visible } from "../kit/text.ts";

type Parts = Pick<HomeState, "account">;

/** Without an account: why, and how to get one. */
export function homeStart({ accountProblem }: Pick<HomeState, "accountProblem">): Block[] {
  return [
    header("Connect your account"),
    section([words(accountProblem ?? "Your workloads appear here as soon as your account is connected.", 600)]),
    ...actions(
      connect("Connect your account", "primary"),
      askButton("What can Gantry do?", { verb: "help", share: false, args: {} }),
    ),
  ];
}

/** "Acting as gantry (workspace account) · default region beijing1", and how to change both. */
export function homeAccount({ account }: Parts, regions: StaticSelect | undefined): Block[] {
  if (account === undefined) return [];
  const { owner, username, region, jobsRegion } = account;
  const acting = `Acting as ${truncate(visible(username), 100)} (${whose[owner.kind]})`;
  return [
    context(`${acting} · default region ${place(region)} · jobs run in ${place(jobsRegion)}`),
    ...actions(regions, connect(connectLabels[owner.kind])),
  ];
}

function place(region: string): string {
  return truncate(visible(region), 60);
}

function connect(label: string, style?: "primary") {
  return actionButton({ label, action: { kind: "home", act: "connect" }, value: "mine", style });
}

const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "your account",
  channel: "channel account",
  workspace: "workspace account",
};

const connectLabels: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "Connect another account",
  channel: "Connect your account",
  workspace: "Connect your account",
};
