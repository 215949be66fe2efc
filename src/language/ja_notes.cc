// Holds the Japanese of notes about inputs: traces, and events of jobs.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfNotes() {
  static constexpr Translated kTexts[] = {
      // Of traces.
      {"files were left out: they cannot be read", "ファイルを除外しました: 読み取れません"},
      {"files were left out: they are not traces",
       "ファイルを除外しました: トレースではありません"},
      {"files were used in part: they end early",
       "ファイルの一部だけを使用しました: 途中で終わっています"},
      {"files were used in part: compressed data is damaged",
       "ファイルの一部だけを使用しました: 圧縮データが壊れています"},
      {"text was skipped: it is not JSON", "テキストをスキップしました: JSON ではありません"},
      {"bytes were ignored: they follow the end of the trace",
       "トレースの終端より後ろのバイトを無視しました"},
      {"characters were replaced by '?': JSON text must not contain them",
       "文字を '?' に置き換えました: JSON のテキストに使えない文字です"},
      {"files were left out: duplicates of another trace",
       "ファイルを除外しました: 別のトレースと重複しています"},
      {"snapshots of continuous profiling were read as one run: the time between them was not "
       "recorded and counts as nothing",
       "連続プロファイリングのスナップショットを 1 つの実行として読み込みました:"
       " スナップショット間の時間は記録されておらず、どこにも数えません"},
      {"at most {time} between two", "スナップショット間は最大 {time}"},
      {"; {process} lacks window {number}", "; {process} にはウィンドウ {number} がありません"},
      {"snapshots were left out: another one has a part of their time",
       "スナップショットを除外しました: 時間の一部が別のスナップショットと重なっています"},
      {"older profiles were left out: only the newest of a directory is used (give a profile's own "
       "directory to use it)",
       "古いプロファイルを除外しました: ディレクトリ内の最新のものだけを使用します"
       " (他を使うには、そのプロファイルのディレクトリを指定してください)"},
      {"the rank was taken from the file name: the trace has none",
       "ランクをファイル名から取得しました: トレースに記録がありません"},
      {"ranks were numbered by file order: neither trace nor file name has one",
       "ファイルの順にランク番号を付けました: トレースにもファイル名にもランクがありません"},
      {"the rank in the file name was ignored: the trace has another",
       "ファイル名のランクを無視しました: トレースの記録と異なります"},
      {"ranks were numbered by device and process ID: the file holds several processes and no rank",
       "デバイスとプロセス ID の順にランク番号を付けました:"
       " ファイルに複数のプロセスがあり、ランクの記録がありません"},
      {"the rank was taken from the largest communicator: the file has no other",
       "ランクを最大のコミュニケーターから取得しました: ファイルに他の記録がありません"},
      {"executions of CUDA graphs were counted as compute: their kernels were not recorded "
       "(use `nsys profile --cuda-graph-trace=node`)",
       "CUDA グラフの実行を計算として数えました: カーネルが記録されていません"
       " (`nsys profile --cuda-graph-trace=node` を使用してください)"},
      {"ranges were ended with the recording: they have no end",
       "範囲を記録の終わりで終了させました: 終了時刻がありません"},
      {"processes were left out: they used no device",
       "プロセスを除外しました: デバイスを使用していません"},
      {"tables were left out: they lack columns that are needed",
       "テーブルを除外しました: 必要な列がありません"},
      {"the file has a newer schema than this version knows: unknown columns were not read",
       "ファイルのスキーマはこのバージョンより新しいものです: 未知の列は読み込みませんでした"},
      {"ranks of this job have no trace", "このジョブにはトレースのないランクがあります"},
      {"workers gave no trace when this run was captured: the file says why",
       "この実行の取得時にトレースを得られなかったワーカーがあります(理由はファイルにあります)"},
      {"traces may be of another job: their process groups are not those of the first",
       "別のジョブのトレースの可能性があります: プロセスグループが最初のトレースと異なります"},
      {"traces may be of another job: ranks of one machine were not recorded at the same time",
       "別のジョブのトレースの可能性があります: 同じマシンのランクの記録時刻が異なります"},
      {"events were left out of all analyses: unknown category",
       "イベントを全分析から除外しました: 未知のカテゴリです"},
      {"events were skipped: not complete, instant, counter or flow events",
       "イベントをスキップしました: complete、instant、counter、flow のいずれでもありません"},
      {"memory was counted as unknown: its use is not known to this version",
       "メモリを用途不明として数えました: このバージョンでは未知の用途です"},
      {"events were skipped: no valid time, name or size",
       "イベントをスキップしました: 有効な時刻、名前、サイズがありません"},
      {"event properties were skipped: they refer to nothing in the file",
       "イベントのプロパティをスキップしました: 参照先がファイルにありません"},
      {"a compiled program", "コンパイル済みプログラム"},
      {"aggregated events were skipped: no times of their own",
       "集計済みのイベントをスキップしました: 個別の時刻がありません"},
      {"event times were truncated: finer than 1 ns",
       "イベントの時刻を切り捨てました: 1 ns より細かい値です"},
      {"the profiler recorded a warning or an error",
       "プロファイラーが警告またはエラーを記録しています"},
      {"arguments were skipped: not a number in range",
       "引数をスキップしました: 範囲内の数値ではありません"},
      {"events were given duration 0: they end before they start",
       "イベントの長さを 0 としました: 終了が開始より前です"},
      {"device activities were skipped: longer than a day",
       "デバイスアクティビティをスキップしました: 1 日を超えています"},
      {"device activities were skipped: more than a day from the others",
       "デバイスアクティビティをスキップしました: 他のアクティビティから 1 日以上離れています"},
      {"activities start before the previous one of their stream ends (shared time counts once)",
       "同じストリームの前のアクティビティが終わる前に始まるアクティビティがあります "
       "(重なる時間は 1 回だけ数えます)"},
      {"the trace has no device activity", "トレースにデバイスアクティビティがありません"},
      {"the trace is of Ascend's profiler: its device activities (without a category) and task "
       "queue (enqueue, dequeue) were left out",
       "Ascend のプロファイラーのトレースです: デバイスアクティビティ (カテゴリなし) "
       "とタスクキュー (enqueue、dequeue) を除外しました"},
      {"activities have no launch call in the trace (they are in no step, and the gaps before them "
       "are not host-bound)",
       "起動呼び出しがトレースにないアクティビティがあります (どのステップにも属さず、"
       "直前のギャップはホスト律速とみなしません)"},
      {"activities were launched outside steps",
       "ステップの外で起動されたアクティビティがあります"},
      {"steps were left out: an earlier step has the same number",
       "ステップを除外しました: 同じ番号のステップが前にあります"},
      {"steps were merged into others: they lie within them, as with several threads",
       "ステップを他のステップに統合しました: 複数スレッドの場合のように、その内側にあります"},
      {"steps were derived from executions of the largest compiled program: none are marked",
       "最大のコンパイル済みプログラムの実行からステップを求めました: "
       "ステップが区切られていません"},
      {"steps were derived from optimizer steps: none are marked",
       "オプティマイザーのステップからステップを求めました: ステップが区切られていません"},
      {"steps were derived from calls of the tf.function with the most time: none are marked",
       "合計時間が最長の tf.function の呼び出しからステップを求めました: "
       "ステップが区切られていません"},
      {"calls of functions were not taken for steps: the trace has their dispatch, not their end",
       "関数の呼び出しはステップとみなしませんでした: トレースにはディスパッチだけがあり、"
       "終了がありません"},
      {"kernels were counted as communication: the call of a collective launched them, and their "
       "names are unknown",
       "カーネルを通信として数えました: 集合通信の呼び出しから起動され、名前は未知です"},

      // Details of these.
      {"{file} has others than {first}", "{file} のグループが {first} と異なります"},
      {"{first} and {file} are {time} apart", "{first} と {file} は {time} 離れています"},
      {"its world size is {ranks}", "ワールドサイズは {ranks} です"},
      {"those recorded are {ranks} of {first} to {last}",
       "{first} から {last} のうち {ranks} ランクが記録されています"},

      // Of tables of operations, exports and redacted files.
      {"operations were left out: unknown type", "操作を除外しました: 未知の種類です"},
      {"operations were left out: no step, place or valid time",
       "操作を除外しました: ステップ、位置、有効な時刻のいずれかがありません"},
      {"the layout was inferred from the columns: dp {dp}, pp {pp} (no meta-*.yaml beside the "
       "file; other dimensions are unknown)",
       "並列構成を列から推定しました: dp {dp}、pp {pp} (ファイルと同じ場所に meta-*.yaml が"
       "ないため、他の次元は不明です)"},
      {"the layout has dp {layout_dp}, pp {layout_pp}, the operations dp {dp}, pp {pp} (these "
       "count)",
       "並列構成は dp {layout_dp}、pp {layout_pp}、操作の記録は dp {dp}、pp {pp} です"
       " (後者を使用します)"},
      {"rows were left out of table {table}: its {names} names with the least time ({time} in all; "
       "set `most_names` to 0 to keep them)",
       "表 {table} から行を除外しました: 時間が最も短い {names} 個の名前の行です (合計 {time}、"
       "`most_names` を 0 にするとすべて残ります)"},
      {"events were left out: more than 64 overlap on their track",
       "イベントを除外しました: 同じトラックで 64 件を超えて重なっています"},
      {"pieces of damaged text were left out: events, members or brackets that are not JSON",
       "破損したテキストを除外しました: JSON ではないイベント、メンバー、括弧です"},
      {"events or members were mended: numbers that JSON cannot hold became null, halves of "
       "surrogate pairs U+FFFD",
       "イベントまたはメンバーを修復しました: JSON で表せない数値は null "
       "に、サロゲートペアの片方は "
       "U+FFFD に置き換えました"},
      {"no common collective tells how the rank's clock differs: its times stand as they were "
       "recorded",
       "共通の集合通信がなく、ランクの時計のずれが分かりません: 時刻は記録のままです"},
      {"files were left out: they could not be redacted",
       "ファイルを除外しました: 匿名化できませんでした"},

      // Of events of jobs.
      {"lines were skipped: not JSON objects",
       "行をスキップしました: JSON オブジェクトではありません"},
      {"lines were skipped: longer than 4 MB", "行をスキップしました: 4 MB を超えています"},
      {"objects were skipped: not entries of a job",
       "オブジェクトをスキップしました: ジョブの記録ではありません"},
      {"events were skipped: unknown kind", "イベントをスキップしました: 未知の種類です"},
      {"entries were skipped: a time or step number is out of range",
       "記録をスキップしました: 時刻またはステップ番号が範囲外です"},
      {"entries were skipped: a time is text, not seconds since 1970",
       "記録をスキップしました: 時刻が 1970 年からの秒数ではなく文字列です"},
      {"compressed files were used in part: they end early",
       "圧縮ファイルの一部だけを使用しました: 途中で終わっています"},
      {"compressed files were used in part: they are damaged",
       "圧縮ファイルの一部だけを使用しました: 壊れています"},
      {"bytes were ignored: after the end of the compressed file",
       "圧縮ファイルの終端より後ろのバイトを無視しました"},
      {"files were used in part: they could not be read to the end",
       "ファイルの一部だけを使用しました: 最後まで読み取れませんでした"},
      {"events were counted once: duplicates", "重複したイベントを 1 回だけ数えました"},
      {"events are missing: gaps in a writer's sequence numbers",
       "イベントが欠けています: 書き込み元の通し番号に抜けがあります"},
      {"events were dropped by a recorder: no room",
       "レコーダーがイベントを破棄しました: 空きがありませんでした"},
      {"events were skipped: other jobs", "イベントをスキップしました: 別のジョブのものです"},
      {"events were skipped: after the query time",
       "イベントをスキップしました: 指定時刻より後です"},
      {"attempts have no start event: they begin with their first event",
       "開始イベントのない試行があります: 最初のイベントを開始とします"},
      {"times were moved forward: before an earlier event of the log",
       "時刻を後ろにずらしました: ログ内の前のイベントより早い時刻です"},
      {"steps were left out: recorded out of order",
       "ステップを除外しました: 順序どおりに記録されていません"},
      {"steps were repeated within a second: more than one process records",
       "1 秒以内に同じステップが繰り返されています: 複数のプロセスが記録しています"},
      {"job ends were ignored: steps follow",
       "ジョブの終了を無視しました: 後にステップが続いています"},
      {"job ends were assigned to the previous attempt: earlier than the current one",
       "ジョブの終了を前の試行のものとしました: 現在の試行より前の時刻です"},
      {"spans were skipped: end before begin", "スパンをスキップしました: 終了が開始より前です"},
      {"step starts were skipped: no step number",
       "ステップの開始をスキップしました: ステップ番号がありません"},
      {"span ends were skipped: no begin", "スパンの終了をスキップしました: 開始がありません"},
      {"custom types were joined as '(more types)': beyond the first 30",
       "最初の 30 種類を超えるカスタムの種類を '(more types)' にまとめました"},
      {"segments were skipped: unreadable header",
       "セグメントをスキップしました: ヘッダーを読み取れません"},
      {"records were skipped: torn or damaged",
       "レコードをスキップしました: 途中で切れているか壊れています"},
      {"events are lost: stored before, now missing or damaged",
       "イベントが失われています: 保存後に欠けたか壊れました"},
      {"segments were lost before a repair: the numbers are without their events",
       "修復前にセグメントが失われました: 数値にそのイベントは含まれません"},
      {"texts were cut: longer than a record", "テキストを切り詰めました: レコードより長い値です"},
      {"events were cut or skipped: name or number out of range",
       "イベントを切り詰めたかスキップしました: 名前または番号が範囲外です"},
      {"events were skipped: older than the ledger's raw events",
       "イベントをスキップしました: 台帳の生イベントより古いものです"},
      {"events are rolled up (windows and wasted progress of that time are exact to a minute)",
       "イベントは集約されています (その時間の区間と失われた進捗の精度は 1 分です)"},
      {"databases were skipped: unreadable (their rollups are missing)",
       "データベースをスキップしました: 読み取れません (その集約は含まれません)"},
      {"clocks were set, or machines suspended, while a process ran: its times follow the "
       "monotonic clock",
       "プロセスの実行中に時計の変更またはマシンの休止がありました: 時刻は単調クロックに従います"},
      {"clocks of hosts were ahead of the server's: their times follow the server's clock",
       "ホストの時計がサーバーより進んでいました: 時刻はサーバーの時計に従います"},
      {"times between attempts are by the clocks of two hosts, which may differ: no host has both "
       "attempts",
       "試行間の時間は 2 台のホストの時計によるため、ずれている可能性があります: "
       "両方の試行を持つホストがありません"},
      {"clocks of hosts differ from the others': their times are moved to where other ranks told "
       "the same steps",
       "ホストの時計が他とずれています: 他のランクの同じステップの時刻に合わせました"},
      {"attempts have the name of an earlier one: told apart by their processes",
       "前の試行と同じ名前の試行があります: プロセスで区別しました"},
      {"processes of one attempt name it differently: joined by their times",
       "同じ試行のプロセスが異なる名前を記録しています: 時刻でまとめました"},
      {"times step numbers restarted within a process, as in each epoch: renumbered to continue",
       "エポックごとのように、プロセス内でステップ番号が振り直されています: "
       "続き番号に付け直しました"},
      {"steps were told more than once by one process: parts of one step",
       "1 つのプロセスが同じステップを複数回記録しています: 1 ステップの部分とみなしました"},
      {"clocks of hosts are wrong by at least this, since an attempt cannot begin before the one "
       "it follows: their times are moved by it",
       "ホストの時計に少なくともこれだけの誤差があります (試行が前の試行より先に始まることは"
       "ありません): その分だけ時刻をずらしました"},
      {"parts of an attempt are told by another rank: the log of the lowest one has gaps",
       "試行の一部は別のランクの記録です: 最小ランクのログに抜けがあります"},
      {"events came out of order: put in the order of their sequence numbers",
       "順序どおりでないイベントを通し番号の順に並べ替えました"},
      {"{file} and {other}", "{file} と {other}"},
      {"{file} and {count} others", "{file} ほか {count} ファイル"},
      {"the JSON has no \"traceEvents\"", "JSON に \"traceEvents\" がありません"},
      {"the file ends before any \"traceEvents\"",
       "\"traceEvents\" の前でファイルが終わっています"},
  };
  return kTexts;
}

}  // namespace stepscope
