import { h, render } from "preact";
import { App } from "./shell/app.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(h(App, {}), root);
