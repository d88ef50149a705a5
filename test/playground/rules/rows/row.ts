export type Step = () => Promise<unknown>;

/** One rule: the error Slack answers, something that keeps the rule, and something that breaks it. */
export type Row = { readonly error: string; readonly kept: Step; readonly broken: Step };
