// Starts the page, with a server or the data of a report.html.
import { early } from "./data/early";
import { render } from "preact";
import { embeddedData, embeddedSource } from "./data/embedded";
import { serverSource } from "./data/server";
import { App } from "./shell/app";
import { listenToKeys } from "./shell/commands";
import { ProblemPanel } from "./shell/status";
import { followTheme } from "./shell/theme";
import { followUrl, formatHash, watchPlace } from "./shell/url";
import "./style.css";
import { followLanguage, t } from "./text";

followTheme();
followLanguage();
followUrl();
watchPlace((now) => early.moveTo(formatHash(now)));
listenToKeys();
const page = document.getElementById("page");
if (page) {
  try {
    const data = await embeddedData();
    render(<App source={data ? embeddedSource(data) : serverSource()} />, page);
  } catch (problem) {
    render(<ProblemPanel problem={{ what: t("error.unpack"), where: String(problem), hint: t("error.unpack_hint") }} />, page);
  }
}
