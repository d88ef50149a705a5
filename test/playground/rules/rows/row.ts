export type Step = () => Promise<unknown>;

/** One rule: Slack's error code, a step that keeps the rule, and one that breaks it. */
export type Row = { readonly error: string; readonly kept: Step; readonly broken: Step };
