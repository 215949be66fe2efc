// Holds the Japanese of comparisons.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfComparison() {
  static constexpr Translated kTexts[] = {
      // Both sides.
      {"after", "後"},
      {"{of}, before", "{of} (変更前)"},
      {"{of}, after", "{of} (変更後)"},
      {"{of}, after - before", "{of} (変更後 − 変更前)"},
      {"{of}, change", "{of} (変化率)"},
      {"{1} before, {2} after", "変更前 {1}、変更後 {2}"},
      {"In both: {headline}", "変更前後とも: {headline}"},
      {"Before: {before} After: {after}", "変更前: {before} 変更後: {after}"},
      {"{before} before, {after} after", "変更前 {before}、変更後 {after}"},
      {"{before} before, {after} after ({change})", "変更前 {before}、変更後 {after} ({change})"},
      {"none", "なし"},
      {"all steps", "全ステップ"},
      {"complete steps", "完全なステップ"},
      {" Within noise, rank {rank} differs most in {category}: {sides}.",
       " ノイズの範囲内で最も異なるのはランク {rank} の{category}です: {sides}。"},
      {" Rank {rank} differs most in {category}: {sides}.",
       " 最も異なるのはランク {rank} の{category}です: {sides}。"},
      {" Times in collectives do not compare: the job has {before} before and {after} after.",
       " 集団通信の時間は比較できません: ジョブは前が {before}、後が {after} ランクです。"},
      {" Within the run {run}, step time changed: {time} since step {step}.",
       " {run}の実行の中でステップ時間が変わりました: ステップ {step} 以降は {time}。"},
      {"steps {steps}", "ステップ {steps}"},

      // The report and its tables.
      {"What changed", "変化した点"},
      {"Changes", "変化"},
      {"neither side has steps, kernels or operators",
       "どちらの実行にもステップ、カーネル、オペレーターがありません"},
      {"Nothing to compare: {why}.", "比較できるものがありません: {why}。"},
      {"Step time by change", "ステップ時間の内訳 (変化の大きい順)"},
      {"Operators by change", "オペレーター (変化の大きい順)"},
      {"Host calls by change", "ホストの呼び出し (変化の大きい順)"},
      {"runtime call", "ランタイム呼び出し"},
      {"Shapes by change", "入力形状 (変化の大きい順)"},
      {"Kernels by change", "カーネル (変化の大きい順)"},
      {"Ranks, mean step", "ランク別の平均ステップ"},
      {"recorded time, before", "記録時間 (変更前)"},
      {"recorded time, after", "記録時間 (変更後)"},
      {"replaced", "置き換え"},
      {"added", "追加"},
      {"removed", "削除"},
      {"more", "増加"},
      {"fewer", "減少"},
      {"same", "変化なし"},
      {"slower", "低速化"},
      {"faster", "高速化"},

      // Notes.
      {"{before} steps of ranks before, {after} after (sums in the tables differ by that; select "
       "as many steps and ranks of both)",
       "全ランクの延べステップ数は変更前 {before}、変更後 {after} です"
       " (表の合計にはこの差が含まれます。両方で同じ数のステップとランクを選択してください)"},
      {"{before} before, {after} after (ranks that only one run has are left out)",
       "変更前 {before}、変更後 {after} (片方の実行だけにあるランクは除外しました)"},
      {"each run has one step: how much steps differ by noise is unknown",
       "どちらの実行も 1 ステップだけのため、ステップ時間のばらつきは不明です"},

      // Headlines.
      {"Kernel time per step: {sides}.", "1 ステップあたりのカーネル時間: {sides}。"},
      {"Kernel time: {sides}.", "カーネル時間: {sides}。"},
      {" Of {before} before and {after} after, the ranks that both runs have are compared.",
       "変更前の {before} と変更後の {after} ランクのうち、両方の実行にあるランクを"
       "比較しています。"},
      {"Mean step time: {sides}.", "平均ステップ時間: {sides}。"},
      {"Mean step time: {sides}; steps of one run differ by {deviation} (std dev).",
       "平均ステップ時間: {sides}。同じ実行の中でもステップ時間は {deviation} (標準偏差) "
       "ばらついています。"},
      {"No change beyond noise: mean step time is {sides}, and steps of one run differ by "
       "{deviation} (std dev).",
       "ばらつきを超える変化はありません。平均ステップ時間は{sides}で、"
       "同じ実行の中でもステップ時間は {deviation} (標準偏差) ばらついています。"},
      {"Without it, no change beyond noise: mean step time is {sides}, and steps of one run differ "
       "by {deviation} (std dev).",
       "それを除くと、ばらつきを超える変化はありません。平均ステップ時間は{sides}で、"
       "同じ実行の中でもステップ時間は {deviation} (標準偏差) ばらついています。"},
      {", slow steps and warm-up left out", " (遅いステップとウォームアップを除く)"},
      {"{category}: {before} before, {after} after", "{category}: 変更前 {before}、変更後 {after}"},
      {"{category}: {before} before, {after} after ({reason})",
       "{category}: 変更前 {before}、変更後 {after} ({reason})"},
      {"{before} to {after} of step time", "ステップ時間の {before} → {after}"},
      {" No category changed beyond noise.", "ばらつきを超えて変化した区分はありません。"},
      {" No category changed by 1% of step time.",
       "ステップ時間の 1% 以上変化した区分はありません。"},
      {" Slow steps and warm-up, left out: {before} before, {after} after.",
       "除いた遅いステップとウォームアップは、変更前: {before}、変更後: {after}。"},
      {"{steps} of {time}", "{steps} (各 {time})"},
      {" Slow steps: {before} before, {after} after. Without them a step takes {step_before} "
       "before, {step_after} after (median).",
       "遅いステップは、変更前: {before}、変更後: {after}。これらを除いた 1 ステップの時間は、"
       "変更前 {step_before}、変更後 {step_after} です (中央値)。"},
      {"{count} of {all}{of_rank}{numbers}", "{of_rank}{all} ステップ中 {count} ステップ{numbers}"},
      {" of rank {rank}", "ランク {rank} の "},
      {" of rank {1}", "ランク {1} の "},
      {"Recorded time: {sides}, with the same operators.",
       "記録時間: {sides}。オペレーターは同じです。"},
      {"Two frameworks: {before} before, {after} after, whose calls do not compare. ",
       "フレームワークが異なり (変更前 {before}、変更後 {after})、呼び出しは比較できません。"},
      {"Evaluation between steps: {before}, {after}.", "ステップ間の評価: {before}、{after}。"},
      {"none before", "変更前はなし"},
      {"none after", "変更後はなし"},
      {"{runs} and {time} before ({share} of the trace)",
       "変更前は {runs}、計 {time} (トレースの {share})"},
      {"{runs} and {time} after ({share} of the trace)",
       "変更後は {runs}、計 {time} (トレースの {share})"},
      {" The same calls compute {before} per step before, {after} after ({change}).",
       "同じ呼び出しの 1 ステップあたりの演算量: 変更前 {before}、変更後 {after} ({change})。"},
      {" Compute in 16 bit or less: {before} before, {after} after.",
       "16 ビット以下での計算: 変更前 {before}、変更後 {after}。"},
      {" Python functions are recorded only before, which takes time itself.",
       "Python 関数は変更前だけに記録されています。記録自体にも時間がかかります。"},
      {" Python functions are recorded only after, which takes time itself.",
       "Python 関数は変更後だけに記録されています。記録自体にも時間がかかります。"},
      {" Calls differ: {calls}.", "呼び出し回数が異なります: {calls}。"},

      // Parts of steps.
      {"Unrecorded time", "未記録の時間"},

      // Findings and what is behind them.
      {"{category} grew by {time} per step{reason}.",
       "{category}が 1 ステップあたり {time} 増えました{reason}。"},
      {"{category} grew by {time}{why}.", "{category}が {time} 増えました{why}。"},
      {"Rank {rank} takes {time} less {category} per step than before{others}{why}.",
       "ランク {rank} の{category}が 1 ステップあたり {time} 減りました{others}{why}。"},
      {"Rank {rank} takes {time} more {category} per step than before{others}{why}.",
       "ランク {rank} の{category}が 1 ステップあたり {time} 増えました{others}{why}。"},
      {"All ranks take less {category} per step than before, rank {rank} {time} and the others "
       "{others}{why}.",
       "全ランクの{category}が 1 ステップあたり減りました (ランク {rank} は {time}、他は "
       "{others}){why}。"},
      {"All ranks take more {category} per step than before, rank {rank} {time} and the others "
       "{others}{why}.",
       "全ランクの{category}が 1 ステップあたり増えました (ランク {rank} は {time}、他は "
       "{others}){why}。"},
      {", the others {time} less", " (他のランクは {time} 減)"},
      {", the others {time} more", " (他のランクは {time} 増)"},
      {"the other ranks changed by {time} (median)", "他のランクの変化は {time} (中央値)"},
      {"rank {rank} changed by {time}", "ランク {rank} の変化は {time}"},
      {"rank {rank} by {time}", "ランク {rank} は {time}"},
      {"on rank {rank}: {hint}", "ランク {rank} で: {hint}"},
      {"{name} {before} before, {after} after", "{name} 変更前 {before}、変更後 {after}"},
      {"{name} is new", "{name} が新たに実行されています"},
      {"{name} takes {time} more", "{name} が {time} 長くかかっています"},
      {"{name} takes {time} more ({before} calls per step before, {after} after)",
       "{name} が {time} 長くかかっています"
       " (1 ステップあたりの呼び出しは変更前 {before} 回、変更後 {after} 回)"},
      {"{name} no longer runs", "{name} は実行されなくなりました"},
      {"inputs are {type} instead of {other}", "入力の型が {other} から {type} に変わりました"},
      {"find what makes these inputs another type (.double(), torch.float64, arrays of NumPy), and "
       "convert them",
       "入力の型を変えている箇所 (.double()、torch.float64、NumPy 配列) を探して変換してください"},
      {"{types}, as {call}", "{types} (例: {call})"},
      {", while {function} takes longer", " (同時に {function} の時間が増加)"},
      {"{program} is compiled within steps", "{program} がステップ内でコンパイルされています"},
      {"{program} is no longer compiled within steps",
       "{program} はステップ内でコンパイルされなくなりました"},
      {"{name} takes {time} less", "{name} が {time} 短くなりました"},
      {"{share} longer", "{share} 長くかかっています"},
      {"{times}× as long", "{times} 倍の時間がかかっています"},
      {"the same calls on the same shapes take {longer}", "同じ形状での同じ呼び出しが {longer}"},
      {"the same calls take {longer}", "同じ呼び出しが {longer}"},
      {"the same calls on the same shapes are all faster",
       "同じ形状での同じ呼び出しがすべて速くなりました"},
      {"the same calls on the same shapes take less", "同じ形状での同じ呼び出しが短くなりました"},
      {"the same calls take less", "同じ呼び出しが短くなりました"},
      {"inputs have other sizes, as {call} ({before} times per step before, {after} after)",
       "入力のサイズが異なります"
       " (例: {call}、1 ステップあたり変更前 {before} 回、変更後 {after} 回)"},
      {"after, the largest Python function between operators is {name}",
       "変更後、オペレーター間で最も長い Python 関数は {name} です"},
      {"; Python functions are recorded only after", "。Python 関数は変更後だけに記録されています"},
      {"Python: ", "Python 関数: "},
      {"kernels: ", "カーネル: "},
      {"calls by shape, all ranks: ", "形状別の呼び出し (全ランク): "},
      {"{steps} takes {time} longer on average{other_run}{why}.",
       "{steps} は平均 {time} 長くかかります{other_run}{why}。"},
      {" {steps} took {time} longer on average before{other_run}.",
       "変更前、{steps} は平均 {time} 長くかかっていました{other_run}。"},
      {"; none did before", " (変更前はなし)"},
      {"; none does after", " (変更後はなし)"},
      {"; before, {steps} took {time} longer",
       " (変更前は {steps} が {time} 長くかかっていました)"},
      {"; after, {steps} takes {time} longer", " (変更後は {steps} が {time} 長くかかります)"},
      {"{before} per step for them before, {after} after{most}; the other steps take {others} "
       "(median, after){because}",
       "これらのステップによる増分は 1 ステップあたり変更前 {before}、変更後 {after}{most}。"
       "他のステップは {others} (変更後の中央値){because}"},
      {", most of it {category}", "、主に{category}"},
      {"{call} runs {before} times per step before, {after} after{on_rank}",
       "{call} の 1 ステップあたりの実行は{on_rank}変更前 {before} 回、変更後 {after} 回"},
      {"{call} runs {before} times per rank before, {after} after{on_rank}",
       "{call} の 1 ランクあたりの実行は{on_rank}変更前 {before} 回、変更後 {after} 回"},
      {" on rank {rank}", "ランク {rank} で"},
      {"{times} per step", "1 ステップあたり {times}"},
      {"{times} per rank", "1 ランクあたり {times}"},
      {"Evaluation between steps takes {time} more per step{function}{when}.",
       "ステップ間の評価が 1 ステップあたり {time} 増えました{function}{when}。"},
      {": it runs after {steps}", " ({steps} の後に実行)"},
      {" after {steps}", " ({steps} の後)"},
      {"{before} per step before, {after} after; step time leaves it out",
       "1 ステップあたり変更前 {before}、変更後 {after}。ステップ時間には含まれません"},
      {"{kernel} takes {time} more device time per step.",
       "{kernel} のデバイス時間が 1 ステップあたり {time} 増えました。"},
      {"{kernel} takes {time} more per step; it may wait there for ranks that are not compared.",
       "{kernel} の時間が 1 ステップあたり {time} "
       "増えました。比較対象外のランクを待っている可能性があ"
       "ります。"},
      {"{kernel} takes {time} more; it may wait there for ranks that are not compared.",
       "{kernel} の時間が {time} 増えました。比較対象外のランクを待っている可能性があります。"},
      {"analyze the run after alone: its first sentence names the rank that the others wait for, "
       "if one stands out",
       "変更後の実行だけを分析してください。他のランクが待っているランクが目立つ場合、最初の文に示"
       "され"
       "ます"},
      {"{kernel} takes {time} more device time.", "{kernel} のデバイス時間が {time} 増えました。"},
      {"{kernel} (in place of {replaced})", "{kernel} ({replaced} の代わり)"},
      {"in total, {before} before, {after} after ({change})",
       "合計で変更前 {before}、変更後 {after} ({change})"},
      {"{calls} in {time}", "{calls}で {time}"},
      {"{calls} of {time}", "{calls} (1 回 {time})"},
      {"Calls of {call} take {longer}.", "{call} の呼び出しが {longer}。"},
      {"{before} before, {after} after: {time} of device time per step",
       "変更前 {before}、変更後 {after}。デバイス時間の差は 1 ステップあたり {time}"},
      {"{before} before, {after} after: {time} of device time",
       "変更前 {before}、変更後 {after}。デバイス時間の差は {time}"},

      // Hints.
      {"check what changed for loading: workers, storage, work per sample; see input_pipeline of "
       "the run after",
       "データ読み込みの変更点 (ワーカー数、ストレージ、サンプルごとの処理) を確認してください。"
       "変更後の実行の input_pipeline を参照"},
      {"look for more or smaller kernels, and for compilation or graphs that no longer apply; "
       "table kernels",
       "カーネルの増加や細分化、適用されなくなったコンパイルや CUDA グラフを確認してください (表 "
       "kernels)"},
      {"look for new waits for the device: reading losses or metrics in each step",
       "デバイスを待つ処理が増えていないか確認してください (毎ステップの損失や指標の読み出しなど)"},
      {"look for shapes that change from step to step",
       "ステップごとに変わる形状がないか確認してください"},
      {"compare sizes and numbers of collectives, and the links; see collectives",
       "集合通信のサイズと回数、およびリンクを比較してください。collectives を参照"},
      {"check what changed for the kernels: shapes, data types, library versions; table kernels",
       "カーネルの条件の変化 (形状、データ型、ライブラリのバージョン) を確認してください (表 "
       "kernels)"},
      {"compare the timelines of one step of both runs, recorded with Python functions "
       "(with_stack=True)",
       "Python 関数を記録して (with_stack=True)、両方の実行の 1 ステップをタイムラインで"
       "比較してください"},
      {"compare the timelines of both runs", "両方の実行のタイムラインを比較してください"},
      {"the same calls on the same shapes are all slower: check clocks, temperature and other "
       "processes; see stragglers of the run after",
       "同じ形状での同じ呼び出しがすべて遅くなっています。クロック、温度、他のプロセスを"
       "確認してください。変更後の実行の stragglers を参照"},
      {"the same calls on the same shapes are all slower: check clocks, temperature and other "
       "processes",
       "同じ形状での同じ呼び出しがすべて遅くなっています。クロック、温度、他のプロセスを"
       "確認してください"},
      {"check what else ran on these machines (workers of data loading, other jobs), and their "
       "clocks",
       "これらのマシンで他に動いていたもの (データ読み込みのワーカー、他のジョブ) "
       "とクロックを確認してください"},
      {"compare batch size and lengths of inputs (record_shapes=True records them), and what else "
       "ran on these machines (workers of data loading, other jobs)",
       "バッチサイズと入力の長さ (record_shapes=True で記録)、"
       "およびこれらのマシンで他に動いていたもの (データ読み込みのワーカー、他のジョブ) "
       "を比較してください"},
      {"find what adds these calls: branches of the model, data, lengths, fused kernels that no "
       "longer apply; table kernels",
       "呼び出しが増えた原因 (モデルの分岐、データ、長さ、適用されなくなった融合カーネル) "
       "を確認してください (表 kernels)"},
      {"compare batch size and lengths of inputs (record_shapes=True records them), data types, "
       "library versions, and what else ran; table kernels",
       "バッチサイズと入力の長さ (record_shapes=True で記録)、データ型、ライブラリのバージョン、"
       "他に動いていたものを比較してください (表 kernels)"},
      {"calls and shapes are the same: compare data types, library versions and settings, and what "
       "runs at the same time; table kernels",
       "呼び出しと形状は同じです。データ型、ライブラリのバージョンと設定、"
       "同時に動いているものを比較してください (表 kernels)"},
      {"inputs have other sizes: check batch size, lengths and balance of the data, and sizes of "
       "layers",
       "入力のサイズが異なります。バッチサイズ、データの長さと偏り、層のサイズを確認してください"},
      {"look at {name} and what calls it: changed code, arguments or data; see python",
       "{name} とその呼び出し元の変更 (コード、引数、データ) を確認してください。python を参照"},
      {"look at {name}; record both runs with Python functions to compare them",
       "{name} を確認してください。比較するには両方の実行で Python 関数を記録してください"},
      {"find what adds these calls: gradient accumulation without no_sync, smaller buckets, "
       "metrics that are reduced; see collectives",
       "呼び出しが増えた原因 (no_sync のない勾配累積、小さくなったバケット、指標の集約) "
       "を確認してください。collectives を参照"},
      {"find what adds these calls: changed code of the model, loss, optimizer or data; see "
       "operators",
       "呼び出しが増えた原因 (モデル、損失、オプティマイザー、データのコード変更) "
       "を確認してください。operators を参照"},
      {"evaluate less often, on fewer batches, or in another job, if that is not what was changed "
       "on purpose",
       "意図した変更でなければ、評価の頻度かバッチ数を減らすか、別のジョブで評価してください"},
      {"do what recurs in these steps (checkpoints, evaluation, logging) less often or in the "
       "background",
       "これらのステップで繰り返される処理 (チェックポイント、評価、ログ) の頻度を減らすか、"
       "バックグラウンドで実行してください"},
      {"compare sizes and numbers of collectives, the ranks that come late, and the links; see "
       "stragglers and collectives",
       "集合通信のサイズと回数、遅れて到着するランク、リンクを比較してください。"
       "stragglers と collectives を参照"},
      {"check what changed for this kernel: shapes, data types, library versions; table operators "
       "shows its callers",
       "このカーネルの条件の変化 (形状、データ型、ライブラリのバージョン) を確認してください。"
       "呼び出し元は表 operators にあります"},
      {"sizes are the same: check clocks, temperature, and what runs at the same time; time one "
       "call alone (`repro`, with its id in shapes)",
       "サイズは同じです。クロック、温度、同時に動いているものを確認し、呼び出し 1 回を単独で"
       "計測してください (shapes の ID を指定して `repro`)"},
      {"sizes are the same: check library versions, and what runs at the same time; time one call "
       "alone (`repro`, with its id in shapes)",
       "サイズは同じです。ライブラリのバージョンと同時に動いているものを確認し、呼び出し 1 回を"
       "単独で計測してください (shapes の ID を指定して `repro`)"},

      // Steps at regular intervals, and the same as a metric of evaluation.
      {"every {n}th step{of} ({steps})", "{of}{n} ステップごとのステップ ({steps})"},
      {"{steps} and {last}", "{steps}、{last}"},
      {"{steps} … {last}", "{steps} … {last}"},
      {"every {1}st step ({2}, {3} and {4})", "{1} ステップごとのステップ ({2}、{3}、{4})"},
      {"every {1}nd step ({2}, {3} and {4})", "{1} ステップごとのステップ ({2}、{3}、{4})"},
      {"every {1}rd step ({2}, {3} and {4})", "{1} ステップごとのステップ ({2}、{3}、{4})"},
      {"every {1}th step ({2}, {3} and {4})", "{1} ステップごとのステップ ({2}、{3}、{4})"},
      {"every {1}st step ({2}, {3}, {4} and {5})",
       "{1} ステップごとのステップ ({2}、{3}、{4}、{5})"},
      {"every {1}nd step ({2}, {3}, {4} and {5})",
       "{1} ステップごとのステップ ({2}、{3}、{4}、{5})"},
      {"every {1}rd step ({2}, {3}, {4} and {5})",
       "{1} ステップごとのステップ ({2}、{3}、{4}、{5})"},
      {"every {1}th step ({2}, {3}, {4} and {5})",
       "{1} ステップごとのステップ ({2}、{3}、{4}、{5})"},
      {"every {1}st step ({2}, {3}, {4}, {5} and {6})",
       "{1} ステップごとのステップ ({2}、{3}、{4}、{5}、{6})"},
      {"every {1}nd step ({2}, {3}, {4}, {5} and {6})",
       "{1} ステップごとのステップ ({2}、{3}、{4}、{5}、{6})"},
      {"every {1}rd step ({2}, {3}, {4}, {5} and {6})",
       "{1} ステップごとのステップ ({2}、{3}、{4}、{5}、{6})"},
      {"every {1}th step ({2}, {3}, {4}, {5} and {6})",
       "{1} ステップごとのステップ ({2}、{3}、{4}、{5}、{6})"},
      {"every {1}st step ({2}, {3}, {4} … {5})",
       "{1} ステップごとのステップ ({2}、{3}、{4} … {5})"},
      {"every {1}nd step ({2}, {3}, {4} … {5})",
       "{1} ステップごとのステップ ({2}、{3}、{4} … {5})"},
      {"every {1}rd step ({2}, {3}, {4} … {5})",
       "{1} ステップごとのステップ ({2}、{3}、{4} … {5})"},
      {"every {1}th step ({2}, {3}, {4} … {5})",
       "{1} ステップごとのステップ ({2}、{3}、{4} … {5})"},
      {"steps {1} and {2}", "ステップ {1}、{2}"},
      {"steps {1}, {2} and {3}", "ステップ {1}、{2}、{3}"},
      {"steps {1}, {2}, {3} and {4}", "ステップ {1}、{2}、{3}、{4}"},
      {"steps {1}, {2}, {3}, {4} and {5}", "ステップ {1}、{2}、{3}、{4}、{5}"},
  };
  return kTexts;
}

}  // namespace stepscope
