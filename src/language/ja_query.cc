// Holds the Japanese of queries and of tables as Parquet.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfQueries() {
  static constexpr Translated kTexts[] = {
      {"{n} row", "{n} 行"},
      {"{n} rows", "{n} 行"},
      {"{rows}; more were left out by the limit", "{rows} (残りは 上限により省略)"},
      {"Tables of queries", "クエリのテーブル"},
      {"Tables and columns", "テーブルと列"},
      {"Tables that a query can name, for these traces.",
       "このトレースに対してクエリで使えるテーブルです。"},
      {"Tables that a query can name, for this ledger.",
       "この台帳に対してクエリで使えるテーブルです。"},
      {"column", "列"},
      {"unit", "単位"},
      {"{count} Parquet files were written, {bytes} bytes.",
       "Parquet ファイルを {count} 個書き込みました ({bytes} バイト)。"},
      {"{ranks} in {file}: {bytes}.", "{file} に {ranks}を書き込みました ({bytes})。"},
      {"There are fewer traces than shards: {file} says that this one has none.",
       "トレースの数がシャードの数より少ないため、このシャードにはトレースがないことを {file} "
       "に記録しました。"},
      {"{partials} of {files} in {file}: {bytes}.",
       "{files}の {partials}を {file} に書き込みました ({bytes})。"},
      {"{file} is there already, of the same {traces}.",
       "{file} は 同じ {traces}からすでに作成されています。"},
      {"{n} partial", "部分要約 {n} 件"},
      {"{n} partials", "部分要約 {n} 件"},
      {"Partials", "部分要約"},
      {"Files of the shard", "シャードのファイル"},
      {"problem", "問題"},
      {"partials written", "書き込んだ部分要約"},
      {"traces that could not be read", "読み取れなかったトレース"},
      {"size of the file", "ファイルのサイズ"},
      {"traces could not be read: their ranks are missing, and are tried again the next time",
       "トレースを読み取れませんでした: そのランクは欠けており、次回もう一度試します"},
      {"waiting for other ranks is not told to the ns: more ran beside communication than a "
       "partial has room for",
       "ほかのランクの待ち時間は ns 単位では正確ではありません: "
       "通信中に実行された処理が部分要約に収まる量を超えています"},
      {"rows of a partial cannot be read: left out", "部分要約の行を読み取れないため除外しました"},
      {"ranks wait for input, and partials do not tell what that costs: ask the traces",
       "ランクが入力を待っていますが、そのコストは部分要約では分かりません: "
       "トレースに対して実行してください"},
      {"partials are of the parameters that are set without being asked: ask the traces",
       "部分要約は既定のパラメータによるものです: トレースに対して実行してください"},
      {"partials hold collectives, steps and sums alone: ask the traces of the ranks in question",
       "部分要約には集団通信、ステップ、合計だけがあります: "
       "該当するランクのトレースを解析してください"},
      {"partials hold collectives, steps and sums alone: ask the trace of the rank in question (of "
       "rank {rank}: {command})",
       "部分要約には集団通信、ステップ、合計だけがあります: "
       "該当するランクのトレースを解析してください (ランク {rank}: {command})"},
      {"partials hold no operators, functions or launches: what needs them is left out; ask the "
       "traces "
       "of the ranks in question",
       "部分要約には演算子、関数、起動がないため、それらを要する内容は省かれています: "
       "該当するランクのトレースを解析してください"},
      {"partials of processors, or of processes with several devices, do not tell who is late: ask "
       "the "
       "traces",
       "プロセッサーの部分要約や、複数のデバイスを持つプロセスの部分要約からは、"
       "どのランクが遅れているか分かりません: トレースを解析してください"},
      {"partials tell too little of these ranks for a replay: ask the traces",
       "これらのランクの部分要約は再生するには情報が足りません: トレースを解析してください"},
      {"partials hold sums of kernels over all steps, not of some: ask the traces of the ranks in "
       "question",
       "部分要約のカーネルの合計は全ステップのもので、一部のステップのものではありません: "
       "該当するランクのトレースを解析してください"},
  };
  return kTexts;
}

}  // namespace stepscope
