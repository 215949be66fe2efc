// Holds the Japanese of stragglers and steps.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesStToZ() {
  static constexpr Translated kTexts[] = {
      // stragglers
      {"Stragglers", "ストラグラー"},
      {"Ranks others wait for; cost and cause", "他のランクを待たせるランクと、その損失および原因"},
      {"ignore ranks that cost the others less than this share of span",
       "他のランクの損失がスパンのこの割合に満たないランクを無視する"},
      {", later {growth}", " {growth}遅れが増える形で"},
      {" in {period}", "{period}で"},
      {" since step {first}", "ステップ {first} 以降、"},
      {" in step {only}", "ステップ {only} で"},
      {" {always}", "{always}で"},
      {" (most of it in {late} of {steps})", " (大半は{steps}中の {late} ステップ)"},
      {" ({share} of it since step {step})", " (うち {share} はステップ {step} 以降)"},
      {"{who} is a straggler{since}", "{who} は{since}ストラグラーです"},
      {"{who} are stragglers in turn", "{who} が交代でストラグラーになっています"},
      {"{who} are stragglers{since}", "{who} は{since}ストラグラーです"},
      {"{reason} in each step", "各ステップの{reason}"},
      {"{who}: {reason}, {share} of span.", "{who}: {reason}、スパンの {share}。"},
      {"{who} {start}, which wait for {share} of span.",
       "{who} は{start}しており、他のランクはスパンの {share} をその待ちに費やしています。"},
      {"; {ranks} came last, too, only after waiting for others",
       "。{ranks} も最後に到着していますが、他のランクを待った後だけです"},
      {"; its trace has {count} of the {steps} in which it is late",
       "。遅れている{steps}のうち、トレースにあるのは {count} ステップです"},
      {"{caused}, and cost every other {noun} {time} in all{error}",
       "{caused}、他の各{noun}の損失は合計 {time}{error}"},
      {" (clock uncertainty {error})", " (時計の不確かさ {error})"},
      {"they caused {share} of all wait time{most}, were last {times}",
       "全待ち時間の {share} を引き起こし{most}、最後に到着したのは合わせて {times}"},
      {"it caused {share} of all wait time{most}, was last {times}",
       "全待ち時間の {share} を引き起こし{most}、最後に到着したのは {times}"},
      {"{count} time", "{count} 回"},
      {"only one rank was recorded", "記録されたランクが 1 つだけです"},
      {"no synchronizing collective was matched on two {noun}s: wait time is unknown; see "
       "collectives",
       "2 つの{noun}で対応付けられた同期集合通信がないため、待ち時間は不明です。collectives "
       "を参照"},
      {" Most of it is in step {step}.", "大半はステップ {step} で生じています。"},
      {"It is late by no more than its own time varies from step to step.",
       "遅れは、そのランク自身のステップごとの変動の範囲内です。"},
      {" {unmatched} of {all} collectives are matched with no other rank: their waits are unknown.",
       "{all} 回の集合通信のうち {unmatched} 回は他のランクと対応付けられず、待ち時間は不明です。"},
      {"No {noun} waits for another.", "他を待っている{noun}はありません。"},
      {"{who} causes {share} of all wait time in collectives and costs every other {noun} {time} "
       "(clock uncertainty {error}).",
       "{who} は集合通信の全待ち時間の {share} を引き起こし、他の各{noun}に {time} "
       "の損失を与えています (時計の不確かさ {error})。"},
      {"{sentence} It may itself wait for ranks that have no trace.",
       "{sentence} ただし、トレースのないランクを待っている可能性があります。"},
      {"No {noun} is a straggler: most wait time is for {who}, which costs every other {noun} "
       "{time}, {share} of span (clock uncertainty {error}).{why}",
       "ストラグラーの{noun}はありません。待ち時間が最も多いのは {who} に対するもので、"
       "他の各{noun}の損失は {time}、スパンの {share} です (時計の不確かさ {error})。{why}"},
      {"total wait time", "待ち時間の合計"},
      {"waits for absent ranks", "トレースのないランクの待ち"},
      {"{noun}s by caused wait", "待たせた時間順の{noun}"},
      {"% of all wait", "全待ち時間比"},
      {"cost per {noun}", "{noun}あたりの損失"},
      {"likely cause", "推定原因"},
      {"waits as last", "最後に到着した待ち"},
      {"late steps", "遅れたステップ数"},
      {"Excess time of stragglers", "ストラグラーの超過時間"},
      {"late launches", "遅れた起動"},
      {"Straggler of each step", "各ステップのストラグラー"},
      {"% of wait", "待ち時間比"},
      // waits for ranks without a trace
      {"{rank} waits {time}", "{rank} は {time} 待っています"},
      {"{ranks} wait together {time}", "{ranks} はそろって {time} 待っています"},
      {"{ranks} wait {time}", "{ranks} は {time} 待っています"},
      {"{time} per step", "1 ステップあたり {time}"},
      {"{waits} in collectives of groups where {absent} {why}, {share} of span.",
       "{waits}。{absent} {why}グループの集合通信で生じており、スパンの {share} です。"},
      {"the last of {ranks}", "{ranks} のうち最後のランク"},
      {"after {last} had arrived, {calls} took {time} on average vs {usual} expected; "
       "{absent} may be late: only {traces} would tell",
       "{last} の到着後、{calls}に平均 {time} かかりました (想定は {usual})。{absent} "
       "が遅れている可能性がありますが、確かめるにはそのトレースが必要です"},
      {"{include}, and look at what {each} does before these collectives",
       "{include}、これらの集合通信の前に何をしているかを確認してください"},
      // steps
      {"Per-step times", "ステップごとの時間"},
      {"Each step's duration and breakdown", "各ステップの長さと内訳"},
      {"a step that takes at least this multiple of the median is slow",
       "中央値のこの倍数以上かかるステップを遅いステップとみなす"},
      {"Steps in turn", "交互に遅れるランクのステップ"},
      {"Steps of slower ranks", "時間が長いランクのステップ"},
      {"Steps of each rank", "各ランクのステップ"},
      {"exposed communication, % of step time", "隠蔽されていない通信 (ステップ時間比)"},
      {"idle, % of step time", "アイドル (ステップ時間比)"},
      {"exposed, % of step time", "未隠蔽 (ステップ時間比)"},
      {"Steps, mean over ranks", "ステップ (ランク平均)"},
      {"devices have an unknown peak: steps have no MFU; set flops.peak_tflops",
       "デバイスのピーク性能が不明なため、ステップの MFU はありません。flops.peak_tflops を設定し"
       "てください"},
      {"no complete steps are marked: {how}", "区切られた完全なステップがありません: {how}"},
      {"99th percentile", "99 パーセンタイル"},
      {"min step time", "ステップ時間の最小"},
      {"max step time", "ステップ時間の最大"},
      {"{steps} of {ranks}: median step time {median}, max {max}.",
       "{ranks} の{steps}: ステップ時間は中央値 {median}、最大 {max}。"},
      {"Steps grow from {first} to {last} over {steps}.",
       "ステップ時間が{steps}の間に {first} から {last} へ伸び続けています。"},
      {"median of the first {count}: {time}; nearly each step is longer than those before it",
       "最初の {count} ステップの中央値は {time}。ほぼすべてのステップが、それ以前のステップより"
       "長くなっています"},
      {"find what grows with each step: lengths of sequences, a cache of keys and values, a list "
       "that is kept, memory in use",
       "ステップごとに増えるものを探してください: シーケンス長、KV キャッシュ、保持し続けるリスト"
       "、使用中のメモリなど"},
      {"Step time follows the sizes of inputs: {steps} with larger ones {take} {times}× the "
       "median step time or more.",
       "ステップ時間は入力のサイズに応じて変わっています。入力の大きい{steps}は、中央値の "
       "{times} 倍以上かかっています。"},
      {"of {count} steps; a line through the mean number of elements of operators' inputs "
       "explains most of what they take longer",
       "対象は {count} ステップ。オペレーターの入力の平均要素数に対する直線で、超過分の大半を説明"
       "できます"},
      {"see shapes for the sizes; batches of like sizes make steps alike",
       "サイズは shapes を確認してください。バッチのサイズを揃えると、ステップ時間も揃います"},
      {"median {time}", "中央値 {time}"},
      {"median {time} before step {step}", "ステップ {step} より前の中央値 {time}"},
      {"median {time} since step {step}", "ステップ {step} 以降の中央値 {time}"},
      {"median {time} of rank {rank}", "ランク {rank} の中央値 {time}"},
      {"no category grew", "増えた区分はありません"},
      {"{time} more {category}", "{category}が {time} 増加"},
      {"look at this step in the timeline; if slow steps recur at regular intervals, do "
       "checkpoints, evaluation or logging less often or in the background",
       "このステップをタイムラインで確認してください。"
       "遅いステップが一定間隔で繰り返される場合は、チェックポイント、評価、"
       "ログ出力の頻度を下げるか、バックグラウンドで実行してください"},
      {"look at this step in the timeline: prompts may share it with generation (chunked prefill "
       "divides them), or its batch is larger, or the host collects garbage",
       "このステップをタイムラインで確認してください。"
       "プロンプト処理が生成と同じステップに入っている (chunked prefill で分割できます)、"
       "バッチが大きい、ホストがガベージコレクションをしているなどの可能性があります"},
      {"look at this step in the timeline; if slow steps recur at regular intervals, do what "
       "recurs less often or in the background",
       "このステップをタイムラインで確認してください。"
       "遅いステップが一定間隔で繰り返される場合は、その処理の頻度を下げるか、"
       "バックグラウンドで実行してください"},
      {"; the other ranks wait for it, mostly in the next step",
       "。他のランクは、主に次のステップでこのランクを待っています"},
      {", in {function}, which runs in {period}", " ({function} 内、{period}で実行)"},
      {"{which} takes {times} the median of the other steps{behind}.",
       "{which}の所要時間は他のステップの中央値の {times} です{behind}。"},
      {"Step {step} took {times} the median step time on rank {rank}, and is slow on all "
       "ranks{behind}.",
       "ステップ {step} の所要時間はランク {rank} で中央値の {times} で、"
       "全ランクで遅くなっています{behind}。"},
      {"Steps {steps} and {last}", "ステップ {steps}、{last}"},
      {"{count} of {all} steps", "{all} ステップ中 {count} ステップ"},
      {"{steps} of rank {rank} took up to {times} the median step time{behind}.",
       "ランク {rank} の{steps} の所要時間は最大で中央値の {times} です{behind}。"},
      {"{steps} took up to {times} the median step time on rank {rank}, and are slow on all "
       "ranks{behind}.",
       "{steps} の所要時間はランク {rank} で最大で中央値の {times} で、"
       "全ランクで遅くなっています{behind}。"},
      {"Step {step} of rank {rank} took {times} the median step time{behind}.",
       "ランク {rank} のステップ {step} の所要時間は中央値の {times} です{behind}。"},
      {"Step time varies from {min} to {max} without a pattern; median {median}.",
       "ステップ時間は {min} から {max} まで不規則に変動しています (中央値 {median})。"},
      {"{count} of {all} steps are slow; no function is specific to them",
       "{all} ステップ中 {count} ステップが遅く、これらに特有の関数はありません"},
      {"compare the sizes of batches: sequences of other lengths, or padding to the longest",
       "バッチのサイズを比較してください。シーケンス長の違いや、最長へのパディングが考えられます"},
      {"slow steps", "遅いステップ"},
      {"{longest} vs {usual}; cause: {cause}; {count} of {all} steps{ranks} are slow and cost "
       "{share} of all step time{echo}",
       "{longest} ({usual})。原因: {cause}。{ranks}{all} ステップ中 {count} ステップが遅く、"
       "全ステップ時間の {share} を失っています{echo}"},
      {" of all ranks", "全ランクの "},
      {"longest {time}", "最長 {time}"},
  };
  return kTexts;
}

}  // namespace stepscope
