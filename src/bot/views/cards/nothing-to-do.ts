import type { Change } from "../../changes/change.ts";
import { section } from "../kit/blocks.ts";
import { strong, words } from "../kit/inline.ts";
import type { Message } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";
import { counted } from "../kit/text.ts";

/** Answers a request for what is already there: "*web* already has 3 instances. Nothing to do." */
export function nothingToDo({ call, workload }: Pick<Change, "call" | "workload">): Message {
  return postOf([section([strong(workload.name, 255), words(` ${already(call)}. Nothing to do.`)])]);
}

function already(call: Change["call"]): string {
  if (call.op === "startService") return "is already running";
  if (call.op === "stopService") return "is already stopped";
  if (call.op !== "updateService") return "is already as requested";
  const { target_instance_size: size, containers, binding_domain_name: domains } = call.body;
  if (size !== undefined) return `already has ${counted(size, "instance")}`;
  if (containers !== undefined) return "already has this memory limit";
  return domains === undefined ? "is already as requested" : "already has these domains";
}
