/** The pages that people see in a browser while they install the app. Pure. */
export function installPage({ name, authorizeUrl }: { readonly name: string; readonly authorizeUrl: string }): string {
  return page(`Install ${name}`, [
    `<p>${escaped(name)} runs your team's container workloads from Slack. Slack asks which workspace, and shows what ${escaped(name)} may do there.</p>`,
    `<p><a class="button" href="${escaped(authorizeUrl)}">Add to Slack</a></p>`,
  ]);
}

export type Installed = {
  readonly name: string;
  /** Of the workspace or organization. */
  readonly where: string;
  readonly command: string;
  /** Opens the app in Slack; undefined for a whole organization. */
  readonly openUrl: string | undefined;
};

export function installedPage({ name, where, command, openUrl }: Installed): string {
  return page(`${name} is installed in ${where}`, [
    `<p>Next, a workspace admin types <code>${escaped(command)} connect workspace</code> in Slack and enters the account that ${escaped(name)} uses in the workload API. Everybody can also connect their own with <code>${escaped(command)} connect</code>.</p>`,
    ...(openUrl === undefined ? [] : [`<p><a class="button" href="${escaped(openUrl)}">Open Slack</a></p>`]),
  ]);
}

export type NotInstalled = {
  readonly name: string;
  /** A complete sentence. */
  readonly why: string;
  readonly installUrl: string;
  /** Finds the cause in the log; undefined when there is nothing to find. */
  readonly reference: string | undefined;
};

export function notInstalledPage({ name, why, installUrl, reference }: NotInstalled): string {
  const found = reference === undefined ? "" : ` Reference <code>${escaped(reference)}</code>`;
  return page(`${name} wasn't installed`, [
    `<p>${escaped(why)} Nothing was changed.${found}</p>`,
    `<p><a class="button" href="${escaped(installUrl)}">Try again</a></p>`,
  ]);
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:34rem;padding:0 1.5rem;color:#1d1c1d;background:#fff}
h1{font-size:1.5rem}code{background:#f1f1f1;border-radius:4px;padding:.1em .3em}
.button{display:inline-block;background:#1d3557;color:#fff;padding:.6em 1.2em;border-radius:6px;text-decoration:none}
@media(prefers-color-scheme:dark){body{background:#1a1d21;color:#e8e8e8}code{background:#2c2f33}.button{background:#8ecae6;color:#102030}}`;

function page(title: string, body: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><h1>${escaped(title)}</h1>
${body.join("\n")}
</body></html>
`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => entities[character] ?? character);
}
