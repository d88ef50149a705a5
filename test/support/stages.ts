/** The way of a request through the workflow, by folder. What is in no such folder belongs to all of them. */
const stages = ["receive", "propose", "decide", "run", "watching", "post"];

function stageOf(file: string): number {
  const [, , folder = ""] = file.split("/");
  const at = stages.indexOf(folder);
  return at < 0 ? stages.length : at;
}

/** Whether an import inside the workflow leads back, from a later stage to an earlier one; paths from `src`. */
export function leadsBack({ file, target }: { readonly file: string; readonly target: string }): boolean {
  const isInside = [file, target].every((each) => each.startsWith("bot/workflow/"));
  return isInside && stageOf(target) < stageOf(file);
}
