/** A group of the site's menu. Links lead to pages of the site. */
export type Group = {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
};

/** In the order in which people need it. */
export const sidebar: readonly Group[] = [
  {
    text: "Start",
    items: [
      { text: "What Gantry is", link: "/readme" },
      { text: "Try it", link: "/readme#try-it" },
      { text: "With real containers", link: "/readme#with-real-containers" },
      { text: "On your own cluster", link: "/readme#on-your-own-cluster" },
      { text: "Your own workload API", link: "/existing-api" },
      { text: "Connect Slack", link: "/slack" },
    ],
  },
  {
    text: "Use it",
    items: [
      { text: "Verbs", link: "/verbs" },
      { text: "Policy", link: "/policy" },
      { text: "Policy cookbook", link: "/policy-cookbook" },
      { text: "Requests and approvals", link: "/approvals" },
      { text: "Deploy and roll back", link: "/deploy" },
      { text: "Watching", link: "/watching" },
      { text: "Logs", link: "/logs" },
    ],
  },
  {
    text: "Install it",
    items: [
      { text: "Deployment", link: "/deployment" },
      { text: "Configuration", link: "/configuration" },
      { text: "Docker and Podman", link: "/docker" },
      { text: "Kubernetes", link: "/kubernetes" },
      { text: "Logs on Kubernetes", link: "/kubernetes-logs" },
      { text: "Several workspaces", link: "/workspaces" },
    ],
  },
  {
    text: "Operate it",
    items: [
      { text: "Metrics, traces and logs", link: "/monitoring" },
      { text: "Alerts", link: "/monitoring#alerts" },
      { text: "Audit", link: "/audit" },
      { text: "Backup and data", link: "/backup" },
      { text: "Upgrades", link: "/backup#upgrades" },
      { text: "Keys", link: "/backup#change-the-keys" },
      { text: "Capacity", link: "/capacity" },
    ],
  },
  {
    text: "Security",
    items: [
      { text: "Security model", link: "/security" },
      { text: "Report a vulnerability", link: "/security-policy" },
    ],
  },
  {
    text: "When something fails",
    items: [
      { text: "Is it working?", link: "/troubleshooting" },
      { text: "By symptom", link: "/troubleshooting#by-symptom" },
      { text: "What Slack can do", link: "/troubleshooting#what-slack-can-do-what-gantry-does" },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "API and extensions", link: "/api" },
      { text: "Benchmarks", link: "/benchmarks" },
      { text: "Kill tests", link: "/kill-tests" },
      { text: "Proof", link: "/report" },
      { text: "Changelog", link: "/changelog" },
      { text: "Contributing", link: "/contributing" },
    ],
  },
];
