import type { AckCase } from "./ack.ts";
import { personOf } from "./marks.ts";
import { linkOwnAccount } from "./own-account.ts";
import type { Stage } from "./stage.ts";

/** A person with an account of their own: no other row has listed something with it. */
const mark = { group: "picker", at: 0 };
export const pickerPerson = personOf(mark);
/** As somebody types, letter by letter. */
export const typed = ["", "s", "service-1", "service-17", "service-1777"] as const;

const SERVICES = 2_000;
/** Slack takes no more: https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#external_select */
const MOST_OPTIONS = 100;

/** 2,000 services, and somebody whose picker has listed them once. Throws when it does not offer as many as may be. */
export async function preparePicker(stage: Stage, { subject }: AckCase): Promise<void> {
  const { api, load, sinkPort } = stage;
  await api.ask("holds", { services: SERVICES, jobs: 0 });
  await linkOwnAccount(stage, subject, mark);
  const asked = { kind: "suggestion", text: "", person: pickerPerson, sinkPort, ...mark } as const;
  const { answer } = await load.ask("one", { ...asked, port: subject.port });
  const offered = answer.split('"value":').length - 1;
  if (offered !== MOST_OPTIONS) throw new Error(`${subject.name} offers ${offered} options: ${answer.slice(0, 500)}`);
}
