// Holds the Japanese of overview, phases and python.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesMToSh() {
  static constexpr Translated kTexts[] = {
      // Titles of analyses and their parameters.
      {"Step overview", "ステップの概要"},
      {"Step time", "ステップ時間"},
      {"Step time, breakdown, precision, utilization", "ステップ時間、内訳、精度、利用率"},
      {"Training phases", "学習フェーズ"},
      {"Phases", "フェーズ"},
      {"Device time by training phase", "学習フェーズ別のデバイス時間"},
      {"Python functions", "Python 関数"},
      {"Python", "Python"},
      {"Python functions by self time", "自己時間順の Python 関数"},
      // Categories of step time, and other words in cells.
      {"unrecorded", "未記録"},
      {"CPU exec", "CPU 実行"},
      {"data loader", "データローダー"},
      {"runtime", "ランタイム"},
      {"memset", "memset"},
      {"memcpy", "memcpy"},
      {"training", "学習"},
      {"inference", "推論"},
      // The first sentences of the overview.
      {"Step time is {time}", "ステップ時間は {time}"},
      {"Step time is {time} ({how})", "ステップ時間は {time} ({how})"},
      {"The steps found take {time} ({how}){coverage}",
       "見つかったステップは {time} ({how}){coverage}"},
      {" and cover {share} of the time from the first to the last",
       "、最初から最後までの時間の {share} だけを占めます"},
      {"mean of {steps}", "{steps}の平均"},
      {"means of {steps}", "{steps}の平均"},
      {"{steps} of {count} ranks", "{count} ランクの {steps}"},
      {"Step time is {before} before step {step} and {after} since ({how})",
       "ステップ時間はステップ {step} より前が {before}、以降は {after} ({how})"},
      {", {least} to {most}", "、{least}〜{most}"},
      {"{count} slow step", "遅い {count} ステップ"},
      {"; {steps} of {time} left out", "、{steps} ({time}) は除外"},
      {"; {steps} of up to {time} left out", "、{steps} (最大 {time}) は除外"},
      {"; first step of {time} left out: {reason}, {more} more",
       "、最初のステップ ({time}) は除外: {reason}、{more} 長い"},
      {"; first steps of up to {time} left out: {reason}, {more} more",
       "、各ランクの最初のステップ (最大 {time}) は除外: {reason}、{more} 長い"},
      {"warm-up", "ウォームアップ"},
      {"ran what was queued before the trace began", "トレース開始前にキューに入った処理を実行"},
      {"{share} {category}", "{category} {share}"},
      {"{step_time}: {parts}.", "{step_time}。内訳: {parts}。"},
      {"{step_time}; since then {parts}.", "{step_time}。それ以降の内訳: {parts}。"},
      {"No step is complete. Breakdown of the {time} recorded: {parts}.",
       "完全なステップがありません。記録された {time} の内訳: {parts}。"},
      {"No steps are marked. Breakdown of the {time} recorded: {parts}.",
       "ステップが区切られていません。記録された {time} の内訳: {parts}。"},
      {"{time} of {category}", "{category} {time}"},
      {" Before the first complete step: {times}.", "最初の完全なステップより前: {times}。"},
      {"The job is inference.", "このジョブは推論です。"},
      {"no selected step is complete", "選択されたステップに完全なものがありません"},
      {"the traces list no accelerator: operators are taken to compute on processors (an "
       "accelerator that the profiler does not list, such as MPS, is missed)",
       "トレースにアクセラレーターの記載がないため、オペレーターは CPU で計算しているとみなします"
       " (MPS など、プロファイラーが記載しないアクセラレーターは検出できません)"},
      {"no steps are marked: {how}, and record for longer than a step",
       "ステップが区切られていません: {how}。また、1 ステップより長く記録してください"},
      // Evaluation between steps.
      {"steps {steps} and {last}", "ステップ {steps}、{last}"},
      {"{1} steps", "{1} ステップ"},
      {"They run", "実行されるの"},
      {"It runs", "実行されるの"},
      {"{function} runs them", "{function} が実行するの"},
      {"{function} runs it", "{function} が実行するの"},
      {" {runs} after {steps}: {time} per step, which step time leaves out.",
       "{runs}は {steps} の後で、1 ステップあたり {time} に相当します "
       "(ステップ時間には含まれません)。"},
      {"{count} run", "{count} 回"},
      {"{time} in {runs}", "{runs}で {time}"},
      {"{runs}: {share} of the trace", "{runs} (トレースの {share})"},
      {"{calls} of {function}", "{function} の {calls}"},
      {" ({calls})", " ({calls})"},
      {"Evaluation after {steps} takes {share} of the trace{function}.",
       "{steps} の後の評価がトレースの {share} を占めています{function}。"},
      {"{runs}{calls}: forward passes without training; {time} per step, which step time leaves "
       "out",
       "{runs}{calls}: 学習を伴わない順伝播。1 ステップあたり {time} に相当します "
       "(ステップ時間には含まれません)"},
      {"if it is not meant to be: evaluate less often, on fewer batches, or in another job",
       "意図したものでなければ、評価の頻度を下げる、バッチを減らす、または別のジョブで行ってくださ"
       "い"},
      {" Forward passes without training (evaluation, generation) take {time}.",
       "学習を伴わない順伝播 (評価、生成) は {time} です。"},
      {" Evaluation between steps takes {time} ({calls}).",
       "ステップ間の評価は {time} です ({calls})。"},
      {"evaluation between steps", "ステップ間の評価"},
      {"evaluations", "評価の回数"},
      {"evaluation, % of the trace", "評価 (トレース比)"},
      {"evaluation, per step", "1 ステップあたりの評価"},
      {"function of evaluation", "評価の関数"},
      {", and {time} of evaluation per step between them",
       "、ステップ間の評価が 1 ステップあたり {time}"},
      {"steps before evaluation", "直後に評価が行われるステップ"},
      // The leading function, and other threads.
      {"{share} of step time is in {what}, {time} per step{rest}.",
       "ステップ時間の {share} を {what} が占めています (1 ステップあたり {time}{rest})。"},
      {"{share} of step time since step {step} is in {what}, {time} per step{rest}.",
       "ステップ {step} 以降、ステップ時間の {share} を {what} が占めています "
       "(1 ステップあたり {time}{rest})。"},
      {"{share} of the {time} recorded is in {what}{rest}.",
       "記録された {time} の {share} を占めるのは {what}{rest}。"},
      {", {time} of that in {within}", "、うち {time} は {within}"},
      {", mostly in {operator}", "、大半は {operator}"},
      {", mostly in operators", "、大半はオペレーター"},
      {"thread {1}", "スレッド {1}"},
      {"another thread", "別のスレッド"},
      {"{rise} Meanwhile {rank} is in {function}.",
       "{rise}その間、{rank} は {function} を実行しています。"},
      {"{rise} Meanwhile {ranks} are in {function}.",
       "{rise}その間、{ranks} は {function} を実行しています。"},
      {"Possible cause of slow steps: {thread} runs {function} for {share} of {whole}, which "
       "holds Python's lock.",
       "ステップが遅い原因の可能性: {thread} が{whole}の {share} にわたって {function} を実行し、"
       "Python のロック (GIL) を保持しています。"},
      {"Possible cause of slow steps on rank {rank}: {thread} runs {function} for {share} of "
       "{whole}, "
       "which holds Python's lock.",
       "ランク {rank} のステップが遅い原因の可能性: {thread} が{whole}の {share} にわたって "
       "{function} "
       "を実行し、Python のロック (GIL) を保持しています。"},
      {"the training thread goes on only {least} or more after {count} operators, {time} per step, "
       "as it does where it waits for that lock; {work}",
       "学習するスレッドは、{count} 個のオペレーターの後、{least} 以上たってから処理を続けています "
       "(1 ステップあたり {time})。このロックを待つ場合と同じです。{work}"},
      {"{time} per step of Python on another thread than the one that trains; only one thread "
       "runs Python at a time, and which one does is not recorded",
       "学習するスレッドとは別のスレッドで 1 ステップあたり {time} の Python が実行されています。"
       "Python を同時に実行できるのは 1 スレッドだけで、どのスレッドが実行しているかは記録されま"
       "せん"},
      {"run {function} in another process, or less often, and compare the step time",
       "{function} を別のプロセスで実行するか頻度を下げて、ステップ時間を比較してください"},
      {"step time since step {step}", "ステップ {step} 以降のステップ時間"},
      // Findings of the overview.
      {"One-time work (graph capture, context creation, module loading, tuning)",
       "初回のみの処理 (グラフのキャプチャ、コンテキスト作成、モジュールの読み込み、チューニング)"},
      {"Copying results to the host", "結果のホストへのコピー"},
      {"Compilation within steps", "ステップ内のコンパイル"},
      {"Compilation", "コンパイル"},
      {" of {program}", " ({program})"},
      {"Compilation{program}", "コンパイル{program}"},
      {"Compilation{program} within steps", "ステップ内のコンパイル{program}"},
      {"Compilation{program}{steps}", "{steps}のコンパイル{program}"},
      {"Unrecorded host activity", "記録されていないホストの処理"},
      {"the trace", "トレース"},
      {"{whole} on {ranks}", "{ranks} の{whole}"},
      {"Allocating and freeing device memory takes {share} of step time.",
       "デバイスメモリの確保と解放がステップ時間の {share} を占めています。"},
      {"{time} of {total} per step while no device works",
       "1 ステップ {total} のうち {time} (どのデバイスも動いていない間)"},
      {"; {count} calls of {name} per step", "。{name} の呼び出しは 1 ステップあたり {count} 回"},
      {"; {count} calls of {name} and {other_count} of {other} per step",
       "。1 ステップあたりの呼び出しは {name} が {count} 回、{other} が {other_count} 回"},
      {"let the allocator keep its memory: no torch.cuda.empty_cache() in the loop, constant "
       "shapes, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; where memory is full, a smaller "
       "batch",
       "アロケーターにメモリを保持させてください: ループ内で torch.cuda.empty_cache() を呼ばない、"
       "形状を一定にする、PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True。メモリが満杯なら"
       "バッチを小さくしてください"},
      {"let the allocator keep its memory: constant shapes, TF_GPU_ALLOCATOR=cuda_malloc_async; "
       "where memory is full, a smaller batch",
       "アロケーターにメモリを保持させてください: 形状を一定にする、"
       "TF_GPU_ALLOCATOR=cuda_malloc_async。メモリが満杯ならバッチを小さくしてください"},
      {"let the allocator keep its memory: XLA_PYTHON_CLIENT_PREALLOCATE=true, and not "
       "XLA_PYTHON_CLIENT_ALLOCATOR=platform; where memory is full, a smaller batch",
       "アロケーターにメモリを保持させてください: XLA_PYTHON_CLIENT_PREALLOCATE=true とし、"
       "XLA_PYTHON_CLIENT_ALLOCATOR=platform "
       "は使わない。メモリが満杯ならバッチを小さくしてください"},
      {"{what} is {share} of {whole}.", "{what}は{whole}の {share} を占めています。"},
      {"{what} is {share} of {whole}; no function stands out.",
       "{what}は{whole}の {share} を占めています。突出した関数はありません。"},
      {"{what} is {share} of {whole}; {more}.",
       "{what}は{whole}の {share} を占めています。{more}。"},
      {"{rank} spends more in {function}", "{rank} は {function} の時間が他より長くなっています"},
      {"save checkpoints less often, in the background (torch.distributed.checkpoint.async_save), "
       "or a share of each on every rank",
       "チェックポイントの保存回数を減らすか、バックグラウンドで保存 "
       "(torch.distributed.checkpoint.async_save) するか、全ランクで分担して保存してください"},
      {"save checkpoints less often, or in the background",
       "チェックポイントの保存回数を減らすか、バックグラウンドで保存してください"},
      {"save checkpoints less often, in the background (orbax.checkpoint.AsyncCheckpointer), or a "
       "share of each on every rank",
       "チェックポイントの保存回数を減らすか、バックグラウンドで保存 "
       "(orbax.checkpoint.AsyncCheckpointer) するか、全ランクで分担して保存してください"},
      {"; saving checkpoints takes {time} per step",
       "。チェックポイントの保存に 1 ステップあたり {time} かかっています"},
      {"{what} is {share} of the trace.", "{what}はトレースの {share} を占めています。"},
      {"Python between operators is {share} of {whole}; largest: {function}{when}.",
       "オペレーター間の Python は{whole}の {share} を占めています。最大: {function}{when}。"},
      {",{when}", "、{when}"},
      {"Nothing is recorded in {share} of {whole}; the longest stretch, {time}, is between "
       "{before} and {after}{missing}.",
       "{whole}の {share} では何も記録されていません。最長の区間 ({time}) は {before}と "
       "{after}の間です{missing}。"},
      {"Nothing is recorded in {share} of {whole}.",
       "{whole}の {share} では何も記録されていません。"},
      {"the start of the trace", "トレースの先頭"},
      {"the end of the trace", "トレースの末尾"},
      {"; Python was not recorded", "。Python は記録されていません"},
      {"; operators were not recorded", "。オペレーターは記録されていません"},
      {"; operators were not recorded, nor was Python",
       "。オペレーターも Python も記録されていません"},
      {"largest function between operators", "オペレーター間で最大の関数"},
      {"{function} runs {count} short operators per step{on}: {share} of step time.",
       "{on}{function} が 1 ステップあたり {count} 個の短いオペレーターを実行し、"
       "ステップ時間の {share} を占めます。"},
      {"{time} per step, {operators} of it in operators of {each} each{also}",
       "1 ステップあたり {time}、そのうち 1 回 {each} のオペレーターに {operators}{also}"},
      {"{share} of step time is in {operator}{function}{on_all}.",
       "ステップ時間の {share} が {operator} です{function}{on_all}。"},
      {"{time} per step, {each} a call", "1 ステップあたり {time}、1 回 {each}"},
      {"find out whether each step needs it: else take it out or call it less often; if so, give "
       "it "
       "less, or use what does less (topk instead of sort)",
       "毎ステップ必要かどうかを確認してください。不要なら取り除くか回数を減らし、"
       "必要なら入力を小さくするか、処理の軽いもの (sort の代わりに topk など) を使ってください"},
      {"; {time} more for them in the backward pass", "。backward パスでさらに {time}"},
      {"; what they take in the backward pass comes on top",
       "。これに backward パスでの時間が加わります"},
      {"replace its loop by operations on whole tensors, or compile it (torch.compile)",
       "ループをテンソル全体の演算に置き換えるか、コンパイルしてください (torch.compile)"},
      {"replace its loop by operations on whole tensors, or compile it (tf.function)",
       "ループをテンソル全体の演算に置き換えるか、コンパイルしてください (tf.function)"},
      {"replace its loop by operations on whole arrays (vmap, lax.scan), or jit it",
       "ループを配列全体の演算 (vmap、lax.scan) に置き換えるか、jit してください"},
      {", on all ranks", "、全ランク"},
      {" {function} waits for a file lock for {time} per step.",
       "{function} はファイルロックを 1 ステップあたり {time} 待っています。"},
      {"processes take turns at the file lock of {function}: hold it for less time, or give each "
       "process a file of its own; see python",
       "複数のプロセスが {function} のファイルロックを順番に使っています。"
       "保持時間を短くするか、プロセスごとにファイルを分けてください (python を参照)"},
      {"{function} takes {time} of {step} per step on all ranks, in Python within an operator.",
       "{function} が全ランクで 1 ステップ {step} のうち {time} を占めます "
       "(オペレーター内の Python)。"},
      {"{share} of step time, and hardly any of it in operators that it runs",
       "ステップ時間の {share}。その中で実行されるオペレーターの時間はほとんどありません"},
      {"compute it by operations on whole tensors instead of Python or NumPy, or run it less "
       "often; see python",
       "Python や NumPy の代わりにテンソル全体の演算で計算するか、実行回数を減らしてください "
       "(python を参照)"},
      {"Anomaly detection looks for NaN in all gradients: {time} of {step} per step.",
       "異常検出がすべての勾配で NaN を調べています: 1 ステップ {step} のうち {time}。"},
      {"{operator} runs {count} times per step behind functions of the backward pass; what "
       "anomaly detection keeps of the forward pass comes on top",
       "backward パスの関数の後に {operator} が 1 ステップあたり {count} 回実行されます。"
       "forward パスで記録する分がこれに加わります"},
      {"turn it off once the NaN is found: torch.autograd.set_detect_anomaly(False), or "
       "detect_anomaly=False of the trainer",
       "NaN の原因が分かったら無効にしてください: torch.autograd.set_detect_anomaly(False)、"
       "またはトレーナーの detect_anomaly=False"},
      {"{share} of step time is in operators on double, mostly {operator}{function}.",
       "double のオペレーターがステップ時間の {share} を占めます (主に {operator}){function}。"},
      {"{time} per step on double, {others} on narrower types",
       "1 ステップあたり double で {time}、より小さい型で {others}"},
      {"compute it in float, as the rest: find .double(), torch.float64 or arrays of NumPy "
       "(float64 unless told) in it, and convert them",
       "他と同じく float で計算してください: .double()、torch.float64、NumPy 配列 "
       "(指定しなければ float64) を探して変換します"},
      {"program compiled within steps", "ステップ内でコンパイルされたプログラム"},
      {"; its {calls} take longer and longer, from {first} to {last}",
       "。その {calls}は {first} から {last} へと次第に長くなっています"},
      {"{category}: {time} of {total} per step",
       "{category}: ステップあたり {total} のうち {time}"},
      {"{category}: {time} of {total}", "{category}: {total} のうち {time}"},
      {"{time} of {total}, before the first complete step or in one that is left out of step time",
       "{total} のうち {time} (最初の完全なステップより前、またはステップ時間から除外したステップ"
       "内)"},
      {"Compute in 16 bit or less is {share} of compute time.",
       "16 ビット以下の計算は計算時間の {share} です。"},
      {"{time} of compute per rank in 32 bit", "1 ランクあたり {time} の計算が 32 ビット"},
      {"No accelerator activity was recorded",
       "アクセラレーターのアクティビティが記録されていません"},
      {"{count} of {calls} launch calls have no activity with their correlation id",
       "{calls} 回の起動呼び出しのうち {count} 回に、同じ correlation id を持つアクティビティがあ"
       "りません"},
      {"Communication of the {count} ranks was not recognized",
       "{count} ランクの通信を認識できませんでした"},
      {"Communication of the {count} recorded ranks was not recognized",
       "記録された {count} ランクの通信を認識できませんでした"},
      {"; rank {rank} computes {share} longer than {others}",
       "。ランク {rank} の計算は{others}より {share} 長くなっています"},
      {"the others", "他のランク"},
      {"; kernels that run as often on all ranks take longer there, so the others may wait for it",
       "。全ランクで同じ回数実行されるカーネルがそのランクでは長くかかるため、他のランクが待って"
       "いる可能性があります"},
      {"read compute time with care: in every analysis, communication counts as compute{or}; "
       "record all ranks for at least one step",
       "計算時間の解釈に注意してください: どの分析でも、通信が計算{or}に含まれています。全ランク"
       "を少なくとも 1 ステップ記録してください"},
      {" or as Python between operators", "またはオペレーター間の Python"},
      {" or as time between operators", "またはオペレーター間の時間"},
      // Hints of the overview.
      {"compute in bf16 or fp16 (torch.autocast); matrix products run several times faster",
       "bf16 または fp16 で計算してください (torch.autocast)。行列積は数倍速くなります"},
      {"compute in bf16 or fp16 (Keras mixed precision); matrix products run several times faster",
       "bf16 または fp16 で計算してください (Keras の混合精度)。行列積は数倍速くなります"},
      {"compute in jnp.bfloat16; matrix products run several times faster",
       "jnp.bfloat16 で計算してください。行列積は数倍速くなります"},
      {"load the weights in bf16 or fp16, or quantized; matrix products run several times faster",
       "重みを bf16 か fp16、または量子化して読み込んでください。行列積は数倍速くなります"},
      {"launch fewer and larger kernels: torch.compile, or a CUDA graph of the step; see "
       "launch_stats",
       "より少なく大きなカーネルを起動してください: torch.compile、またはステップの CUDA グラフ"
       "化。launch_stats を参照"},
      {"launch fewer and larger kernels: compile the step (tf.function with jit_compile=True), or "
       "give the GPU its own launch thread (TF_GPU_THREAD_MODE=gpu_private); see launch_stats",
       "より少なく大きなカーネルを起動してください: ステップをコンパイルする (tf.function の "
       "jit_compile=True)、または GPU 専用の起動スレッドを使う (TF_GPU_THREAD_MODE=gpu_private)。"
       "launch_stats を参照"},
      {"launch fewer and larger kernels: jit the whole step; see launch_stats",
       "より少なく大きなカーネルを起動してください: ステップ全体を jit する。launch_stats を参照"},
      {"copy results less often and asynchronously: log every N steps, no .item() in the loop",
       "結果のコピーは頻度を下げ、非同期にしてください: ログは N ステップごとにし、ループ内で "
       ".item() を使わない"},
      {"copy results less often: log every N steps, no .numpy() in the loop",
       "結果のコピーの頻度を下げてください: ログは N ステップごとにし、ループ内で .numpy() を使わ"
       "ない"},
      {"copy results less often: log every N steps, no float() or np.asarray() in the loop",
       "結果のコピーの頻度を下げてください: ログは N ステップごとにし、ループ内で float() や "
       "np.asarray() を使わない"},
      {"record with `rocprofv3 --sys-trace`, one profiler at a time",
       "`rocprofv3 --sys-trace` で記録し、同時に使うプロファイラーは 1 つにしてください"},
      {"record with `nsys profile --trace=cuda,nvtx`, one profiler at a time",
       "`nsys profile --trace=cuda,nvtx` で記録し、同時に使うプロファイラーは 1 "
       "つにしてください"},
      {"record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], one profiler at a "
       "time; another tool that uses CUPTI (DCGM profiling, Nsight) takes the device's records",
       "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] を指定し、同時に使うプロファイ"
       "ラーは 1 つにして記録してください。CUPTI を使う他のツール (DCGM のプロファイリング、"
       "Nsight) があると、デバイスの記録がそちらに取られます"},
      {"record with device_tracer_level=1, one profiler at a time; another tool that uses CUPTI "
       "(DCGM profiling, Nsight) takes the device's records",
       "device_tracer_level=1 を指定し、同時に使うプロファイラーは 1 つにして記録してください。"
       "CUPTI を使う他のツール (DCGM のプロファイリング、Nsight) があると、デバイスの記録がそちら"
       "に取られます"},
      // Metrics and tables of the overview.
      {"median step time", "ステップ時間の中央値"},
      {"step time, std dev", "ステップ時間の標準偏差"},
      {"steps of all ranks", "全ランクのステップ数"},
      {"{category}, % of step time", "{category} (ステップ時間比)"},
      {"host operators, % of operators", "ホストのオペレーター (全オペレーター比)"},
      {"device operators, % of operators", "デバイスのオペレーター (全オペレーター比)"},
      {"eager operators, % of host time", "eager のオペレーター (ホスト時間比)"},
      {"bandwidth of counted operators, % of peak", "集計対象オペレーターの帯域幅 (ピーク比)"},
      {"purpose of job", "ジョブの目的"},
      {"active devices", "動作中のデバイス数"},
      {"8 bit, % of compute", "8 ビット (計算比)"},
      {"16 bit, % of compute", "16 ビット (計算比)"},
      {"32 bit, % of compute", "32 ビット (計算比)"},
      {"unknown precision, % of compute", "精度不明 (計算比)"},
      {"Step time breakdown, mean of all steps", "ステップ時間の内訳 (全ステップの平均)"},
      {"mean step time, all steps", "全ステップの平均ステップ時間"},
      {"Breakdown of the trace", "トレースの内訳"},
      {"column of steps", "steps の列"},
      {"Steps", "ステップ"},
      {"typical", "典型値"},
      {"Step time by role", "役割別のステップ時間"},
      {"role", "役割"},
      {"Devices", "デバイス"},
      {"utilization, % of time", "利用率 (時間比)"},
      {"SM efficiency", "SM 効率"},
      {"Operators by device time", "デバイス時間順のオペレーター"},
      {"cumulative %", "累積割合"},
      {"Kernel launches per rank", "ランクごとのカーネル起動"},
      {"launches", "起動回数"},
      {"without a recorded kernel", "カーネルの記録なし"},
      {"captured in a graph", "グラフにキャプチャ"},
      // Training phases.
      {"device busy", "デバイスの稼働時間"},
      {"sum of durations", "所要時間の合計"},
      {"Phases per {noun}", "{noun}ごとのフェーズ"},
      {"Phases per step", "ステップごとのフェーズ"},
      {"{share} {phase}", "{phase} {share}"},
      {"Device busy time: {parts}.", "デバイスの稼働時間: {parts}。"},
      {"Data loading may cause idle time of up to {share} of span.",
       "データ読み込みが、スパンの最大 {share} のアイドル時間を招いている可能性があります。"},
      {"data loading takes {time} per device on the training thread; devices idle for {idle}",
       "学習スレッドのデータ読み込みは 1 デバイスあたり {time}、デバイスのアイドルは {idle}"},
      {"the traces have no operators or annotations: {how}",
       "トレースにオペレーターもアノテーションもありません: {how}"},
      // Python functions.
      {"function", "関数"},
      {"file", "ファイル"},
      {"last file", "最後のファイル"},
      {"line", "行"},
      {"self, % of step time", "自己時間 (ステップ時間比)"},
      {"self while idle", "アイドル中の自己時間"},
      {"training thread", "学習スレッド"},
      {"Python functions, training thread", "学習スレッドの Python 関数"},
      {"Python functions per thread", "スレッドごとの Python 関数"},
      {"Python functions by caller", "呼び出し元別の Python 関数"},
      {"calls of Python functions", "Python 関数の呼び出し回数"},
      {"Python while idle, % of step time", "アイドル中の Python (ステップ時間比)"},
      {"{function} ({time})", "{function} ({time})"},
      {"{function} ({time}, {share} of step time)", "{function} ({time}、ステップ時間の {share})"},
      {"Most Python time: {most}.", "Python の時間が最も長い関数: {most}。"},
      {"Most Python time: {most}; while devices are idle: {most_idle}.",
       "Python の時間が最も長い関数: {most}。デバイスのアイドル中では: {most_idle}。"},
      {"the traces have no Python functions: {how}", "トレースに Python 関数がありません: {how}"},
      {"no Python function ran in the selected steps",
       "選択されたステップでは Python 関数が実行されていません"},
  };
  return kTexts;
}

}  // namespace stepscope
