// Holds the Japanese of analyses h to l: kernels, launches, layout.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesHToL3() {
  static constexpr Translated kTexts[] = {
      // Findings of kernel_breakdown.
      {"Exposed memcpy and memset are {share} of span.",
       "隠蔽されていない memcpy と memset がスパンの {share} を占めます。"},
      {"{time} per device with no other activity; most time, exposed or not: {kernels}",
       "他のアクティビティがない時間はデバイスあたり {time}。時間の長いもの (未隠蔽を問わず): "
       "{kernels}"},
      {"copy from pinned memory with non_blocking=True on a separate stream, and keep data on the "
       "device between steps",
       "ピン留めメモリから non_blocking=True で別のストリームにコピーし、ステップ間でデータをデ"
       "バイスに保持してください"},
      {"copy input ahead (tf.data.experimental.prefetch_to_device), and keep data on the device "
       "between steps",
       "入力を先にコピーし (tf.data.experimental.prefetch_to_device)、"
       "ステップ間でデータをデバイスに保持してください"},
      {"copy batches ahead (jax.device_put of the next one), donate buffers (donate_argnums), and "
       "keep data on the device between steps",
       "バッチを先にコピーし (次のバッチを jax.device_put)、バッファーを donate し "
       "(donate_argnums)、ステップ間でデータをデバイスに保持してください"},
      {"{kernels} ran; the costliest is {share} of kernel time.",
       "{kernels}が実行され、最も時間のかかったものがカーネル時間の {share} を占めています。"},
      {"{count} different kernel", "{count} 種類のカーネル"},
      // Findings of kernel_distribution.
      {"{count} kernels deviate; worst: ", "{count} 個のカーネルが乖離しています。最大: "},
      {"{kernel}{within} has mean {mean} on {who} vs median {median} of {count} {noun}s ({change})",
       "{kernel}{within} の平均は {who} で {mean}、{count} {noun}の中央値は {median} ({change})"},
      {"{ranks} run kernels slower than the other {noun}s.",
       "{ranks}のカーネルが他の{noun}より遅くなっています。"},
      {"{who} runs kernels slower than the other {noun}s.",
       "{who} のカーネルが他の{noun}より遅くなっています。"},
      {"check {device}: clocks and temperature ({command}), other processes, more work than other "
       "devices; see stragglers",
       "{device} を確認してください: クロックと温度 ({command})、他のプロセス、"
       "他のデバイスより処理量が多くないか。stragglers を参照"},
      {"check the device of {rank}: clocks and temperature ({command}), other processes, more "
       "work than other ranks; see stragglers",
       "{rank} のデバイスを確認してください: クロックと温度 ({command})、他のプロセス、"
       "他のランクより処理量が多くないか。stragglers を参照"},
      {"no kernel ran on more than one device", "複数のデバイスで実行されたカーネルがありません"},
      {"no kernel ran on more than one rank", "複数のランクで実行されたカーネルがありません"},
      {"{kernels} ran on several {noun}s; largest cost of spread: {kernel} ({fast} on {fastest}, "
       "{slow} on {slowest}).",
       "{kernels}が複数の{noun}で実行され、ばらつきのコストが最大なのは {kernel} です ({fastest} "
       "で {fast}、{slowest} で {slow})。"},
      // Findings of kernels.
      {"Matrix work without {units} is {share} of kernel time.",
       "{units} を使わない行列演算がカーネル時間の {share} を占めます。"},
      {"{time} per device; worst: {kernels}; {units} run {share} of kernel time",
       "デバイスあたり {time}。最大: {kernels}。{units} の使用はカーネル時間の {share}"},
      {"Kernels with occupancy below {occupancy} are {share} of kernel time.",
       "占有率が {occupancy} 未満のカーネルがカーネル時間の {share} を占めます。"},
      {"mean occupancy is {occupancy}; fewer blocks than multiprocessors in {share} of their "
       "time; worst: {kernels}",
       "平均占有率は {occupancy}。その時間の {share} はブロック数がマルチプロセッサー数より少な"
       "い。最大: {kernels}"},
      {"use smaller blocks, or fewer values per thread; registers or shared memory limit these "
       "kernels",
       "ブロックを小さくするか、スレッドあたりの値を減らしてください。"
       "これらのカーネルはレジスタか共有メモリに制限されています"},
      {"launch more blocks: a larger batch, or fuse kernels (torch.compile)",
       "より多くのブロックを起動してください: バッチの拡大、またはカーネルの融合 (torch.compile)"},
      {"launch more blocks: a larger batch, or fuse kernels (tf.function with jit_compile=True)",
       "より多くのブロックを起動してください: バッチの拡大、またはカーネルの融合 (tf.function の "
       "jit_compile=True)"},
      {"launch more blocks: a larger batch, or more of the step under one jit",
       "より多くのブロックを起動してください: バッチの拡大、または 1 つの jit に含める範囲の拡大"},
      {"run it in 16 bit: torch.autocast (mixed precision)",
       "16 ビットで実行してください: torch.autocast (混合精度)"},
      {"run it in 16 bit: keras.mixed_precision.set_global_policy(\"mixed_bfloat16\")",
       "16 ビットで実行してください: keras.mixed_precision.set_global_policy(\"mixed_bfloat16\")"},
      {"run it in 16 bit: jnp.bfloat16", "16 ビットで実行してください: jnp.bfloat16"},
      {"run it in 16 bit or less: load the weights in bf16 or fp16 (dtype), or quantized",
       "16 ビット以下で実行してください: 重みを bf16 か fp16(dtype)、または量子化して読み込みま"
       "す"},
      {"run it in 16 bit or less: save the model in bf16 or fp16, or quantized",
       "16 ビット以下で実行してください: モデルを bf16 か fp16、または量子化して保存します"},
      {"run it in 16 bit or less: parameters in jnp.bfloat16, or quantized",
       "16 ビット以下で実行してください: パラメーターを jnp.bfloat16 にするか、量子化します"},
      {"; from Ampere on, also allow TF32: torch.set_float32_matmul_precision(\"high\")",
       "。Ampere 以降では TF32 も許可してください: torch.set_float32_matmul_precision(\"high\")"},
      {"; from Ampere on, also allow TF32 "
       "(tf.config.experimental.enable_tensor_float_32_execution(True))",
       "。Ampere 以降では TF32 も許可してください "
       "(tf.config.experimental.enable_tensor_float_32_execution(True))"},
      {"; from Ampere on, also allow TF32 (jax_default_matmul_precision=\"tensorfloat32\")",
       "。Ampere 以降では TF32 も許可してください "
       "(jax_default_matmul_precision=\"tensorfloat32\")"},
      {"TPUs have no Tensor Cores; see hlo_operators and flops.",
       "TPU に Tensor Core はありません。hlo_operators と flops を参照してください。"},
      {"{share} of kernel time uses {units}, {eligible} is eligible",
       "カーネル時間の {share} が {units} を使用、{eligible} が使用可能"},
      {", {share} is unclassified", "、{share} は分類不能"},
      {"the traces have memcpy and memset, but no kernels",
       "トレースに memcpy と memset はありますが、カーネルがありません"},
      {"Tensor Cores", "Tensor Core"},
      {"matrix cores", "Matrix Core"},
      // Findings of kernel_sequences and kernel_groups.
      {"Gaps in {repeats} repeats of {length} kernels are {share} of the searched window.",
       "{length} カーネルのシーケンスの {repeats} 回の繰り返しの中のギャップが、調べた区間の "
       "{share} を占めています。"},
      {"{gaps} of gaps vs {activity} of activity on {device}; kernels with the most time: "
       "{kernels}",
       "{device} のギャップは {gaps}、アクティビティは {activity}。時間の長いカーネル: {kernels}"},
      {"A sequence of {length} kernels repeats {count} times in a step.",
       "{length} カーネルのシーケンスが 1 ステップに {count} 回繰り返されます。"},
      {"Operators launch {sequences} of kernels; none repeats within a step.",
       "オペレーターが起動するカーネルのシーケンスは {sequences}で、"
       "ステップ内で繰り返されるものはありません。"},
      {"{count} different sequence", "{count} 種類"},
      {"run the repeated kernels as one: torch.compile(mode=\"reduce-overhead\"), or capture them "
       "with torch.cuda.CUDAGraph; table repeats names them",
       "繰り返されるカーネルを 1 つにまとめてください: torch.compile(mode=\"reduce-overhead\")、"
       "または torch.cuda.CUDAGraph でのキャプチャ。表 repeats に一覧があります"},
      {"run the repeated kernels as one: tf.function with jit_compile=True, which fuses them; "
       "table repeats names them",
       "繰り返されるカーネルを 1 つにまとめてください: tf.function の jit_compile=True で融合し"
       "ます。表 repeats に一覧があります"},
      {"run the repeated kernels as one: jit all of them, or XLA command buffers "
       "(--xla_gpu_enable_command_buffer in XLA_FLAGS); table repeats names them",
       "繰り返されるカーネルを 1 つにまとめてください: 全体を jit するか、XLA "
       "のコマンドバッファー (XLA_FLAGS の --xla_gpu_enable_command_buffer) を使います。表 "
       "repeats に一覧があります"},
      {"set `groups` to a TOML file of patterns",
       "`groups` にパターンの TOML ファイルを指定してください"},
      {"No kernel matches any group.", "どのグループにも一致するカーネルがありません。"},
      {"Time of {groups}.", "{groups}の時間。"},
      {"{count} kernel group", "{count} 個のカーネルグループ"},
      // Findings of launch_stats.
      {"Kernels shorter than their launch call are {share} of single launches.",
       "起動呼び出しより短いカーネルが、単独の起動の {share} を占めます。"},
      {"{count} of {launches}; their calls take {time} longer per device than the kernels, and "
       "devices idle for {idle} of span; worst: {kernels}",
       "{launches} 回中 {count} 回。起動呼び出しはカーネルよりデバイスあたり {time} 長く、デバイ"
       "スはスパンの {idle} でアイドル。最大: {kernels}"},
      {"Median launch delay is {time}", "起動遅延の中央値は {time}"},
      {"; {share} of single launches are shorter than their launch call",
       "。単独の起動の {share} は起動呼び出しより短いカーネル"},
      {"fuse them: tf.function(jit_compile=True), a larger batch; table outliers names them",
       "融合してください: tf.function(jit_compile=True)、バッチの拡大。表 outliers に一覧があり"
       "ます"},
      {"fuse them: more of the step under one jit, a larger batch; table outliers names them",
       "融合してください: 1 つの jit に含める範囲の拡大、バッチの拡大。表 outliers に一覧があり"
       "ます"},
      {"fuse or capture them: torch.compile, CUDA graphs, fused optimizers (fused=True), a larger "
       "batch; table outliers names them",
       "融合するかキャプチャしてください: torch.compile、CUDA グラフ、融合オプティマイザー "
       "(fused=True)、バッチの拡大。表 outliers に一覧があります"},
      {"fuse or capture them: torch.compile, CUDA graphs for each batch size (no enforce_eager), "
       "a larger batch; table outliers names them",
       "融合するかキャプチャしてください: torch.compile、バッチサイズごとの CUDA グラフ "
       "(enforce_eager を使わない)、バッチの拡大。表 outliers に一覧があります"},
      {"fuse or capture them: torch.compile, CUDA graphs, a larger batch; table outliers names "
       "them",
       "融合するかキャプチャしてください: torch.compile、CUDA グラフ、バッチの拡大。表 outliers "
       "に一覧があります"},
      // Loops of small operators.
      {"Loops in Python over small operators take {share} of the trace{within}.",
       "小さなオペレーターを繰り返す Python ループ{within}がトレースの {share} を占めます。"},
      {"{operator} runs {count} times in {loops}, each time after the same few operators, {time} "
       "a call; the rest is those operators and Python between the calls",
       "{operator} が {loops}で {count} 回実行され、毎回同じ少数のオペレーターの後に続き、1 回あ"
       "たり {time}。残りはそれらのオペレーターと、呼び出しの間の Python"},
      {"{count} loop", "{count} 個のループ"},
      {"{operator} runs {count} times per step: {share} of step time.",
       "{operator} が 1 ステップに {count} 回実行され、ステップ時間の {share} を占めます。"},
      {"{time} per step, {each} a call; Python between the calls comes on top",
       "1 ステップあたり {time}、1 回あたり {each}。これに呼び出しの間の Python "
       "の時間が加わります"},
      {"replace the Python loop around it by one operation on whole tensors (.tolist() reads many "
       "values at once), or compile the loop with torch.compile",
       "Python ループをテンソル全体への 1 つの演算に置き換えるか (.tolist() "
       "は多数の値を一度に読みます)、ループを torch.compile でコンパイルしてください"},
      {"replace the Python loop around it by one operation on whole tensors, or compile the loop "
       "with tf.function",
       "Python ループをテンソル全体への 1 つの演算に置き換えるか、ループを tf.function でコンパ"
       "イルしてください"},
      {"replace the Python loop around it by one operation on whole arrays (vmap, lax.scan), or "
       "jit the loop",
       "Python ループを配列全体への 1 つの演算 (vmap、lax.scan) に置き換えるか、ループを jit "
       "してください"},
      {"update all parameters in one call: an optimizer of torch.optim with foreach=True or "
       "fused=True, or torch._foreach_* where the update is your own",
       "全パラメーターを 1 回の呼び出しで更新してください: torch.optim のオプティマイザーに "
       "foreach=True か fused=True を指定し、独自の更新なら torch._foreach_* を使います"},
      // Findings of layout.
      {"The pipeline's bubble is {share} of step; its schedule needs {ideal}.",
       "パイプラインのバブルがステップの {share} を占めます。スケジュール上の理想値は {ideal} で"
       "す。"},
      {"{stages} stages, {count} microbatches per step by their messages{slow}",
       "{stages} ステージ、メッセージ数から 1 ステップあたり {count} マイクロバッチ{slow}"},
      {"; stage {stage} ({ranks}) is busy for {busy} per step, the mean is {mean}",
       "。ステージ {stage} ({ranks}) の稼働は 1 ステップあたり {busy}、平均は {mean}"},
      {"make stages take equally long, and see stragglers for ranks that are late",
       "ステージの所要時間を揃え、遅れているランクは stragglers を確認してください"},
      {"Exposed communication is mostly of {kind} groups, which reach across hosts: {share} of "
       "span.",
       "隠蔽されていない通信の大半はホストをまたぐ {kind} グループによるもので、スパンの {share} "
       "を占め"
       "ます。"},
      {"Exposed communication is mostly of {kind} groups: {share} of span.",
       "隠蔽されていない通信の大半は {kind} グループによるもので、スパンの {share} を占めます。"},
      {"Pipeline stages are idle for {share} of step: {stages} stages and {count} microbatches "
       "need "
       "{ideal}.",
       "パイプラインの各ステージはステップの {share} の間、待機しています。{stages} ステージ、"
       "{count} マイクロバッチのスケジュールでは {ideal} が必要です。"},
      {"more microbatches per step ({count} need {ideal}), or more chunks of layers per stage: an "
       "interleaved schedule",
       "1 ステップあたりのマイクロバッチを増やすか ({count} 個なら {ideal})、ステージあたりの層の"
       "チャンクを増やしてください (インターリーブ型スケジュール)"},
      {"{time} of {all} exposed per device; {known}",
       "デバイスあたり、隠蔽されていない通信 {all} のうち {time}。グループの判定: {known}"},
      {"Experts are loaded unequally: {share} of span is lost until the slowest rank has computed.",
       "エキスパートの負荷が不均等です。最も遅いランクの計算が終わるまでに、スパンの {share} が"
       "失われています。"},
      {"between all-to-alls, ranks compute for {time} per step, the slowest of each for {slowest}",
       "all-to-all の間の計算は 1 ステップあたり平均 {time}、それぞれ最も遅いランクでは "
       "{slowest}"},
      {"balance the routing (auxiliary loss, capacity), or place busy experts on different ranks; "
       "see experts",
       "ルーティングを均等にするか (補助損失、容量)、"
       "負荷の高いエキスパートを別々のランクに配置してください。experts を参照"},
      {"number ranks so that each tp group is within one host",
       "各 tp グループが 1 つのホストに収まるようにランク番号を割り当ててください"},
      {"make tp groups smaller, or overlap them: sequence parallelism, asynchronous tensor "
       "parallelism",
       "tp グループを小さくするか、通信をオーバーラップさせてください: シーケンス並列、"
       "非同期テンソル並列"},
      {"more microbatches, or stages that take equally long: see stages",
       "マイクロバッチを増やすか、ステージの所要時間を揃えてください。stages を参照"},
      {"overlap gradients with the backward pass, and reduce them once per optimizer step",
       "勾配の通信を逆伝播とオーバーラップさせ、オプティマイザーのステップごとに 1 "
       "回だけ集約してください"},
      {"balance the experts: see experts; overlap all-to-alls with shared experts or another "
       "microbatch",
       "エキスパートの負荷を均等にしてください (experts を参照)。all-to-all "
       "を共有エキスパートや別のマイクロバッチとオーバーラップさせてください"},
      {"overlap the exchange of keys and values with attention",
       "キーとバリューの交換をアテンションとオーバーラップさせてください"},
      {"see groups for what each kind costs", "種類ごとのコストは groups を参照"},
      {"{ranks} ({recorded} recorded)", "{ranks} ({recorded} を記録)"},
      {"one group of all, for several uses", "全体で 1 つのグループを複数の用途に使用"},
      {"what process groups are for is not known", "プロセスグループの用途は不明"},
      {"{kinds} (not a grid: members are not known, or groups overlap)",
       "{kinds} (グリッドではない: メンバーが不明か、グループが重なる)"},
      {", {kind} {size} across these", "、これらにまたがる {kind} {size}"},
      {"{layout} (not a grid: {problem})", "{layout} (グリッドではない: {problem})"},
      {"; exposed communication: {kinds} of span", "。隠蔽されていない通信 (スパン比): {kinds}"},
      {"{ranks}: {layout}{exposed}.", "{ranks}: {layout}{exposed}。"},
      {"the ideal bubble is not known: {why}", "理想のバブルは不明です: {why}"},
      {"not all stages were recorded", "一部のステージが記録されていません"},
      {"the number of messages per step differs", "ステップごとのメッセージ数が異なります"},
      {"messages per step are no multiple of microbatches",
       "ステップあたりのメッセージ数がマイクロバッチ数の倍数ではありません"},
      {"no group has a known kind and known members",
       "種類とメンバーの両方が分かるグループがありません"},
      {"the sizes of known groups multiply to {1}, and the job has {2} ranks",
       "既知のグループのサイズの積は {1}、ジョブは {2} ランク"},
      {"the sizes of known groups multiply to {1}, and the job has {2} devices",
       "既知のグループのサイズの積は {1}、ジョブは {2} デバイス"},
      {"described as {name}", "{name} という記述"},
      {"all-to-all, in a job with {name}", "{name} を含むジョブの all-to-all"},
      {"kernels that dispatch tokens to experts", "トークンをエキスパートに割り振るカーネル"},
      {"no description, and no telling use", "記述がなく、使い方からも判定不能"},
      {"a chain of sends and receives", "送受信の連鎖"},
      {"sends and receives in no chain", "連鎖しない送受信"},
      {"members, with all-to-alls", "メンバー構成 (all-to-all あり)"},
      {"experts, sequences or embeddings", "エキスパート、シーケンス、埋め込みのいずれか"},
      {"members", "メンバー構成"},
      {"members, which also exchange", "メンバー構成 (交換もあり)"},
      {"DDP ran", "DDP を使用"},
      {"FSDP ran", "FSDP を使用"},
      {"one kind of group only", "グループが 1 種類のみ"},
      {"reductions at the end of steps", "ステップ末尾のリダクション"},
      {"FSDP ran; only these shard", "FSDP を使用 (シャーディングはこのグループのみ)"},
      {"neighbours reduce within layers", "隣接ランクが層の中でリダクション"},
      {"its use fits both", "使い方はどちらにも該当"},
      {"all ranks", "全ランク"},
      {"dp or tp", "dp または tp"},
      {"pp or cp", "pp または cp"},
      // hlo_operators.
      {"{ops} ran; the costliest is {op} ({time}).",
       "{ops}が実行され、最も時間のかかったのは {op} ({time}) です。"},
      {"{count} HLO op", "{count} 個の HLO op"},
      {"no activity in the traces names an HLO op",
       "HLO op の名前を持つアクティビティがトレースにありません"},
      {"HLO ops ran on the host, and this analysis has those of devices only: see operators",
       "HLO op はホストで実行されました。この分析の対象はデバイスのみです。operators を参照"},
  };
  return kTexts;
}

}  // namespace stepscope
