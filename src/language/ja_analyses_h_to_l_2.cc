// Holds the Japanese of analyses h to l: idle_time, input_pipeline, imbalance, late ranks.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesHToL2() {
  static constexpr Translated kTexts[] = {
      // Findings of idle_time.
      {"Host-bound idle time is {share} of span.",
       "ホスト律速のアイドル時間がスパンの {share} を占めます。"},
      {"Host-bound idle time is {share} of span; the profiler, which slows the host, may be the "
       "cause.",
       "ホスト律速のアイドル時間がスパンの {share} を占めます。ホストを遅くするプロファイラー自体が"
       "原因かもしれません。"},
      {"time steps without the profiler: if they take {share} of the time here, devices are the "
       "limit; else {hint}",
       "プロファイラーなしでステップ時間を測ってください。ここでの時間の {share} 程度なら、律速はデ"
       "バイスです。そうでなければ: {hint}"},
      {"{time} per device in gaps before late kernel launches; worst: {device}, stream {stream} "
       "({most})",
       "遅れたカーネル起動の前のギャップがデバイスあたり {time}。最大: {device}、ストリーム "
       "{stream} ({most})"},
      {"Main streams have no gaps.", "メインストリームにギャップはありません。"},
      {" ({share} one-time work)", " (うち初回のみの処理 {share})"},
      {"Main streams are idle for {share} of span; {host} of that is host wait{once}, {kernel} "
       "kernel wait, {other} other. Devices are idle for {idle} of span.",
       "メインストリームはスパンの {share} でアイドルです。内訳はホスト待ち {host}{once}、カーネ"
       "ル待ち {kernel}、その他 {other} です。デバイスはスパンの {idle} でアイドルです。"},
      {"the job has no accelerator, so stream idle time is undefined",
       "ジョブがアクセラレーターを使っていないため、ストリームのアイドル時間は定義されません"},
      {"find what the host does in these gaps: data loading (more workers, pinned memory), "
       "synchronization (.item(), .cpu(), printing tensors), or many small launches "
       "(torch.compile, CUDA graphs, a larger batch)",
       "このギャップの間にホストが何をしているかを確認してください: データ読み込み "
       "(ワーカーを増やす、ピン留めメモリ)、同期 (.item()、.cpu()、テンソルの print)、"
       "小さな起動の多発 (torch.compile、CUDA グラフ、バッチの拡大)"},
      {"find what the host does in these gaps: input (prefetch, num_parallel_calls), "
       "synchronization (.numpy(), printing tensors), or many small launches (jit_compile=True, a "
       "larger batch)",
       "このギャップの間にホストが何をしているかを確認してください: 入力 (prefetch、"
       "num_parallel_calls)、同期 (.numpy()、テンソルの print)、小さな起動の多発 "
       "(jit_compile=True、バッチの拡大)"},
      {"find what the host does in these gaps: input (prefetch to the device), synchronization "
       "(float(), np.asarray(), block_until_ready), or many small programs (jit the whole step)",
       "このギャップの間にホストが何をしているかを確認してください: 入力 (デバイスへの "
       "prefetch)、同期 (float()、np.asarray()、block_until_ready)、小さなプログラムの多発 "
       "(ステップ全体を jit)"},
      {"find what the host does in these gaps: preparing the next batch, synchronization "
       "(.item(), .cpu(), sampled tokens), or many small launches (torch.compile, CUDA graphs, a "
       "larger batch)",
       "このギャップの間にホストが何をしているかを確認してください: 次のバッチの準備、同期 "
       "(.item()、.cpu()、サンプリングしたトークンの取得)、小さな起動の多発 (torch.compile、CUDA "
       "グラフ、バッチの拡大)"},
      {"The host waits for idle devices for {share} of span.",
       "ホストがスパンの {share} で、アイドル状態のデバイスを待っています。"},
      {"worst: rank {rank}, {call} ({time} in {calls}); no activity is recorded on the device",
       "最大: ランク {rank}、{call} ({calls}で {time})。その間、"
       "デバイスアクティビティは記録されていません"},
      {"check whether the wait recurs in later steps; launches before the trace began are not in "
       "it (use schedule(wait=1, warmup=1, active=3)). If it recurs, remove the synchronization "
       "(.item(), .cpu(), .to(device) of pageable memory: use pin_memory and non_blocking=True)",
       "後のステップでもこの待ちが起きるかを確認してください。"
       "トレース開始前の起動は記録に含まれません (schedule(wait=1, warmup=1, active=3) を使用)。"
       "繰り返し起きる場合は同期を取り除いてください (.item()、.cpu()、ページング可能メモリの "
       ".to(device): pin_memory と non_blocking=True を使用)"},
      {"check whether the wait recurs in later steps; launches before the trace began are not in "
       "it. If it recurs, remove the synchronization (.numpy(), printing tensors)",
       "後のステップでもこの待ちが起きるかを確認してください。"
       "トレース開始前の起動は記録に含まれません。繰り返し起きる場合は同期 (.numpy()、テンソルの "
       "print) を取り除いてください"},
      {"check whether the wait recurs in later steps; launches before the trace began are not in "
       "it. If it recurs, remove the synchronization (float(), np.asarray(), block_until_ready)",
       "後のステップでもこの待ちが起きるかを確認してください。"
       "トレース開始前の起動は記録に含まれません。繰り返し起きる場合は同期 (float()、"
       "np.asarray()、block_until_ready) を取り除いてください"},
      // Findings of input_pipeline.
      {"{what} is {share} of step time on {ranks}{mostly}{rise}.",
       "{ranks} で{what}がステップ時間の {share} を占めます{mostly}{rise}。"},
      {"{what} is {share} of step time{mostly}{rise}.",
       "{what}がステップ時間の {share} を占めます{mostly}{rise}。"},
      {", {before} per step before step {first} and {after} since",
       " (ステップ {first} より前は 1 ステップあたり {before}、以降は {after})"},
      {"Input wait", "入力待ち"},
      {"Copying to the device", "デバイスへのコピー"},
      {"{time} per step waiting for the next batch or copying it",
       "次のバッチの待ちまたはコピーが 1 ステップあたり {time}"},
      {", though the loader workers keep up", " (ローダーのワーカーは追いついています)"},
      {"{time} per step receiving the next batch, {wait} of it waiting for a worker",
       "次のバッチの受け取りが 1 ステップあたり {time}、そのうちワーカー待ちは {wait}"},
      {"receive less per batch: fewer and larger tensors, made in the worker (collate_fn), of a "
       "smaller type; or receive the next batch in a thread while this step runs",
       "バッチごとの受け取りを減らしてください: ワーカー側 (collate_fn) "
       "でテンソルを少数の大きなものにまとめ、小さい型を使います。"
       "または、このステップの実行中に次のバッチを別スレッドで受け取ってください"},
      {"; cause: stage {stage} ({time} in {calls}, max {longest})",
       "。原因: ステージ {stage} ({calls}で {time}、最大 {longest})"},
      {"; stage {stage} ({time} in {calls}, max {longest})",
       "。ステージ {stage} ({calls}で {time}、最大 {longest})"},
      {"{calls} on rank {rank}", "ランク {rank} の{calls}"},
      {"it runs for {time} per step of that time in {thread}",
       "その間、{thread} が 1 ステップあたり {time} これを実行しています"},
      {"make that function faster, or run it in more threads or processes (DataLoader with "
       "num_workers)",
       "その関数を高速化するか、より多くのスレッドやプロセスで実行してください (DataLoader の "
       "num_workers)"},
      {"{share} is unrecorded and may contain reading or Python",
       "{share} は記録がなく、読み込みや Python を含む可能性があります"},
      {"{share} is Python between operators and may contain reading",
       "{share} はオペレーター間の Python で、読み込みを含む可能性があります"},
      {"{share} is Python between operators and may contain reading: most of it is in {function}",
       "{share} はオペレーター間の Python で、読み込みを含む可能性があります (大半は {function})"},
      {"The job is {classification}: input wait is {share} of step time",
       "ジョブの判定: {classification}。入力待ちはステップ時間の {share}"},
      {"No steps are marked, so it is unknown whether the job is input-bound; input is {share} of "
       "the trace",
       "ステップが区切られていないため、入力律速かどうかは不明です。入力はトレースの {share} です"},
      {", mostly stage {stage}", "、主にステージ {stage}"},
      {"It is unknown whether the job is input-bound.", "ジョブが入力律速かどうかは不明です。"},
      {"unknown", "不明"},
      {"input-bound", "入力律速"},
      {"moderately input-bound", "やや入力律速"},
      {"not input-bound", "入力律速ではない"},
      {"process elements in parallel: map(..., num_parallel_calls=tf.data.AUTOTUNE), preprocess "
       "before training, or batch first and vectorize; tf.py_function and tf.numpy_function hold "
       "Python's lock and do not run in parallel",
       "要素を並列に処理してください: map(..., num_parallel_calls=tf.data.AUTOTUNE)。"
       "または学習前に前処理するか、先にバッチ化してベクトル化してください。tf.py_function と "
       "tf.numpy_function は Python のロック (GIL) を保持するため並列に動作しません"},
      {"raise num_parallel_calls if cores are free, make the function cheaper, or preprocess "
       "before training",
       "コアに空きがあれば num_parallel_calls を増やすか、関数を軽くするか、学習前に前処理してく"
       "ださい"},
      {"read several files in parallel: interleave(..., num_parallel_calls=tf.data.AUTOTUNE)",
       "複数のファイルを並列に読み込んでください: interleave(..., "
       "num_parallel_calls=tf.data.AUTOTUNE)"},
      {"filter before training, or before expensive stages",
       "学習前、または重いステージの前でフィルターしてください"},
      {"batch in parallel: batch(..., num_parallel_calls=tf.data.AUTOTUNE)",
       "並列にバッチ化してください: batch(..., num_parallel_calls=tf.data.AUTOTUNE)"},
      {"shuffle file names instead of elements, or use a smaller buffer",
       "要素の代わりにファイル名をシャッフルするか、バッファーを小さくしてください"},
      {"speed up the stages before it; their throughput empties the buffer",
       "前段のステージを高速化してください。スループットが足りず、バッファーが空になっています"},
      {"read several files in parallel and ahead: interleave, prefetch, a larger buffer_size",
       "複数のファイルを並列に先読みしてください: interleave、prefetch、buffer_size の拡大"},
      {"move Python generator code into tf.data operations, or write its output to files",
       "Python ジェネレーターの処理を tf.data の操作に移すか、出力をファイルに書き出してください"},
      {"combine small input chunks into fewer, larger ones",
       "小さな入力チャンクを、より少なく大きなチャンクにまとめてください"},
      {"raise num_parallel_calls of the dataset's map, or preprocess before training",
       "データセットの map の num_parallel_calls を増やすか、学習前に前処理してください"},
      {"tune the prefetch buffer size, cycle_length of interleave, and the reader's buffer_size",
       "prefetch のバッファーサイズ、interleave の cycle_length、リーダーの buffer_size "
       "を調整してください"},
      {"read ahead: prefetch, interleave, a larger reader buffer",
       "先読みしてください: prefetch、interleave、リーダーのバッファー拡大"},
      {"use more workers (num_workers), a larger prefetch_factor, persistent_workers=True, and "
       "less work per sample in the dataset",
       "ワーカー (num_workers) と prefetch_factor を増やし、persistent_workers=True を使い、"
       "データセットのサンプルあたりの処理を減らしてください"},
      {"move this part of the pipeline into tf.data or into a DataLoader with workers",
       "パイプラインのこの部分を tf.data か、ワーカー付きの DataLoader に移してください"},
      {"load in worker processes (num_workers > 0) and use pin_memory=True; the training process "
       "loads the data itself",
       "ワーカープロセスで読み込み (num_workers > 0)、pin_memory=True を使ってください。"
       "現在は学習プロセス自身がデータを読み込んでいます"},
      // Findings of imbalance.
      {"Compute imbalance is {share} of the longest compute.",
       "計算の不均衡が、最長の計算時間の {share} に達しています。"},
      {"Compute imbalance is {share} of the longest compute: {ranks} compute longest.",
       "計算の不均衡が、最長の計算時間の {share} に達しています: 最も長いのは{ranks}です。"},
      {"{less}; {ranks} are nearer to it than to the mean in nearly all steps",
       "{less}。{ranks}はほぼすべてのステップで平均よりも最長に近くなっています"},
      {"check whether {ranks} are slower or have more work; see kernel_distribution",
       "{ranks}が遅いのか、処理量が多いのかを確認してください。kernel_distribution を参照"},
      {"over {steps}, {noun}s compute {time} less than the slowest on average",
       "{steps}の合計で、{noun}の計算時間は平均して最も遅い{noun}より {time} 短くなっています"},
      {"{less}; worst: {who} (slowest in {slowest})", "{less}。最大: {who} ({slowest}で最も遅い)"},
      {"{less}; no {noun} stands out", "{less}。突出した{noun}はありません"},
      {"check whether {who} is slower or has more work; see kernel_distribution",
       "{who} が遅いのか、処理量が多いのかを確認してください。kernel_distribution を参照"},
      {"balance the data: pack or sort sequences by length, so that all ranks get equal work in "
       "each step",
       "データを均等にしてください: シーケンスを長さでパックまたはソートし、各ステップで全ランク"
       "の処理量を揃えます"},
      {"Over {steps}, {noun}s compute {share} less than the slowest {noun}, on average.",
       "{steps}の平均で、{noun}の計算は最も遅い{noun}より {share} 短くなっています。"},
      {"only one rank has device activity", "デバイスアクティビティがあるランクが 1 つだけです"},
      {"no steps are marked: {advice}", "ステップが区切られていません: {advice}"},
      {"fewer than two devices compute", "計算しているデバイスが 2 台未満です"},
      {"no step has activities on two ranks",
       "2 つのランクにアクティビティがあるステップがありません"},
      // Why ranks are late.
      {"slower operators", "オペレーターが遅い"},
      {"more operators", "オペレーターが多い"},
      {"larger inputs", "入力が大きい"},
      {"time between operators", "オペレーター間の時間"},
      {"slower copies", "コピーが遅い"},
      {"slower link", "リンクが遅い"},
      {"late start", "開始が遅い"},
      {"slower compute kernels", "計算カーネルが遅い"},
      {"more compute kernels", "計算カーネルが多い"},
      {"host-bound launch", "ホスト律速の起動"},
      {"unknown cause", "原因不明"},
      {"Others wait for {rank}{since}, though steps take no longer: {reason}, {share} of span.",
       "{since}他のランクが{rank}を待っていますが、ステップは長くなっていません: {reason}、"
       "全体の {share}。"},
      {"Others wait for {rank}: {reason}, {share} of span.",
       "他のランクが{rank}を待っています: {reason}、全体の {share}。"},
      {"all that it runs takes longer", "実行するすべての処理が遅い"},
      {"slower operators or larger inputs", "オペレーターが遅いか入力が大きい"},
      {"{cause} ({place})", "{cause} ({place})"},
      {"{cause} ({place}), for which others wait in the next step",
       "{cause} ({place})。他のランクは次のステップで待ちます"},
      {"{cause}, for which others wait in the next step",
       "{cause}。他のランクは次のステップで待ちます"},
      {"Python in {operator} ({function})", "{operator} 内の Python ({function})"},
      {"; most of it in {operator}, in which {function} takes {time} more per step",
       "。大部分は {operator} で、その中の {function} が 1 ステップあたり {time} 長くなっています"},
      {"{time} more in all than the median of the others {where}{behind}",
       "{where}、他の中央値より合計 {time} 長くなっています{behind}"},
      {"in the same number of operators", "同数のオペレーターで"},
      {"in operators", "オペレーターで"},
      {"in the same number of compute kernels", "同数の計算カーネルで"},
      {"in more operators", "より多くのオペレーターで"},
      {"in more compute kernels", "より多くの計算カーネルで"},
      {"in more operators and between them", "より多くのオペレーターとその間で"},
      {"in more compute kernels and between them", "より多くの計算カーネルとその間で"},
      {"in operators on larger inputs", "より大きな入力を扱うオペレーターで"},
      {"between operators", "オペレーターの間で"},
      {"idle before late launches", "遅れた起動の前のアイドルで"},
      {"in forward passes without training", "学習を伴わない順伝播で"},
      {"in its data loader", "データローダーで"},
      {"in memcpy and memset", "memcpy と memset で"},
      {"in transfer", "転送で"},
      {"its trace shows no cause", "トレースからは原因が分かりません"},
      {"begins step {step}, the first recorded, {time} after the others",
       "記録された最初のステップ {step} を他より {time} 遅く開始"},
      {"begins step {step}, the first selected, {time} after the others",
       "選択された最初のステップ {step} を他より {time} 遅く開始"},
      {"it lies before step {step}", "原因はステップ {step} より前にあります"},
      {"record steps before step {step} too: a profiler that starts late on one rank is no fault "
       "of the job",
       "ステップ {step} より前も記録してください。1 つのランクでプロファイラーの開始が遅れただけ"
       "なら、ジョブの問題ではありません"},
      {"select steps before step {step} too", "ステップ {step} より前のステップも選択してください"},
      {"check what else runs on its machine, and the clocks of its processors ({command})",
       "そのマシンで他に動いているものと、プロセッサーのクロック ({command}) を確認してください"},
      {"check its device: clocks and temperature ({command}), other processes; replace it with a "
       "spare",
       "デバイスのクロックと温度 ({command})、他のプロセスを確認し、"
       "必要なら予備機と交換してください"},
      {"only {who} calls {operator}: call it less often, outside the step, or share it among "
       "ranks",
       "{operator} を呼び出しているのは {who} "
       "だけです。呼び出しを減らす、ステップの外に移す、またはランク間で分担してください"},
      {"only {who} call {operator}: call it less often, outside the step, or share it among ranks",
       "{operator} を呼び出しているのは {who} "
       "だけです。呼び出しを減らす、ステップの外に移す、またはランク間で分担してください"},
      {"let each rank evaluate a part of the data, so that none waits; or evaluate less often, on "
       "fewer batches, or in another job",
       "どのランクも待たないよう、評価データを全ランクで分担してください。または評価の頻度やバッチ"
       "数を"
       "減らすか、別のジョブで実行してください"},
      {"balance the work: pack sequences by length, balance experts or data across ranks",
       "処理量を均等にしてください: シーケンスを長さでパックし、エキスパートやデータをランク間で"
       "均等に割り当てます"},
      {"check its host: CPU clocks, other processes, NUMA binding, and synchronization; see "
       "idle_time",
       "ホストを確認してください: CPU クロック、他のプロセス、NUMA バインディング、同期。"
       "idle_time を参照"},
      {"give its data loader more workers, or check the storage it reads from",
       "データローダーのワーカーを増やすか、読み込み元のストレージを確認してください"},
      {"check its PCIe link (lspci -vv), and pin the memory it copies from",
       "PCIe リンクを確認し (lspci -vv)、コピー元のメモリをピン留めしてください"},
      {"test its links: {test} between its host and others",
       "リンクをテストしてください: そのホストと他のホストの間で {test}"},
      {"test its links: {test} between its host and others, InfiniBand counters",
       "リンクをテストしてください: そのホストと他のホストの間で {test}、InfiniBand のカウンター"},
      {"compare the timeline of this rank before its collectives with that of another rank",
       "このランクの集合通信の前のタイムラインを、他のランクと比較してください"},
      {"{record}; if they are not, {hint}", "{record}。入力が大きくなっていなければ: {hint}"},
      // Counted nouns and other words in sentences.
      {"{count} call", "{count} 回の呼び出し"},
  };
  return kTexts;
}

}  // namespace stepscope
