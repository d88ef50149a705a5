import { posix } from "node:path";

/** Pages from outside docs/, with their names on the site. */
const outside: Readonly<Record<string, string>> = {
  "README.md": "readme.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security-policy.md",
};

/** The page of the site for a markdown file of the repository; undefined for one that isn't on the site. */
export function pageOf(file: string): string | undefined {
  return outside[file] ?? /^docs\/([^/]+\.md)$/u.exec(file)?.[1];
}

/** The anchor that GitHub gives a heading. The site's are the same, so that a link leads to the same place in both. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** A relative link in a file of the repository, as the path from the repository's root and the anchor with its #. */
export function targetOf(link: string, from: string): { readonly path: string; readonly anchor: string } {
  const [, path = "", anchor = ""] = /^([^#]*)(#.*)?$/u.exec(link) ?? [];
  return { path: path === "" ? from : posix.join(posix.dirname(from), path), anchor };
}
