import {
  button,
  cell,
  chart,
  container,
  dataTable,
  long,
  many,
  pie,
  plain,
  section,
  series,
  video,
} from "../../support/samples.ts";
import type { Answer } from "../../support/small-world.ts";

const card = (more: object) => ({ type: "card", title: plain(), ...more });
const labels = (count: number): string[] => many(count, (index) => `c${index}`);

/** For each limit of the newer block types: a request with n of it. */
export function richBlockLimits(send: (...blocks: object[]) => Promise<Answer>) {
  return {
    "data-table.rows": (n: number) => send(dataTable(many(n, () => [cell()]))),
    "data-table.columns": (n: number) => send(dataTable([[cell()], many(n, () => cell())])),
    "data-table.text": (n: number) => send(...halves(n)),
    "data-table.page-size": (n: number) => send(dataTable([[cell()], [cell()]], { page_size: n })),
    "chart.count": (n: number) => send(...many(n, () => pie([{ label: "x", value: 1 }]))),
    "chart.title": (n: number) => send(pie([{ label: "x", value: 1 }], long(n))),
    "chart.series": (n: number) =>
      send(
        chart(
          ["a"],
          many(n, (index) => series(`s${index}`, ["a"])),
        ),
      ),
    "chart.segments": (n: number) => send(pie(many(n, (index) => ({ label: `s${index}`, value: 1 })))),
    "chart.categories": (n: number) => send(chart(labels(n), [series("x", labels(n))])),
    "chart.label": (n: number) => send(chart([long(n)], [series(long(n), [long(n)])])),
    "chart.axis-label": (n: number) => send(chart(["a"], [series("x", ["a"])], { x_label: long(n) })),
    "card.title": (n: number) => send(card({ title: plain(long(n)) })),
    "card.subtitle": (n: number) => send(card({ subtitle: plain(long(n)) })),
    "card.body": (n: number) => send(card({ body: plain(long(n)) })),
    "card.actions": (n: number) => send(card({ actions: many(n, () => button()) })),
    "carousel.cards": (n: number) => send({ type: "carousel", elements: many(n, () => card({})) }),
    "container.title": (n: number) => send(container([section()], { title: plain(long(n)) })),
    "container.subtitle": (n: number) => send(container([section()], { subtitle: plain(long(n)) })),
    "container.children": (n: number) => send(container(many(n, () => section()))),
    "context-actions.elements": (n: number) =>
      send({
        type: "context_actions",
        elements: many(n, () => ({ type: "icon_button", icon: "trash", text: plain() })),
      }),
    "video.title": (n: number) => send(video({ title: plain(long(n)) })),
    "video.author": (n: number) => send(video({ author_name: long(n) })),
  };
}

/** Two data tables with n characters in all their cells. */
function halves(n: number): object[] {
  const one = Math.floor(n / 2);
  return [dataTable([[cell(long(one - 1))], [cell()]]), dataTable([[cell(long(n - one - 1))], [cell()]])];
}
