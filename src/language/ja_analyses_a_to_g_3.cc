// Holds the Japanese of analyses a to g: critical_path, cupti_counters, flops; why there is
// nothing.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesAToG3() {
  static constexpr Translated kTexts[] = {
      // critical_path.
      {"Critical path", "クリティカルパス"},
      {"What bounds step time; what-if estimates", "ステップ時間の律速要因と what-if の推定"},
      {"step to explain; -1: the complete step of median length of each rank",
       "説明するステップ。-1: 各ランクの、長さが中央値の完全なステップ"},
      {"explain the range with this name instead of a step",
       "ステップの代わりに、この名前の範囲を説明する"},
      {"index of the range among those with that name, from 0",
       "その名前の範囲のうち何番目か (0 から)"},
      {"index of the last range to explain with it; -1: only `instance`",
       "ともに説明する最後の範囲が何番目か (-1: `instance` のみ)"},
      {"{name}, instances {first} to {last}", "{name} ({first} 番目から {last} 番目まで)"},
      {"only this rank; -1: every rank", "このランクのみ。-1: 全ランク"},
      {"changes to estimate, such as 'kernel:gemm*0.5; launch=0'",
       "効果を推定する変更 (例: 'kernel:gemm*0.5; launch=0')"},
      {"maximum segments to list: the longest, in order of time",
       "一覧に表示するセグメントの最大数: 長いものから選び、時刻順に表示"},
      {"device activity", "デバイスアクティビティ"},
      {"annotation or operator '{name}', instance {instance}",
       "アノテーションまたはオペレーター '{name}' (インスタンス {instance})"},
      {"the traces have no {what} of rank {rank}", "トレースにランク {rank} の{what}がありません"},
      {"the traces have no {what}", "トレースに{what}がありません"},
      {"Critical path by bound", "律速要因別のクリティカルパス"},
      {"Critical path per rank", "ランクごとのクリティカルパス"},
      {"covers", "対象"},
      {"span", "スパン"},
      {"segments", "セグメント"},
      {"largest bound", "最大の律速要因"},
      {"What-if estimates", "what-if の推定"},
      {"change", "変更"},
      {"length", "長さ"},
      {"saved", "短縮"},
      {"saved, % of span", "短縮 (スパン比)"},
      {"Largest path contributors", "パスへの寄与が大きいもの"},
      {"Segments of the path", "パスのセグメント"},
      {"segment", "セグメント"},
      {"start", "開始"},
      {"duration", "所要時間"},
      {"stream", "ストリーム"},
      {"thread", "スレッド"},
      {"activities were assumed to wait for another stream: no record of the wait",
       "アクティビティが別のストリームを待ったと推定しました: 待ちの記録なし"},
      {"changes match nothing in a rank's window",
       "変更に一致するものが、ランクの対象区間にありません"},
      {"{what} of rank {rank}", "ランク {rank} の{what}"},
      {"the whole trace", "トレース全体"},
      {" (annotation and what it launched)", " (アノテーションと、それが起動したもの)"},
      {"The critical path of {where} takes {time}", "{where}のクリティカルパスは {time}"},
      {"{share} {bound}", "{bound} {share}"},
      {"device copies", "デバイスのコピー"},
      {"kernel gaps", "カーネル間の空き"},
      {"host work", "ホストの処理"},
      {"waiting calls", "待機する呼び出し"},
      {"no compute", "計算なし"},
      {"no communication", "通信なし"},
      {"no kernel launch", "カーネル起動なし"},
      {"no data loading", "データ読み込みなし"},
      {"no host work", "ホストの処理なし"},
      {"half the host work and kernel launch", "ホストの処理とカーネル起動を半分に"},
      {"no record", "記録なし"},
      {"devices idle for {share} of it.", "デバイスはそのうち {share} でアイドルです。"},
      {"{count} of {total} ranks lack the requested window; the first is rank {rank}",
       "{total} ランク中 {count} ランクに、指定された区間がありません。最初はランク {rank} です"},
      {"span of {where}", "{where}のスパン"},
      {"explained span", "説明できるスパン"},
      {"devices idle, % of span", "デバイスのアイドル (スパン比)"},
      {"Host work", "ホストの処理"},
      {"Kernel launch", "カーネル起動"},
      {"Data loading", "データ読み込み"},
      {"Communication", "通信"},
      {"{work} on the critical path{beyond} costs up to {share} of {where}.",
       "クリティカルパス上の{work}{beyond}が、{where}の最大 {share} を占めています。"},
      {", beyond wait time,", " (待ち時間を除く) "},
      {"{step} of {ranks}", "{step} ({ranks})"},
      {"the median step", "長さが中央値のステップ"},
      {"{time} of {total} is {bound}", "{total} のうち {time} が{bound}"},
      {"worst: {name}{module} ({segments}, {time})", "最大: {name}{module} ({segments}、{time})"},
      {"{count} segment", "{count} セグメント"},
      {"(between operators)", "(オペレーター間)"},
      {"(nothing recorded)", "(記録なし)"},
      {"span without it: {time}", "それを除いたスパン: {time}"},
      {"reduce host work: tf.function with jit_compile=True, several steps per call "
       "(steps_per_execution), fewer .numpy() calls; table contributors names the operators",
       "ホストの処理を減らしてください: tf.function の jit_compile=True、1 "
       "回の呼び出しで複数ステップ (steps_per_execution)、.numpy() "
       "呼び出しの削減。オペレーター名は表 contributors にあります"},
      {"reduce host work: jit the whole step, scan over several steps in one program, fewer "
       "conversions to NumPy; table contributors names the operators",
       "ホストの処理を減らしてください: ステップ全体を jit する、複数ステップを 1 つのプログラムで "
       "scan する、NumPy への変換を減らす。オペレーター名は表 contributors にあります"},
      {"reduce host work: torch.compile, fused optimizers (foreach=True, fused=True), fewer "
       ".item() and .cpu() calls; table contributors names the operators",
       "ホストの処理を減らしてください: torch.compile、融合オプティマイザー (foreach=True、"
       "fused=True)、.item() と .cpu() の呼び出しの削減。オペレーター名は表 contributors "
       "にあります"},
      {"reduce host work: fused optimizers (foreach=True, fused=True), fewer .item() and .cpu() "
       "calls; table contributors names the operators",
       "ホストの処理を減らしてください: 融合オプティマイザー (foreach=True、fused=True)、.item() "
       "と .cpu() の呼び出しの削減。オペレーター名は表 contributors にあります"},
      {"reduce host work: torch.compile, CUDA graphs of the steps, scheduling and sampling that "
       "overlap with the device, fewer .item() and .cpu() calls; table contributors names the "
       "operators",
       "ホストの処理を減らしてください: torch.compile、ステップの CUDA グラフ、"
       "デバイスとオーバーラップするスケジューリングとサンプリング、.item() と .cpu() "
       "の呼び出しの削減。オペレーター名は表 contributors にあります"},
      {"reduce host work: CUDA graphs of the steps, scheduling and sampling that overlap with the "
       "device, fewer .item() and .cpu() calls; table contributors names the operators",
       "ホストの処理を減らしてください: ステップの CUDA グラフ、"
       "デバイスとオーバーラップするスケジューリングとサンプリング、.item() と .cpu() "
       "の呼び出しの削減。オペレーター名は表 contributors にあります"},
      {"reduce host work: torch.compile, fewer .item() and .cpu() calls; table contributors names "
       "the operators",
       "ホストの処理を減らしてください: torch.compile、.item() と .cpu() "
       "の呼び出しの削減。オペレーター名は表 contributors にあります"},
      {"reduce host work: fewer .item() and .cpu() calls; table contributors names the operators",
       "ホストの処理を減らしてください: .item() と .cpu() の呼び出しの削減。オペレーター名は表 "
       "contributors にあります"},
      {"launch fewer kernels: CUDA graphs (torch.compile mode=\"reduce-overhead\"), fused kernels, "
       "a larger batch",
       "起動するカーネルを減らしてください: CUDA グラフ (torch.compile の "
       "mode=\"reduce-overhead\")、融合カーネル、バッチの拡大"},
      {"launch fewer kernels: tf.function with jit_compile=True, which fuses them, or a larger "
       "batch",
       "起動するカーネルを減らしてください: tf.function の jit_compile=True "
       "による融合、またはバッチの拡大"},
      {"launch fewer kernels: jit the whole step, XLA command buffers "
       "(--xla_gpu_enable_command_buffer in XLA_FLAGS), a larger batch",
       "起動するカーネルを減らしてください: ステップ全体を jit する、XLA のコマンドバッファー "
       "(XLA_FLAGS の --xla_gpu_enable_command_buffer)、バッチの拡大"},
      {"launch fewer kernels: jit the whole step, a larger batch",
       "起動するカーネルを減らしてください: ステップ全体を jit する、バッチの拡大"},
      // cupti_counters.
      {"Hardware counters", "ハードウェアカウンター"},
      {"Counters", "カウンター"},
      {"CUPTI counters per kernel", "カーネルごとの CUPTI カウンター"},
      {"Counter ranges", "カウンター区間"},
      {"range", "区間"},
      {"outermost operator", "最も外側のオペレーター"},
      {"stack", "スタック"},
      {"Counters per range", "カウンター区間ごとの値"},
      {"counter", "カウンター"},
      {"value", "値"},
      {"Counters per kernel", "カーネルごとのカウンター"},
      {"ranges", "区間"},
      {"sum", "合計"},
      {"there are no hardware counters in the selection: record with "
       "experimental_config=_ExperimentalConfig(profiler_metrics=[...])",
       "選択範囲にハードウェアカウンターがありません: "
       "experimental_config=_ExperimentalConfig(profiler_metrics=[...]) で記録してください"},
      {"counter ranges have no operator: the number of launches differs",
       "カウンター区間に対応するオペレーターがありません: 起動の数が一致しません"},
      {"Counters of {kernels}.", "{kernels}のカウンター。"},
      // flops.
      {"FLOPs and MFU", "FLOPs と MFU"},
      {"FLOPs", "FLOPs"},
      {"FLOP/s, MFU, HFU and roofline", "FLOP/s、MFU、HFU、ルーフライン"},
      {"FLOP/s", "FLOP/s"},
      {"bytes/s", "バイト/s"},
      {"FLOP", "FLOP"},
      {"FLOP/byte", "FLOP/byte"},
      {"type", "タイプ"},
      {"FLOP/s, % of peak", "FLOP/s (ピーク比)"},
      {"% of roofline", "ルーフライン比"},
      {"memory", "メモリ"},
      {"FLOP/s per rank", "ランクごとの FLOP/s"},
      {"chip", "チップ"},
      {"FLOP/s per device", "デバイスあたりの FLOP/s"},
      {"MFU", "MFU"},
      {"HFU", "HFU"},
      {"counted, % of kernel time", "計数対象 (カーネル時間比)"},
      {"peak source", "ピーク性能の出典"},
      {"use sizes that are multiples of 64, a narrower type (torch.autocast), and channels_last "
       "for convolutions",
       "64 の倍数のサイズ、ビット幅の小さい型 (torch.autocast)、畳み込みには channels_last "
       "を使ってください"},
      {"use sizes that are multiples of 64, a narrower type (mixed precision), and NHWC for "
       "convolutions",
       "64 の倍数のサイズ、ビット幅の小さい型 (混合精度)、畳み込みには NHWC を使ってください"},
      {"use sizes that are multiples of 64 (128 on TPUs), and a narrower type (jnp.bfloat16)",
       "64 (TPU では 128) の倍数のサイズと、ビット幅の小さい型 (jnp.bfloat16) を使ってください"},
      {"MFU over the steps is {mfu}, with {share} of kernel time counted.",
       "ステップ全体の MFU は {mfu} です (カーネル時間の {share} を計数)。"},
      {"kernels take {share} of step time, and what is counted runs at {rate} of peak",
       "カーネルはステップ時間の {share} を占め、計数対象はピークの {rate} で動作"},
      {"reduce idle time first; see idle_time",
       "まずアイドル時間を減らしてください。idle_time を参照"},
      {"speed up the matrix work; its roofline is in table top",
       "行列演算を高速化してください。ルーフラインは表 top にあります"},
      {"{operator}, the costliest operator, is memory-bound.",
       "最も時間のかかるオペレーター {operator} はメモリ律速です。"},
      {"{operator}, the costliest operator, reaches {share} of its roofline.",
       "最も時間のかかるオペレーター {operator} は、ルーフラインの {share} にとどまっています。"},
      {"{share} of kernel time, {intensity} FLOP/byte, {roofline} of roofline",
       "カーネル時間の {share}、{intensity} FLOP/byte、ルーフラインの {roofline}"},
      {"use more rows per product: a larger batch, longer sequences, or several products merged "
       "into one",
       "行列積 1 回あたりの行数を増やしてください: "
       "バッチの拡大、シーケンスの延長、または複数の積の統合"},
      {"MFU over the steps", "ステップ全体の MFU"},
      {"MFU over the span", "スパン全体の MFU"},
      {", at least", " (下限)"},
      {"HFU, with recomputation", "HFU (再計算込み)"},
      {"{flop}/s per device", "デバイスあたり {flop}/s"},
      {", MFU {mfu}", "、MFU {mfu}"},
      {", MFU at least {mfu}", "、MFU {mfu} 以上"},
      {"{share} of kernel time is counted.", "カーネル時間の {share} を計数しています。"},
      {"devices have an unknown peak: there is no MFU; set flops.peak_tflops",
       "デバイスのピーク性能が不明です: MFU を算出できません。flops.peak_tflops "
       "を指定してください"},
      {"operators were left out of utilization: the device's peak for their type is unknown",
       "オペレーターを利用率から除外しました: その型に対するデバイスのピーク性能が不明"},
      {"less than 80% of kernel time is counted: MFU and HFU are lower bounds",
       "計数対象がカーネル時間の 80% 未満です: MFU と HFU は下限値です"},
      {"no two consecutive steps are complete: utilization is over the span",
       "連続する 2 つの完全なステップがありません: 利用率はスパン全体の値です"},
      {"Counted operators, all ranks", "計数対象のオペレーター (全ランク)"},
      {"Operators per rank", "ランクごとのオペレーター"},
      // Why there is nothing to analyze.
      {"no trace has device activity: record where TensorFlow has a device, with "
       "tf.profiler.experimental.ProfilerOptions(device_tracer_level=1)",
       "どのトレースにもデバイスアクティビティがありません: TensorFlow "
       "のデバイスがある環境で、tf.profiler.experimental.ProfilerOptions(device_tracer_level=1) "
       "を指定して記録してください"},
      {"no trace has device activity: record where JAX has a device (jax.devices()), with "
       "device_tracer_level = 1 in jax.profiler.ProfileOptions",
       "どのトレースにもデバイスアクティビティがありません: JAX のデバイスがある環境 "
       "(jax.devices()) で、jax.profiler.ProfileOptions に device_tracer_level = 1 "
       "を指定して記録してください"},
      {"no trace has device activity: record with ProfilerActivity.CUDA (NVIDIA, AMD) or "
       "ProfilerActivity.XPU (Intel) in activities",
       "どのトレースにもデバイスアクティビティがありません: activities に ProfilerActivity.CUDA "
       "(NVIDIA、AMD) または ProfilerActivity.XPU (Intel) を指定して記録してください"},
      {"no trace has device activity: record with `rocprofv3 --sys-trace`, or --kernel-trace at "
       "least",
       "どのトレースにもデバイスアクティビティがありません: `rocprofv3 --sys-trace` (少なくとも "
       "--kernel-trace) で記録してください"},
      {"no trace has device activity: record with `nsys profile --trace=cuda,nvtx`",
       "どのトレースにもデバイスアクティビティがありません: `nsys profile --trace=cuda,nvtx` "
       "で記録してください"},
      {"no trace has device activity: record with torch_npu.profiler.ProfilerActivity.NPU in "
       "activities",
       "どのトレースにもデバイスアクティビティがありません: activities に "
       "torch_npu.profiler.ProfilerActivity.NPU を指定して記録してください"},
      {"the traces hold no steps to select from: no range is named as a step (use "
       "torch.cuda.nvtx.range(\"step N\")), so `steps` must be all",
       "トレースに選択できるステップがありません: ステップを名前とする範囲がないため "
       "(torch.cuda.nvtx.range(\"step N\") を使用)、`steps` は all のみ指定できます"},
      {"the traces hold no steps to select from: no step is marked (use "
       "tf.profiler.experimental.Trace with step_num), so `steps` must be all",
       "トレースに選択できるステップがありません: ステップが区切られていないため (step_num "
       "を指定した tf.profiler.experimental.Trace を使用)、`steps` は all のみ指定できます"},
      {"the traces hold no steps to select from: no step is marked (use "
       "jax.profiler.StepTraceAnnotation), so `steps` must be all",
       "トレースに選択できるステップがありません: ステップが区切られていないため "
       "(jax.profiler.StepTraceAnnotation を使用)、`steps` は all のみ指定できます"},
      {"the traces hold no steps to select from: no ProfilerStep#N annotations (call "
       "profiler.step() in the training loop), so `steps` must be all",
       "トレースに選択できるステップがありません: ProfilerStep#N アノテーションがないため "
       "(学習ループで profiler.step() を呼び出してください)、`steps` は all のみ指定できます"},
      {"no step is complete: recording stopped before the kernels of the last launches ran (steps "
       "in the traces: {1})",
       "完全なステップがありません: 最後に起動されたカーネルの実行前に記録が終了しました "
       "(トレースのステップ: {1})"},
      {"no step is complete: recording stopped before the kernels of the last launches ran (steps "
       "in the traces: {1}..{2})",
       "完全なステップがありません: 最後に起動されたカーネルの実行前に記録が終了しました "
       "(トレースのステップ: {1}..{2})"},
      {"no device activity was launched in '{1}' (steps in the traces: {2})",
       "'{1}' で起動されたデバイスアクティビティがありません (トレースのステップ: {2})"},
      {"no device activity was launched in '{1}' (steps in the traces: {2}..{3})",
       "'{1}' で起動されたデバイスアクティビティがありません (トレースのステップ: {2}..{3})"},
      {"no device activity was launched in '{1}..{2}' (steps in the traces: {3})",
       "'{1}..{2}' で起動されたデバイスアクティビティがありません (トレースのステップ: {3})"},
      {"no device activity was launched in '{1}..{2}' (steps in the traces: {3}..{4})",
       "'{1}..{2}' で起動されたデバイスアクティビティがありません (トレースのステップ: {3}..{4})"},
      {"rank {1} has no device activity in the selection",
       "ランク {1} は選択範囲にデバイスアクティビティがありません"},
      {"ranks {1}, {2} have no device activity in the selection",
       "ランク {1}、{2} の選択範囲にデバイスアクティビティがありません"},
      {"ranks {1}, {2}, {3} have no device activity in the selection",
       "ランク {1}、{2}、{3} の選択範囲にデバイスアクティビティがありません"},
      {"ranks {1}, {2}, {3}, {4} have no device activity in the selection",
       "ランク {1}、{2}、{3}、{4} の選択範囲にデバイスアクティビティがありません"},
      {"ranks {1}, {2}, {3}, {4}, {5} have no device activity in the selection",
       "ランク {1}、{2}、{3}、{4}、{5} の選択範囲にデバイスアクティビティがありません"},
      {"ranks {1}, {2}, {3}, {4}, {5}, {6} have no device activity in the selection",
       "ランク {1}、{2}、{3}、{4}、{5}、{6} の選択範囲にデバイスアクティビティがありません"},
      {"ranks {1}, {2}, {3}, {4}, {5}, {6}, {7} have no device activity in the selection",
       "ランク {1}、{2}、{3}、{4}、{5}、{6}、{7} の選択範囲にデバイスアクティビティがありません"},
      {"ranks {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8} have no device activity in the selection",
       "ランク {1}、{2}、{3}、{4}、{5}、{6}、{7}、{8} "
       "の選択範囲にデバイスアクティビティがありません"},
      {"ranks {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8} and {9} more have no device activity in the "
       "selection",
       "ランク {1}、{2}、{3}、{4}、{5}、{6}、{7}、{8} ほか {9} "
       "ランクの選択範囲にデバイスアクティビティがありません"},
      // Hints of which WithoutCompiling and WithoutGpuFlags leave ways out.
      {"find what the host does in these gaps: data loading (more workers, pinned memory), "
       "synchronization (.item(), .cpu(), printing tensors), or many small launches (CUDA graphs, "
       "a larger batch)",
       "このギャップの間にホストが何をしているかを確認してください: データ読み込み "
       "(ワーカーを増やす、ピン留めメモリ)、同期 (.item()、.cpu()、テンソルの print)、"
       "小さな起動の多発 (CUDA グラフ、バッチの拡大)"},
      {"find what the host does in these gaps: preparing the next batch, synchronization (.item(), "
       ".cpu(), sampled tokens), or many small launches (CUDA graphs, a larger batch)",
       "このギャップの間にホストが何をしているかを確認してください: 次のバッチの準備、同期 "
       "(.item()、.cpu()、サンプリングしたトークンの取得)、小さな起動の多発 (CUDA グラフ、"
       "バッチの拡大)"},
      {"run the repeated kernels as one: jit all of them; table repeats names them",
       "繰り返されるカーネルを 1 つにまとめてください: 全体を jit します。表 repeats "
       "に一覧があります"},
      {"launch more blocks: a larger batch", "より多くのブロックを起動してください: バッチの拡大"},
      {"fuse or capture them: CUDA graphs, fused optimizers (fused=True), a larger batch; table "
       "outliers names them",
       "融合するかキャプチャしてください: CUDA グラフ、融合オプティマイザー (fused=True)、"
       "バッチの拡大。表 outliers に一覧があります"},
      {"fuse or capture them: CUDA graphs for each batch size (no enforce_eager), a larger batch; "
       "table outliers names them",
       "融合するかキャプチャしてください: バッチサイズごとの CUDA グラフ (enforce_eager "
       "を使わない)、バッチの拡大。表 outliers に一覧があります"},
      {"fuse or capture them: CUDA graphs, a larger batch; table outliers names them",
       "融合するかキャプチャしてください: CUDA グラフ、バッチの拡大。表 outliers に一覧があります"},
      {"launch fewer and larger kernels: a CUDA graph of the step; see launch_stats",
       "より少なく大きなカーネルを起動してください: ステップの CUDA グラフ化。launch_stats を参照"},
  };
  return kTexts;
}

}  // namespace stepscope
