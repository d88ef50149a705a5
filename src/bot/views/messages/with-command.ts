/** Texts that don't know the deployment's slash command say `/gantry`; people read the command they can type. */
export function withCommand(text: string, command: string): string {
  return text.replaceAll("`/gantry ", `\`${command} `);
}
