// Holds the Japanese of analyses a to g: what analyses share, allreduce_check and breakdown.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesAToG() {
  static constexpr Translated kTexts[] = {
      // Advice that several analyses share.
      {"start communication earlier, so that it overlaps with compute",
       "通信を早く始めて計算とオーバーラップさせてください"},
      {"smaller gradient buckets (bucket_cap_mb), ", "勾配バケットを小さくする (bucket_cap_mb)、"},
      {"FSDP prefetching (forward_prefetch, backward_prefetch), ",
       "FSDP のプリフェッチ (forward_prefetch、backward_prefetch)、"},
      {"prefetching of FSDP (set_modules_to_forward_prefetch, set_modules_to_backward_prefetch), ",
       "FSDP のプリフェッチ (set_modules_to_forward_prefetch、set_modules_to_backward_prefetch)、"},
      {"asynchronous collectives (async_op=True), or communicate less",
       "非同期の集合通信 (async_op=True)、または通信量の削減"},
      {"asynchronous collectives (async_op=True)", "非同期の集合通信 (async_op=True)"},
      {": smaller gradient packs (CommunicationOptions(bytes_per_pack=...))",
       ": 勾配のパックを小さくする (CommunicationOptions(bytes_per_pack=...))"},
      {", and use NCCL for collectives", "。集合通信には NCCL を使ってください"},
      {"communicate less, or behind compute: XLA's latency hiding scheduler "
       "(--xla_gpu_enable_latency_hiding_scheduler=true in XLA_FLAGS), or a sharding that sends "
       "less",
       "通信量を減らすか、計算の裏に隠してください: XLA の latency hiding scheduler (XLA_FLAGS の "
       "--xla_gpu_enable_latency_hiding_scheduler=true)、または送信量の少ないシャーディング"},
      {"communicate less, or behind compute: a sharding that sends less",
       "通信量を減らすか、計算の裏に隠してください: 送信量の少ないシャーディング"},
      {"communicate less per token: tensor parallelism over fewer devices, replicas instead of "
       "shards, or larger batches; for small messages, a custom all-reduce of the server",
       "トークンあたりの通信を減らしてください: "
       "テンソル並列のデバイス数を減らす、シャードの代わりにレプリカを使う、バッチを大きくする。小"
       "さなメッセージには推論サーバーのカスタム all-reduce を使います"},
      {"no device activity has its launch call in the trace: {record}, so that runtime calls are "
       "included",
       "どのデバイスアクティビティにも、対応する起動呼び出しがトレースにありません。ランタイム呼び"
       "出しも含めてください: {record}"},
      {"{function} waits for a lock while another thread of its process runs {worker}: hold the "
       "lock "
       "for less of that; see python",
       "{function} は、同じプロセスの別のスレッドが {worker} "
       "を実行している間、ロックを待っています。"
       "ロックを保持する時間を短くしてください。python を参照"},
      {"take {function} out of the step, or call it in every Nth step: {callback}",
       "{function} をステップの外に出すか、N ステップごとに呼び出してください。{callback}"},
      {"the step waits until Python has returned", "ステップは Python が戻るまで待ちます"},
      {"the step waits until Python (tf.py_function, tf.numpy_function) has returned",
       "ステップは Python (tf.py_function、tf.numpy_function) が戻るまで待ちます"},
      {"the step waits until Python (jax.pure_callback, io_callback, jax.debug.callback) has "
       "returned",
       "ステップは Python (jax.pure_callback、io_callback、jax.debug.callback) が戻るまで待ちます"},
      {"look at the shapes of its inputs: they may be larger",
       "入力の形状を確認してください (入力が大きくなっている可能性があります)"},
      {"make {function} faster, call it less often, or in another process; if it waits for a lock "
       "(py-spy dump), look at the thread that holds it; see python",
       "{function} を高速化する、呼び出しを減らす、または別のプロセスで実行してください。"
       "ロックを待っている場合 (py-spy dump) "
       "は、それを保持しているスレッドを調べてください。python を参照"},
      {"call the Python functions of these moments less often, or in another process; if they wait "
       "for a lock (py-spy dump), look at the thread that holds it; see python",
       "これらの時点の Python "
       "関数の呼び出しを減らすか、別のプロセスで実行してください。ロックを待って"
       "いる場合 (py-spy dump) は、それを保持しているスレッドを調べてください。python を参照"},
      {"find what Python does in these moments ({record}); see python",
       "これらの時点で Python が何をしているかを確認してください ({record})。python を参照"},
      {"both ranks", "両方のランク"},
      {"all {count} ranks", "全 {count} ランク"},
      {"the absent one", "トレースのないランク"},
      {"absent ones", "トレースのないランク"},
      {"has no trace", "のトレースがない"},
      {"have no trace", "のトレースがない"},
      {"was left out", "を除外した"},
      {"were left out", "を除外した"},
      {"was left out or has no trace", "を除外したかトレースがない"},
      {"were left out or have no trace", "を除外したかトレースがない"},
      {"record {ranks} too", "{ranks} も記録し"},
      {"ask about {ranks} too", "{ranks} も対象に含め"},
      {"ask about {ranks} too, or record what has no trace",
       "{ranks} も対象に含めるか、トレースのないものを記録し"},
      {"the one left out", "除外したランク"},
      {"those left out", "除外したランク"},
      {"ask about {ranks}: this may be waiting for {absent}; if it is not: {hint}",
       "{ranks}を対象に含めてください "
       "(--ranks)。これは{absent}の待ちかもしれません。そうでない場合: "
       "{hint}"},
      {"give the traces of {ranks}: this may be waiting for {absent}; if it is not: {hint}",
       "{ranks}のトレースを渡してください。これは{absent}の待ちかもしれません。そうでない場合: "
       "{hint}"},
      {"no FLOPs are known: no operator with recorded shapes is one whose FLOPs are counted",
       "FLOPs が分かりません: 形状が記録されたオペレーターに、FLOPs の計数対象がありません"},
      {"no FLOPs are known: ", "FLOPs が分かりません: "},
      {"FLOPs are known of whole compiled programs, not of what ran: see programs",
       "FLOPs "
       "が分かるのはコンパイル済みプログラム全体のみです。実行されたものごとには分かりません。"
       "programs を参照"},
      {"record with record_shapes=True", "record_shapes=True を指定して記録してください"},
      {"the profile has no cost analysis of the compiler (XLA)",
       "プロファイルにコンパイラー (XLA) のコスト解析がありません"},
      {"load ahead: more DataLoader workers (num_workers), a larger prefetch_factor, "
       "persistent_workers=True, pin_memory=True; reduce work per sample",
       "先読みしてください: DataLoader のワーカーを増やす (num_workers)、prefetch_factor "
       "を大きくする、persistent_workers=True、pin_memory="
       "True。サンプルあたりの処理も減らしてください"},
      {"load ahead: prefetch(tf.data.AUTOTUNE) last, num_parallel_calls, cache(); reduce work per "
       "sample; see input_pipeline for the slow stage",
       "先読みしてください: 最後に "
       "prefetch(tf.data.AUTOTUNE)、num_parallel_calls、cache()"
       "。サンプルあたりの処理も減らしてください。遅いステージは input_pipeline を参照"},
      {"load ahead: prefetch batches to the device in a separate thread, more loader workers; "
       "reduce work per sample",
       "先読みしてください: "
       "別スレッドでバッチをデバイスにプリフェッチする、ローダーのワーカーを増やす。サンプルあたり"
       "の処理も減らしてください"},
      {"prepare requests ahead: read, tokenize and batch them in other threads or processes than "
       "the one that launches",
       "リクエストを前もって準備してください: "
       "読み込み、トークン化、バッチ化を、起動を行うスレッドとは別のスレッドやプロセスで行います"},
      {"keep shapes constant or pad them to a few sizes (torch.compile with dynamic=True); keep "
       "compiled code between runs (TORCHINDUCTOR_CACHE_DIR)",
       "形状を固定するか、数種類のサイズにパディングしてください (torch.compile の "
       "dynamic=True)。コンパイル済みコードを実行間で再利用してください (TORCHINDUCTOR_CACHE_DIR)"},
      {"keep shapes constant or pad them to a few sizes; call the tf.function with tensors, not "
       "with Python numbers",
       "形状を固定するか、数種類のサイズにパディングしてください。tf.function は Python "
       "の数値ではなくテンソルで呼び出してください"},
      {"keep shapes constant or pad them to a few sizes; keep compiled code between runs "
       "(jax_compilation_cache_dir)",
       "形状を固定するか、数種類のサイズにパディングしてください。コンパイル済みコードを実行間で再"
       "利用してください (jax_compilation_cache_dir)"},
      {"capture it so: stepscope capture torch --stacks",
       "次のように取得してください: stepscope capture torch --stacks"},
      {"capture it so: stepscope capture torch --shapes",
       "次のように取得してください: stepscope capture torch --shapes"},
      {"stepscope capture torch --shapes records sizes: its inputs may be larger",
       "stepscope capture torch --shapes でサイズを記録してください: "
       "入力が大きくなっている可能性があります"},
      {"capture it so: stepscope capture grpc --python-level 1",
       "次のように取得してください: stepscope capture grpc --python-level 1"},
      {"capture it so: stepscope capture grpc --host-level 2",
       "次のように取得してください: stepscope capture grpc --host-level 2"},
      {"record with with_stack=True", "with_stack=True を指定して記録してください"},
      {"record with python_tracer_level=1", "python_tracer_level=1 を指定して記録してください"},
      {"record with python_tracer_level=1 (jax.profiler.ProfileOptions)",
       "python_tracer_level=1 (jax.profiler.ProfileOptions) を指定して記録してください"},
      {"record later steps: torch.profiler.schedule(wait=5, warmup=2, active=3)",
       "より後のステップを記録してください: torch.profiler.schedule(wait=5, warmup=2, active=3)"},
      {"record later steps, after the first ones have run",
       "最初の数ステップの実行後に、より後のステップを記録してください"},
      {"record with ProfilerActivity.CPU", "ProfilerActivity.CPU を指定して記録してください"},
      {"record with host_tracer_level=2", "host_tracer_level=2 を指定して記録してください"},
      {"record with PyTorch's profiler and profile_memory=True",
       "PyTorch のプロファイラーで profile_memory=True を指定して記録してください"},
      {"record with PyTorch's profiler and with_stack=True",
       "PyTorch のプロファイラーで with_stack=True を指定して記録してください"},
      {"record with PyTorch's profiler and record_shapes=True",
       "PyTorch のプロファイラーで record_shapes=True を指定して記録してください"},
      {"record with `rocprofv3 --sys-trace`, operators with torch.autograd.profiler.emit_nvtx()",
       "`rocprofv3 --sys-trace` で記録してください (オペレーターは "
       "torch.autograd.profiler.emit_nvtx())"},
      {"record with `nsys profile --trace=cuda,nvtx`, operators with "
       "torch.autograd.profiler.emit_nvtx()",
       "`nsys profile --trace=cuda,nvtx` で記録してください (オペレーターは "
       "torch.autograd.profiler.emit_nvtx())"},
      {"mark steps with torch.cuda.nvtx.range(\"step N\")",
       "torch.cuda.nvtx.range(\"step N\") でステップを区切ってください"},
      {"record with profile_memory=True", "profile_memory=True を指定して記録してください"},
      {"record with the BFC allocator", "BFC アロケーターを使って記録してください"},
      {"mark steps with profiler.step()", "profiler.step() でステップを区切ってください"},
      {"mark steps with tf.profiler.experimental.Trace",
       "tf.profiler.experimental.Trace でステップを区切ってください"},
      {"mark steps with jax.profiler.StepTraceAnnotation",
       "jax.profiler.StepTraceAnnotation でステップを区切ってください"},
      {"npu-smi info", "npu-smi info"},
      {"rocm-smi --showclocks --showtemp", "rocm-smi --showclocks --showtemp"},
      {"nvidia-smi -q -d CLOCK,TEMPERATURE,PERFORMANCE",
       "nvidia-smi -q -d CLOCK,TEMPERATURE,PERFORMANCE"},
      {"turbostat; other processes with top", "turbostat。他のプロセスは top"},
      // What sentences of several analyses share.
      {"device compute", "デバイスの計算"},
      {"device to device", "デバイス内コピー"},
      {"device collectives", "デバイスの集合通信"},
      {"host compute", "ホストの計算"},
      {"kernel launch", "カーネル起動"},
      {"input", "入力"},
      {"output", "出力"},
      {"compilation", "コンパイル"},
      {"one-time work", "初回のみの処理"},
      {"all others", "その他すべて"},
      {"compute", "計算"},
      {"collectives", "集合通信"},
      {"Python between operators", "オペレーター間の Python"},
      {"unrecorded time", "未記録の時間"},
      {"input wait", "入力待ち"},
      {"idle", "アイドル"},
      {"forward", "順伝播"},
      {"backward", "逆伝播"},
      {"optimizer", "オプティマイザー"},
      {"data loading", "データ読み込み"},
      {"other", "その他"},
      {"rank {rank}", "ランク {rank}"},
      {"ranks {first} to {last}", "ランク {first}〜{last}"},
      {"ranks {ranks} and {last}", "ランク {ranks}、{last}"},
      {"{count} ranks ({first} to {last})", "{count} ランク ({first}〜{last})"},
      {"device {device}", "デバイス {device}"},
      {"rank {rank} device {device}", "ランク {rank} デバイス {device}"},
      {" window {window}", " 区間 {window}"},
      {"rank", "ランク"},
      {"device", "デバイス"},
      {"{count} device", "{count} デバイス"},
      {"{count} kernel", "{count} 個のカーネル"},
      {"step {step}", "ステップ {step}"},
      {"step {1}", "ステップ {1}"},
      {"{share} of launches have no recorded kernel ({count} of {total})",
       "起動の {share} にカーネルの記録がありません ({total} 回中 {count} 回)"},
      {"the traces have neither device activity nor host operators",
       "トレースにデバイスアクティビティもホストのオペレーターもありません"},
      {"no communication kernel was recorded", "通信カーネルが記録されていません"},
      {"communication not recognized: the job has {count} ranks, and no kernel's name is known as "
       "communication",
       "通信を認識できません: ジョブは {count} "
       "ランクですが、通信として既知の名前のカーネルがありません"},
      {"communication not recognized: the job has at least {count} ranks, and no kernel's name is "
       "known as communication",
       "通信を認識できません: ジョブは少なくとも {count} "
       "ランクですが、通信として既知の名前のカーネルがありません"},
      {"; candidates, on a stream of their own: ", "。専用ストリーム上の候補: "},
      {"{kernel} ({time})", "{kernel} ({time})"},
      {" in {module}", " ({module} 内)"},
      {"{function} of {file}", "{file} の {function}"},
      {"in {function}", "{function} 内"},
      {", in {function}", " ({function} 内)"},
      {", mostly in {function}", " (大部分は {function} 内)"},
      {"called by {function}", "{function} から呼び出し"},
      {"{operator}, called by {function}", "{operator} ({function} から呼び出し)"},
      {" (all on {ranks})", " (すべて {ranks})"},
      {"; Python meanwhile: ", "。その間の Python: "},
      {"peak of a device in TFLOP/s, for every type; 0: peak of the chip named in the trace",
       "デバイスのピーク性能 (TFLOP/s、全データ型共通)。0: トレースに記載されたチップのピーク"},
      {"path", "経路"},
      {"name", "名前"},
      {"depth", "深さ"},
      {"calls", "呼び出し回数"},
      {"total", "合計"},
      {"self", "自己時間"},
      {"device time", "デバイス時間"},
      {"time", "時間"},
      {"count", "回数"},
      {"window", "区間"},
      {"kernel", "カーネル"},
      {"operator", "オペレーター"},
      {"% of span", "スパン比"},
      {"% of kernel time", "カーネル時間比"},
      {"bound by", "律速"},
      // allreduce_check.
      {"All-reduce check", "all-reduce の検証"},
      {"All-reduce", "all-reduce"},
      {"Measured versus expected time", "実測時間と期待時間の比較"},
      {"trainable parameters of the model; 0: derived from the messages of a step",
       "モデルの学習可能なパラメーター数。0: 1 ステップのメッセージから推定"},
      {"size of a gradient; 4 with mixed precision too, unless gradients are cast",
       "勾配 1 個のサイズ。混合精度でも、勾配をキャストしない限り 4"},
      {"bandwidth of the link between ranks, such as 25GB/s; 0: best observed",
       "ランク間リンクの帯域幅 (例: 25GB/s)。0: 観測された最良値"},
      {"all-reduces above this multiple of the expected time are slow",
       "期待時間のこの倍数を超える all-reduce を遅いとみなす"},
      {"messages smaller than this are candidates for merging",
       "これより小さいメッセージを統合の候補とみなす"},
      {"All-reduces per {noun}", "{noun}ごとの all-reduce"},
      {"All-reduces by kind", "種類別の all-reduce"},
      {"bytes", "バイト数"},
      {"measured", "実測"},
      {"exposed", "未隠蔽"},
      {"overlap, % of measured", "オーバーラップ (実測比)"},
      {"wait", "待ち"},
      {"transfer", "転送"},
      {"× expected", "期待値の倍数"},
      {"group", "グループ"},
      {"size", "サイズ"},
      {"phase", "フェーズ"},
      {"calls per step", "ステップあたりの呼び出し回数"},
      {"mean time", "平均時間"},
      {"mean wait", "平均待ち"},
      {"total exposed", "未隠蔽の合計"},
      {"merge small messages and overlap large ones with backward (table messages)",
       "小さなメッセージを統合し、大きなメッセージは逆伝播とオーバーラップさせてください (表 "
       "messages)"},
      {"merge small messages and overlap large ones with compute (table messages)",
       "小さなメッセージを統合し、大きなメッセージは計算とオーバーラップさせてください (表 "
       "messages)"},
      {"leave processors for the threads of the library: fewer threads that compute "
       "(OMP_NUM_THREADS)",
       "通信ライブラリのスレッドに CPU を空けてください: 計算スレッドを減らす (OMP_NUM_THREADS)"},
      {"compare the network with {test}, and check with NCCL_DEBUG=INFO that the library uses it",
       "{test} でネットワークの性能と比較し、ライブラリがそのネットワークを使っていることを "
       "NCCL_DEBUG=INFO で確認してください"},
      {"All-reduces take {ratio}× the expected time.",
       "all-reduce に期待時間の {ratio} 倍の時間がかかっています。"},
      {"{measured} per step{without} vs {expected} for {bytes} at {bandwidth}/s ({source})",
       "1 ステップあたり {measured}{without}。{bytes} を {bandwidth}/s ({source}) で送る期待値は "
       "{expected}"},
      {" without wait time", " (待ち時間を除く)"},
      {"given bandwidth", "指定された帯域幅"},
      {"best observed bandwidth", "観測された最良の帯域幅"},
      {"best observed bandwidths of groups alike", "同種のグループごとに観測された最良の帯域幅"},
      {"; waits for ranks without a trace are part of it",
       "。トレースのないランクの待ちを含みます"},
      {"send fewer, larger messages: one flat tensor for several small ones",
       "メッセージを少なく大きくしてください: 複数の小さなテンソルを 1 "
       "つの平坦なテンソルにまとめる"},
      {"pack gradients into fewer messages: bytes_per_pack of tf.distribute, "
       "HOROVOD_FUSION_THRESHOLD, or one flat tensor",
       "勾配をより少ないメッセージにまとめてください: tf.distribute の "
       "bytes_per_pack、HOROVOD_FUSION_THRESHOLD、または 1 つの平坦なテンソル"},
      {"pack gradients into fewer messages: a larger threshold of XLA's combiner "
       "(--xla_gpu_all_reduce_combine_threshold_bytes in XLA_FLAGS), or one flat array",
       "勾配をより少ないメッセージにまとめてください: XLA の combiner のしきい値を上げる "
       "(XLA_FLAGS の --xla_gpu_all_reduce_combine_threshold_bytes)、または 1 つの平坦な配列"},
      {"pack gradients into fewer messages: one flat array",
       "勾配をより少ないメッセージにまとめてください: 1 つの平坦な配列"},
      {"reduce small messages with less latency: a custom or one-shot all-reduce of the server, "
       "fused with the norm behind it, or tensor parallelism over fewer devices",
       "小さなメッセージの集約のレイテンシを下げてください: "
       "後続の正規化と融合した、推論サーバーのカスタムまたは one-shot の "
       "all-reduce、またはより少ないデバイスでのテンソル並列"},
      {"with gradient accumulation, reduce with the last micro-batch only (no_sync()); check for "
       "gradients that are reduced twice",
       "勾配累積では、最後のマイクロバッチでのみ集約してください "
       "(no_sync())。二重に集約される勾配がないか確認してください"},
      {"with gradient accumulation, reduce with the last micro-batch only; check for gradients "
       "that are reduced twice",
       "勾配累積では、最後のマイクロバッチでのみ集約してください。二重に集約される勾配がないか確認"
       "してください"},
      {"tensor parallelism reduces activations in each layer: parameters say nothing of them",
       "テンソル並列は各層でアクティベーションを集約するため、パラメーター数からは見積もれません"},
      {"check for values that are reduced twice", "二重に集約される値がないか確認してください"},
      {"{count} small all-reduces per step are exposed.",
       "1 ステップあたり {count} 回の小さな all-reduce が隠蔽されていません。"},
      {"exposed all-reduces of group {group} below {size} are {share} of span{without}",
       "グループ {group} の {size} 未満の隠蔽されていない all-reduce がスパンの {share}{without}"},
      {"{count} all-reduces per step are launched outside backward.",
       "1 ステップあたり {count} 回の all-reduce が逆伝播の外で起動されています。"},
      {"most in phase {phase}; exposed they are {share} of span",
       "最多のフェーズは{phase}。隠蔽されていない分はスパンの {share}"},
      {"reduce metrics and losses every N steps, and gradient norms in one message; SyncBatchNorm "
       "and tensor parallelism reduce in each layer",
       "指標と損失の集約は N ステップごとにし、勾配ノルムは 1 つのメッセージで集約してください。"
       "SyncBatchNorm とテンソル並列は各層で集約します"},
      {"A step reduces {ratio}× the bytes of its parameters.",
       "1 ステップで、パラメーターの {ratio} 倍のバイト数を集約しています。"},
      {"{bytes} per step vs {expected} for {parameters} parameters",
       "1 ステップあたり {bytes}、{parameters} パラメーターでの期待値は {expected}"},
      {"expected per step", "ステップあたりの期待時間"},
      {"expected with ring factor", "ring 係数込みの期待時間"},
      {"measured per step", "ステップあたりの実測時間"},
      {"exposed per step", "ステップあたりの未隠蔽"},
      {"parameters", "パラメーター数"},
      {"bandwidth", "帯域幅"},
      {"bandwidth source", "帯域幅の出典"},
      {"given", "指定値"},
      {"the best seen", "観測された最良値"},
      {"best bandwidth, ring factor", "ring 係数込みの最良の帯域幅"},
      {"All-reduces take {time} per step in {calls} calls, {exposed} exposed",
       "all-reduce は 1 ステップあたり {calls} 回で {time}、うち {exposed} が隠蔽されず"},
      {"expected {time} at {bandwidth}", "{bandwidth}での期待値は {time}"},
      {"the given bandwidth", "指定された帯域幅"},
      {"the best observed bandwidth", "観測された最良の帯域幅"},
      {"the best observed bandwidths of groups alike",
       "同種のグループごとに観測された最良の帯域幅"},
      {"all-reduces were left out: outside steps or in a truncated step",
       "all-reduce を除外しました: ステップの外、または途中で切れたステップの中"},
      {"all-reduces have no recorded size", "all-reduce にサイズの記録がありません"},
      {"all-reduces were left out: other ranks ran a different collective",
       "all-reduce を除外しました: 他のランクは別の集合通信を実行"},
      {"devices have no marked steps (the whole trace counts as one)",
       "デバイスに区切られたステップがありません (トレース全体を 1 ステップとみなします)"},
      {"there are no all-reduces in the selection", "選択範囲に all-reduce がありません"},
      {"no all-reduce is in a complete step", "完全なステップの中に all-reduce がありません"},
      // breakdown.
      {"Where a step goes", "ステップの時間の内訳"},
      {"Breakdown", "内訳"},
      {"Compute, waits, communication, host; by rank", "計算、待ち、通信、ホスト (ランク別)"},
      {"waiting for other ranks", "他ランクを待つ時間"},
      {"waiting for other devices", "他デバイスを待つ時間"},
      {"exposed communication", "隠蔽されていない通信"},
      {"Mean step, all ranks", "平均ステップ (全ランク)"},
      {"Mean step per rank", "ランクごとの平均ステップ"},
      {"without waiting", "待ちを除く時間"},
      {"part", "部分"},
      {"% of step time", "ステップ時間比"},
      {"before", "前"},
      {"since", "以降"},
      {"column of ranks", "ranks の列"},
      {"step time", "ステップ時間"},
      {"{part}: {time} of {total}", "{part}: {total} のうち {time}"},
      {"mean step time", "平均ステップ時間"},
      {"recorded", "記録"},
      {"mean step time before", "変化前の平均ステップ時間"},
      {"since step", "開始ステップ"},
      {"last step before", "変化前の最後のステップ"},
      {"framework", "フレームワーク"},
  };
  return kTexts;
}

}  // namespace stepscope
