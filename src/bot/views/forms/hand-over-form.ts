import type { ModalView } from "@slack/types";
import type { Incident } from "../../watch/incident.ts";
import { section } from "../kit/blocks.ts";
import { strong, words } from "../kit/inline.ts";
import { counted } from "../kit/text.ts";
import { API } from "../cards/incident-words.ts";
import { formInput } from "./form-element.ts";
import { modal } from "./modal.ts";

/** Asks who is on an incident from now on, in its field `person`. `metadata` comes back with the submission. */
export function handOverForm([first, ...others]: readonly [Incident, ...Incident[]], metadata: string): ModalView {
  const more = others.length === 0 ? [] : [words(` and ${counted(others.length, "more workload")}`)];
  return modal({
    title: "Hand over",
    close: "Cancel",
    form: { callbackId: "alert:handOver", submit: "Hand over", metadata },
    blocks: [
      section([words("Incident: "), strong(first.name ?? API, 255), ...more]),
      formInput({
        id: "person",
        label: "Person",
        hint: "Mentioned once, in the thread of the incident.",
        input: { kind: "person" },
      }),
    ],
  });
}
