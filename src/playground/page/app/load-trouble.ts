// No module, and loaded before them: says on the page why they don't run. An error of a script element doesn't bubble.
addEventListener(
  "error",
  ({ target, message }) => {
    const root = document.getElementById("root") ?? document.body;
    const isOfScript = target === window || target instanceof HTMLScriptElement;
    if (!isOfScript || root.childElementCount > 0) return;
    const refused = performance
      .getEntriesByType("resource")
      .filter((each) => each instanceof PerformanceResourceTiming && each.responseStatus >= 400)
      .map(({ name }) => `${new URL(name).pathname} was refused`);
    const why = message || refused.join(", ") || "a part of it didn't arrive";
    const said = document.createElement("p");
    said.className = "connection";
    said.role = "alert";
    said.textContent = `This page couldn't start: ${why}. Check whether npm start still runs and what it says, then reload. The browser has to be from 2023 or later.`;
    root.append(said);
  },
  true,
);
