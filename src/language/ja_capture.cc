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
      {"{count} of {all} workers were traced for {window}.",
       "{all} ワーカーのうち {count} を {window} の間トレースしました。"},
      {"{count} of {all} workers gave their stacks.",
       "{all} ワーカーのうち {count} がスタックを返しました。"},
      {"stacks", "スタック"},
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
  };
  return kTexts;
}

}  // namespace stepscope
