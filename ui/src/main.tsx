// Where the page begins: a live server's, or a report.html's.
import "./data/early";
import { render } from "preact";
import { embeddedData, embeddedSource } from "./data/embedded";
import { serverSource } from "./data/server";
import { App } from "./shell/app";
import { listenToKeys } from "./shell/commands";
import { followTheme } from "./shell/theme";
import { followUrl } from "./shell/url";
import "./style.css";
import { followLanguage } from "./text";

followTheme();
followLanguage();
followUrl();
listenToKeys();
const data = await embeddedData();
const page = document.getElementById("page");
if (page) render(<App source={data ? embeddedSource(data) : serverSource()} />, page);
