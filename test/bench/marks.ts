/** Which delivery of the bench something belongs to. */
export type Mark = { readonly group: string; readonly at: number };

/** What comes back to the simulated Slack says in one of its ids which delivery it answers. */
export function triggerOf({ group, at }: Mark): string {
  return `1.${group}.${at}`;
}

export function personOf({ group, at }: Mark): string {
  return `U${group.toUpperCase()}X${at}`;
}

export function viewOf({ group, at }: Mark): string {
  return `V${group.toUpperCase()}X${at}`;
}

/** The mark in any of these ids; undefined in an id that is not of the bench. */
export function markIn(id: string): Mark | undefined {
  const [, trigger, triggerAt, person, personAt] = /^(?:1\.([a-z0-9]+)\.(\d+)|[UV]([A-Z0-9]+)X(\d+))$/u.exec(id) ?? [];
  const group = trigger ?? person?.toLowerCase();
  return group === undefined ? undefined : { group, at: Number(triggerAt ?? personAt) };
}
