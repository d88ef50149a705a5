import { h, render } from "preact";
import { App } from "./app/app.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(h(App, {}), root);
