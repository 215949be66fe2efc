// Holds the Japanese of captures.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfCaptures() {
  static constexpr Translated kTexts[] = {
      {"{who} gave no trace: {reason}", "{who} はトレースを返しませんでした: {reason}"},
      {" ({count} more below)", "(ほかに {count} 件、下の表を参照)"},
      {"{workers} would be traced; not chosen: {others}.",
       "{workers} がトレースの対象です。対象外: {others}。"},
      {"The worker was traced for {window}.", "ワーカーを {window} の間トレースしました。"},
      {"The worker gave no trace.", "ワーカーはトレースを返しませんでした。"},
      {"{count} of {all} workers were traced, for up to {time} where {window} were asked for: the "
       "first profile of a process may load libraries meanwhile. Capture again before comparing "
       "ranks.",
       "{all} 個中 {count} 個のワーカーをトレースしましたが、{window} の指定に対して最長 {time} "
       "記録されました。プロセスの最初のプロファイルではライブラリの読み込みが起きることがあります"
       "。"
       "ランクを比べる前に、もう一度キャプチャーしてください。"},
      {"{count} of {all} workers were traced for {window}.",
       "{all} ワーカーのうち {count} を {window} の間トレースしました。"},
      {"{count} of {all} workers gave their stacks.",
       "{all} ワーカーのうち {count} がスタックを返しました。"},
      {"stacks", "スタック"},
      {"{count} of {all} workers were traced, until the capture was ended early.",
       "{all} ワーカーのうち {count} を、取得が途中で終了するまでトレースしました。"},
      {" Ranks of the job that were not found here: {ranks}.",
       " ここで見つからなかったジョブのランク: {ranks}。"},
      {"ranks of the job were not found here", "ジョブのランクの一部がここで見つかりませんでした"},
      {"{missing}.", "{missing}。"},
      {"{count} worker", "{count} ワーカー"},
      {"No process was found that can be traced.",
       "トレースできるプロセスは見つかりませんでした。"},
      {"no process was found that can be traced", "トレースできるプロセスが見つかりませんでした"},
      {"Capture", "取得"},
      {"Processes", "プロセス"},
      {"process", "プロセス"},
      {"local rank", "ローカルランク"},
      {"world size", "ワールドサイズ"},
      {"time to trace", "トレースまでの時間"},
      {"would be traced", "対象"},
      {"traced", "取得済み"},
      {"no trace", "トレースなし"},
      {"not chosen", "対象外"},
      {"workers", "ワーカー"},
      {"missing", "不足"},
      {"bytes of traces", "トレースのサイズ"},
      {"common start", "共通の開始時刻"},
      {"the capture was ended early", "取得は途中で終了しました"},
      {"How much the capture slowed the job is not known: the directory with the events of its "
       "steps was not given.",
       "取得がジョブをどれだけ遅くしたかは不明です。ステップのイベントがあるディレクトリが指定され"
       "てい"
       "ません。"},
      {"Steps took {before} before and {during} during the capture ({change})",
       "ステップ時間は取得前 {before}、取得中 {during} ({change})"},
      {", {after} after", "、取得後 {after}"},
      {"no longer", "変化なし"},
      {"step before", "取得前のステップ"},
      {"step during", "取得中のステップ"},
      {"step after", "取得後のステップ"},
      // Of a watched job.
      {"Watched job", "監視したジョブ"},
      {"none of {count} windows could be compared: {why}",
       "{count} 個の区間のうち比較できたものはありません: {why}"},
      {"Steps took no longer than usual in {time} ({count} windows)",
       "{time} の間 ({count} 区間)、ステップは通常より長くかかりませんでした"},
      {"For {slow} of {time} steps took longer than usual: about {lost} lost",
       "{time} のうち {slow} の間、ステップが通常より長くかかりました: 約 {lost} の損失"},
      {". {windows} could not be compared: what was lost in these {time} is not known",
       "。比較できなかったウィンドウ {windows}: この {time} の損失は不明です"},
      {". Nothing is known since: {windows} more could not be compared ({why})",
       "。以降は不明です: さらに {windows} を比較できませんでした ({why})"},
      {". Most of it: rank {rank}, {part} {then} per step, usually {usual}",
       "。主な要因: ランク {rank} の {part} がステップあたり {then} (通常 {usual})"},
      {"When it was slower", "遅かった時間帯"},
      {"What a report of that time found first", "その間のレポートの最初の検出事項"},
      {"until", "終了"},
      {"usually", "通常"},
      {"per step then", "その間のステップあたり"},
      {"trace", "トレース"},
      {"windows compared", "比較した区間"},
      {"usual step time", "通常のステップ時間"},
      {"watched", "監視した時間"},
      {"slower than usual", "通常より遅い時間"},
  };
  return kTexts;
}

}  // namespace stepscope
