// Shows the header's right end: find, help, theme and language.
import { chooseLanguage, t, useLanguage, type Language } from "../text";
import { chooseTheme, useThemeChoice, type ThemeChoice } from "./theme";

export function Switches({ open }: { open: (dialog: "help" | "finder") => void }) {
  const language = useLanguage();
  const theme = useThemeChoice();
  return (
    <div class="switches">
      <button type="button" onClick={() => open("finder")} title={`${t("command.finder")} (Ctrl+K)`}>{t("switch.find")} <kbd>Ctrl K</kbd></button>
      <button type="button" onClick={() => open("help")} title={`${t("command.help")} (?)`}>{t("switch.keys")} <kbd>?</kbd></button>
      <label class="bare">
        <span class="hidden">{t("switch.theme")}</span>
        <select id="choose-theme" value={theme} onChange={(event) => chooseTheme(event.currentTarget.value as ThemeChoice)}>
          <option value="system">{t("theme.system")}</option>
          <option value="light">{t("theme.light")}</option>
          <option value="dark">{t("theme.dark")}</option>
        </select>
      </label>
      <label class="bare">
        <span class="hidden">{t("switch.language")}</span>
        <select id="choose-language" value={language} onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}>
          <option value="en" lang="en">English</option>
          <option value="ja" lang="ja">日本語</option>
        </select>
      </label>
    </div>
  );
}
