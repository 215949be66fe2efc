// Holds the Japanese of verdicts, screens and lists: what the report writers and the command line
// say around the texts of analyses.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfReports() {
  static constexpr Translated kTexts[] = {
      // The first screen.
      {"{framework} on {chip} and others", "{framework} ({chip} ほか)"},
      {"{framework} on {chip}", "{framework} ({chip})"},
      {"{ranks} on {hosts}", "{hosts}上の {ranks}"},
      {"{ranks} with {devices}", "{ranks} ({devices})"},
      {"steps {first}..{last}", "ステップ {first}〜{last}"},
      {"A step", "1 ステップ"},
      {"The recording", "記録全体"},
      {"{what}, mean of {ranks}", "{what} ({ranks}の平均)"},
      {"{rank}, window {window}", "{rank}、区間 {window}"},
      {"{count} others, median", "他の {count} ランクの中央値"},
      {"Not recorded: {what}.", "未記録: {what}。"},
      {"host operators", "ホストのオペレーター"},
      {"input shapes", "入力の形状"},
      {"Python stacks", "Python スタック"},
      {"Clocks of ranks agree within {time}.", "ランク間の時計のずれは {time} 以内です。"},
      {"Partial: {analyses}.", "一部のみ: {analyses}。"},
      {"{time} of {step_time} per step", "1 ステップ {step_time} のうち {time}"},
      {"up to {time} per step ({share})", "1 ステップあたり最大 {time} ({share})"},
      {"up to {time} ({share})", "最大 {time} ({share})"},
      {"in {steps}", "({steps} 内)"},
      {"Per step", "1 ステップあたり"},
      {"Change per step", "1 ステップあたりの変化"},
      {"try: {hint}", "対策: {hint}"},
      {"because {because}", "根拠: {because}"},
      {"also {evidence}", "関連: {evidence}"},
      {"Findings", "検出事項"},
      {"Notes", "注記"},
      {"high", "高"},
      {"medium", "中"},
      {"low", "低"},
      {"unavailable", "算出不可"},
      {"partial", "一部のみ"},
      {"{status}: {why}", "{status}: {why}"},
      // All reports.
      {"… {rows} in csv and json", "… {rows}は csv と json にあります"},
      {"{count} more row", "残り {count} 行"},
      {"{count} row", "{count} 行"},
      {"{table} ({rows})", "{table} ({rows})"},
      {"More in csv and json: {tables}", "csv と json にはさらに: {tables}"},
      {"All {count} analyses", "全 {count} 件の分析"},
      {"in each step since step {step}", "ステップ {step} 以降の各ステップで"},
      {"per step", "1 ステップあたり"},
      {", ± {error}", "、誤差 ± {error}"},
      {"worth {time} of {step_time} ({share}) {steps}{error}, by a replay",
       "効果: {steps} {step_time} のうち {time} ({share}、リプレイによる推定{error})"},
      {"costs up to {time} ({share} of {whole})", "影響: 最大 {time} ({whole}の {share})"},
      {"costs up to {time} per step ({share} of mean step time)",
       "影響: 1 ステップあたり最大 {time} (平均ステップ時間の {share})"},
      {"costs up to {time} in each step since step {step} ({share} of the time of all steps)",
       "影響: ステップ {step} 以降、1 ステップあたり最大 {time} (全ステップの時間の {share})"},
      {"the recording", "記録全体"},
      {"the recording after", "変更後の記録全体"},
      {"kernel time after", "変更後のカーネル時間"},
      {"… {count} more in json", "… 残り {count} 件は json にあります"},
      {"… {findings} in json", "… {findings}は json にあります"},
      {"{count} more finding", "残り {count} 件"},
      {"{count} finding", "{count} 件"},
      {"None costs more than 1%: {findings} in json",
       "1% を超えるものはありません: {findings}は json にあります"},
      // Nouns that are counted.
      {"{count} host", "{count} ホスト"},
      // The command line.
      {"'stepscope explain NAME' describes an analysis.",
       "'stepscope explain NAME' で各分析の説明を表示します。"},
      {"**Parameters**, set with -p {name}.NAME=VALUE",
       "**パラメーター**(-p {name}.NAME=VALUE で設定)"},
      {" (times in ns, or with a unit: 50us)", " (時間は ns、または単位付き: 50us)"},
      {"no default", "既定値なし"},
      {"default {value}", "既定値 {value}"},
      {"More: stepscope serve BEFORE AFTER | stepscope compare BEFORE AFTER --full",
       "詳細: stepscope serve BEFORE AFTER | stepscope compare BEFORE AFTER --full"},
      {"More: stepscope serve {path} | stepscope analyze {path} --only {names} | --full",
       "詳細: stepscope serve {path} | stepscope analyze {path} --only {names} | --full"},
  };
  return kTexts;
}

}  // namespace stepscope
