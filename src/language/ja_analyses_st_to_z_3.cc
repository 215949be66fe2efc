// Holds the Japanese of what stragglers cost, verdicts and exports.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesStToZ3() {
  static constexpr Translated kTexts[] = {
      // the cost of stragglers
      {"What stragglers cost", "ストラグラーの損失"},
      {"Steps with and without stragglers", "ストラグラーの有無によるステップ時間"},
      {"slowdown", "減速比"},
      {"longer", "増加率"},
      {"lost per step", "1 ステップあたりの損失"},
      {"Steps without stragglers", "ストラグラーがない場合のステップ"},
      {"without delays", "遅延なし"},
      {"ideal", "理想"},
      {"gone without slowest workers", "最も遅いワーカーがなければ消える割合"},
      {"gone without last stage", "最終ステージの超過がなければ消える割合"},
      {"due to uneven stages", "ステージの不均等による割合"},
      {"Cost by type", "タイプ別の損失"},
      {"Cost by {what}", "{what}別の損失"},
      {"replica", "レプリカ"},
      {"dp", "dp"},
      {"Cost by worker", "ワーカー別の損失"},
      {"slowest 3%", "最も遅い 3%"},
      {"Each step", "各ステップ"},
      {"dp {dp}, stage {stage}", "dp {dp}、ステージ {stage}"},
      {"rank {rank} ({place})", "ランク {rank} ({place})"},
      {"{workers}; {worker}", "{workers}、{worker}"},
      {" and {count} more", "、ほか {count} 個"},
      {"no single type makes steps 1% longer", "単独でステップを 1% 以上長くする種類はありません"},
      {"by type alone: {types}", "種類単独では {types}"},
      {"all of it is", "すべて"},
      {"{share} of it is", "その {share} "},
      {"; {share} gone if the last stage takes what it should",
       "。最終ステージが本来の時間で済めば、{share}が消えます"},
      {"; a slow worker and a large stage look the same with one replica",
       "。レプリカが 1 つの場合、遅いワーカーと大きいステージは区別できません"},
      {"{share} gone if the slowest workers take what they should: {workers}{alike}",
       "最も遅いワーカーが本来の時間で済めば、{share}が消えます: {workers}{alike}"},
      {"{share} there if computing always takes the mean of its stage{last}{alike}",
       "計算が常にそのステージの平均時間で済んでも、{share}が残ります{last}{alike}"},
      {"only {share} there if computing always takes the mean of its stage, so most of it varies "
       "within stages{last}",
       "計算が常にそのステージの平均時間で済めば、残るのは{share}だけのため、大半はステージ内のば"
       "らつきです{last}"},
      {"no worker costs far more than others in most steps",
       "大半のステップで他より損失が際立って大きいワーカーはありません"},
      {"compare what the stages have to do first; then clocks, temperature and power",
       "まず各ステージの処理量を比較し、次にクロック、温度、電力を確認してください"},
      {"check clocks, temperature, power and other load of these workers; see table "
       "straggler_workers",
       "これらのワーカーのクロック、温度、電力、他の負荷を確認してください。表 straggler_workers "
       "を参照"},
      {"divide the model into stages that take alike: loss and vocabulary layers count; see table "
       "straggler_stages",
       "損失と語彙の層も含め、所要時間が揃うようにモデルをステージに分割してください。表 "
       "straggler_stages を参照"},
      {"see what the host does in the longest steps; see table straggler_steps",
       "最も長いステップでホストが何をしているかを確認してください。表 straggler_steps を参照"},
      {"look at the network; see table straggler_types",
       "ネットワークを確認してください。表 straggler_types を参照"},
      {"see what differs between microbatches, replicas and steps, such as sequence lengths; see "
       "table straggler_steps",
       "シーケンス長など、マイクロバッチ、レプリカ、ステップの間で異なるものを確認してください。"
       "表 straggler_steps を参照"},
      {"Stragglers make steps {share} longer.",
       "ストラグラーによりステップが {share} 長くなっています。"},
      {"Uneven work makes steps {share} longer.",
       "処理の不均等によりステップが {share} 長くなっています。"},
      {"{time} per step without {delays} vs {least} if every operation took {ideal}; {types}; "
       "{blame}",
       "{delays}を除いた 1 ステップは {time}。全操作が{ideal}で済めば {least}。{types}。{blame}"},
      {"launch delays", "起動遅延"},
      {"the mean or median of its type", "その種類の平均または中央値"},
      {"unexplained delays", "説明のつかない遅延"},
      {"the mean of its peers and steps, or the median of its transfers",
       "同等のランクとステップの平均、または転送の中央値"},
      {"A step without {delays} takes {time}, and {least} with even work.",
       "{delays}を除いた 1 ステップは {time}、処理が均等なら {least} です。"},
      {"Stragglers cost little: a step takes {time}, and {least} without them.",
       "ストラグラーの損失はわずかです。1 ステップは {time}、ストラグラーがなければ {least} です"
       "。"},
      {"slowdown (S)", "減速比 (S)"},
      {"steps longer by stragglers", "ストラグラーによるステップの増加"},
      {"gone without slowest workers (M_W)", "最も遅いワーカーがなければ消える割合 (M_W)"},
      {"gone without last stage (M_S)", "最終ステージの超過がなければ消える割合 (M_S)"},
      {"steps compared", "比較したステップ数"},
      {"steps were left out: operations are missing or recorded twice",
       "除外したステップがあります: 操作が欠けているか、重複して記録されています"},
      {"all of {ranks} have no rank with the same work to compare with: only how their steps vary "
       "counts",
       "{ranks}すべてに、比較できる同じ処理のランクがありません。ステップ間の変動のみを評価します"},
      {"{count} of {ranks} have no rank with the same work to compare with: only how their steps "
       "vary counts",
       "{ranks}中 {count} ランクに、比較できる同じ処理のランクがありません。ステップ間の変動のみ"
       "を評価します"},
      {"transfers were kept as recorded: their size is not known",
       "サイズが不明な転送は、記録のまま残しました"},
      {"one rank was given, and stragglers are ranks that others wait for",
       "指定されたランクが 1 つだけです。ストラグラーは他のランクを待たせるランクです"},
      // the verdict
      {", aside from {category} ({time} in steps left out)",
       " ({category}を除く: 除外したステップで {time})"},
      {"nothing but compute costs more than 1% of step time",
       "計算のほかに、ステップ時間の 1% を超えるものはありません"},
      {"the largest cost but compute is {category}, {share} of step time ({time} per step)",
       "計算以外で最も時間がかかっているのは{category}で、1 ステップあたり {time}、ステップ時間の"
       " {share} です"},
      {"In steps, {says}{aside}.", "ステップ内では、{says}{aside}。"},
      {"The job looks healthy: {says}{aside}.", "ジョブは正常に見えます。{says}{aside}。"},
      {"{rank} has no trace", "{rank} のトレースがありません"},
      {"{ranks} have no trace", "{ranks} のトレースがありません"},
      {" Nothing else stands out.", "他に目立つものはありません。"},
      {"No rank, step or function stands out. ", "突出したランク、ステップ、関数はありません。"},
      {"No rank or step stands out. ", "突出したランクやステップはありません。"},
      {"No rank or function stands out. ", "突出したランクや関数はありません。"},
      {"No rank stands out. ", "突出したランクはありません。"},
      {"No step or function stands out. ", "突出したステップや関数はありません。"},
      {"No function stands out. ", "突出した関数はありません。"},
      {"No step stands out. ", "突出したステップはありません。"},
      {" 1 of {count} ranks was given: communication may be waiting for {others}.",
       "指定されたのは {count} ランク中の 1 ランクだけです。通信は{others}を待っている可能性があ"
       "ります。"},
      {"the other", "もう一方のランク"},
      {"No analysis was requested.", "分析が指定されていません。"},
      {"No analysis ran. {why}.", "実行できた分析はありません。{why}。"},
      {" Input is incomplete: ", "入力が不完全です: "},
      {"{files} cannot be read", "{files}を読み込めません"},
      {"{file} is empty", "{file}が空です"},
      {"{files} are empty", "{files}が空です"},
      {"{file} is damaged", "{file}が破損しています"},
      {"{files} are damaged", "{files}が破損しています"},
      {"{count} file", "{count} ファイル"},
      {"{count} complete step", "完全な {count} ステップ"},
      {" and {steps} ({count} on other ranks)", "と{steps} (他のランクでは {count})"},
      {" and {steps}", "と{steps}"},
      {"Input is incomplete: {files} {end} early; of rank {rank} there are {events}{steps}{but}. "
       "Idle and unrecorded time may be what is missing. ",
       "入力が不完全です: {files}が途中で終わっています。ランク {rank} にあるのは "
       "{events}{steps}です{but}。アイドルや未記録の時間は、欠けている部分かもしれません。"},
      {"Input is damaged: {count} of {total} events cannot be read; what they took is missing "
       "here.",
       "入力が破損しています: {total} 件のイベントのうち {count} "
       "件を読み込めません。その時間はここにありません。"},
      {"{what} ({count})", "{what} ({count} 件)"},
      {"copy the files again from where they were written, or record again; until then trust names "
       "and durations of what is listed, not sums, shares, idle time or advice",
       "ファイルを元の場所からコピーし直すか、記録し直してください。それまでは、一覧にあるものの名"
       "前と"
       "所要時間は信頼できますが、合計、割合、アイドル時間、助言は信頼できません"},
      {"{count} event", "{count} 件のイベント"},
      {", and no device activity", " (デバイスアクティビティはありません)"},
      {" In its steps: ", "ステップ内: "},
      // the walk
      {"; impact up to {time} of the job: {points} pp of goodput",
       "。ジョブへの影響は最大 {time}: goodput の {points} pp"},
      {", {count} chip-hours", "、{count} チップ時間"},
      {", cost {price}", "、コスト {price}"},
      {"finding", "検出事項"},
      {"analysis", "分析"},
      {"impact, up to", "影響 (最大)"},
      {"goodput", "goodput"},
      {"chip-hours", "チップ時間"},
      {"; slow kernels there: ", "。このランクの遅いカーネル: "},
      {"{kernel} {time} for {usual}", "{kernel} {time} (他は {usual})"},
      // export
      {"Wrote {traces} to {folder}; open {them} at https://ui.perfetto.dev{browser}.",
       "{traces}を {folder} に書き出しました。https://ui.perfetto.dev{browser} で開いてください。"},
      {"Wrote {traces} of MLCommons Chakra to {folder}.",
       "MLCommons Chakra の{traces}を {folder} に書き出しました。"},
      {"an execution trace", "実行トレース"},
      {"{count} execution traces", "{count} 個の実行トレース"},
      {"a trace", "トレース"},
      {"{count} traces", "{count} 個のトレース"},
      {" or in chrome://tracing", " または chrome://tracing"},
      {"Export", "エクスポート"},
      {"Exported files", "エクスポートしたファイル"},
      {"events read", "読み込んだイベント"},
      {"written", "書き出したイベント"},
      {"counters", "カウンター"},
      {"critical path", "クリティカルパス"},
      {"patterns", "パターン"},
      {"traces do not have the requested range: no critical path was added",
       "トレースに指定された範囲がないため、クリティカルパスを追加しませんでした"},
      {"clock error", "時計の誤差"},
  };
  return kTexts;
}

}  // namespace stepscope
