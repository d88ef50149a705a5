import { serviceStatus } from "../../../api/workload-status.ts";
import type { Service } from "../../../api/answers.ts";
import type { Line } from "../../views/kit/blocks.ts";
import { strong, words } from "../../views/kit/inline.ts";
import { dotOf } from "../../views/kit/status.ts";
import { counted } from "../../views/kit/text.ts";

/** A form's first line about a service: "🟢 *web* · running · 3 instances". */
export function serviceNote(service: Service): Line {
  const status = serviceStatus(service);
  const size = service.target_instance_size;
  const instances = size === undefined ? " · instances not reported" : ` · ${counted(size, "instance")}`;
  return [words(`${dotOf(status)} `), strong(service.name, 255), words(` · ${status.words}${instances}`)];
}

/** "*web* has 256 MiB now." */
export function aboutWorkload(name: string, rest: string, before = ""): Line {
  return [...(before === "" ? [] : [words(before)]), strong(name, 255), words(rest)];
}
