// Holds the Japanese of analyses a to g: changes of steps, collectives, comm_overlap.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesAToG2() {
  static constexpr Translated kTexts[] = {
      // Changes of step time, growth, and what is behind them.
      {"Changes at a step", "あるステップでの変化"},
      {"quantity", "項目"},
      {"median before", "変化前の中央値"},
      {"median since", "変化後の中央値"},
      {"change, % of before", "変化 (変化前比)"},
      {"steps before", "変化前のステップ数"},
      {"steps since", "変化後のステップ数"},
      {"Step time is {share} longer{when}{why}.",
       "{when}ステップ時間が {share} 長くなっています{why}。"},
      {"{rise} more", "{rise} 増加"},
      {"{rise} longer", "{rise} 増加"},
      {"{who} computes {more}", "{who} の計算時間が {more}"},
      {"{who} waits for input {more}", "{who} の入力待ちが {more}"},
      {"{who} spends {more} between operators",
       "{who} のオペレーターを実行していない時間が {more}"},
      {"{who} spends {time} longer in {function}, {between} of that between operators",
       "{who} の {function} の時間が {time} 長く、そのうち {between} はオペレーターを実行して"
       "いない時間"},
      {"{who} idles {more}", "{who} のアイドル時間が {more}"},
      {"{who} has exposed communication {more}", "{who} の隠蔽されていない通信が {more}"},
      {"{who} takes {more}", "{who} の所要時間が {more}"},
      {" (most)", " (最大)"},
      {" ({operator})", " ({operator})"},
      {" ({operator} {times} as long)", " ({operator} は {times})"},
      {"{count} other", "他の {count} 箇所"},
      {", as does {others}", "、{others}も同様"},
      {", as do {others}", "、{others}も同様"},
      {"compare steps {before} and {since} in the timeline",
       "タイムラインでステップ {before} と {since} を比較してください"},
      {"find what adds this work: larger batches, longer sequences, more calls",
       "この処理が増えた原因を調べてください: バッチサイズ、系列長、呼び出し回数"},
      {"find what adds this work since then: data, lengths, branches of the model; ",
       "それ以降に処理を増やしている要因を確認してください: データ、シーケンス長、モデルの分岐。"},
      {"record with record_shapes=True: its inputs may be larger",
       "record_shapes=True を指定して記録してください (入力が大きくなっている可能性があります)"},
      {"check clocks and temperature of {devices} since then ({command})",
       "それ以降の{devices}のクロックと温度を確認してください ({command})"},
      {"check what else runs on the machines since then, and the clocks of their processors "
       "({command})",
       "それ以降にマシンで他に実行されているものと、プロセッサーのクロックを確認してください "
       "({command})"},
      {"{thread} of rank {rank} runs {function} for {share} of step time since then, which holds "
       "Python's lock",
       "ランク {rank} の {thread} がそれ以降のステップ時間の {share} にわたって {function} "
       "を実行し、"
       "Python のロック (GIL) を保持しています"},
      {"{thread} runs {function} for {share} of step time since then, which holds Python's lock",
       "{thread} がそれ以降のステップ時間の {share} にわたって {function} を実行し、"
       "Python のロック (GIL) を保持しています"},
      {"{cause}, while {thread} runs {function}", "{cause} ({thread} が {function} を実行中)"},
      {"that device", "そのデバイス"},
      {"these devices", "それらのデバイス"},
      {"look at the values that {operator} gets since then: denormal numbers take many times as "
       "long{setting}",
       "それ以降 {operator} に渡される値を確認してください。非正規化数の計算は何倍もの時間が"
       "かかります{setting}"},
      {" (torch.set_flush_denormal(True))", " (torch.set_flush_denormal(True))"},
      {"check the data loader and the storage it reads from since then; ",
       "それ以降のデータローダーと読み込み元ストレージの状態を確認してください。"},
      {"call that function less often, make it faster, or run it in another process; ",
       "その関数の呼び出しを減らす、高速化する、または別プロセスで実行してください。"},
      {"check that host since then: other processes, logging, synchronization; ",
       "それ以降のそのホストの状態を確認してください: 他のプロセス、ログ出力、同期。"},
      {"check the network since then: other jobs, errors of links; ",
       "それ以降のネットワークの状態を確認してください: 他のジョブ、リンクのエラー。"},
      {"find what takes its cores or Python's lock since then: other processes of that machine "
       "(top), other threads of that process (py-spy dump); if there is nothing, look at its "
       "clocks (turbostat)",
       "それ以降にコアや Python のロック (GIL) を占有しているものを確認してください: "
       "そのマシンの他のプロセス (top)、そのプロセスの他のスレッド (py-spy dump)。"
       "なければクロック周波数を確認してください (turbostat)"},
      {"step time: mean {before} before, {after} since",
       "ステップ時間の平均: それ以前 {before}、以降 {after}"},
      {"step time: mean {before} before, {after} then",
       "ステップ時間の平均: それ以前 {before}、その間 {after}"},
      {"operators that run as often take longer, or what is not known; look for other programs on "
       "the "
       "machine",
       "同じ回数だけ実行されるオペレーターに時間がかかっているか、原因は不明です。"
       "同じマシンのほかのプログラムを確認してください"},
      {"no rank's compute, input wait, time without operators, idle or exposed communication "
       "explains it",
       "どのランクの計算、入力待ち、オペレーターのない時間、アイドル、隠蔽されていない通信でも説明"
       "できませ"
       "ん"},
      {"{quantity} of {who}: {before} to {after} per step",
       "{who} の{quantity}: 1 ステップあたり {before} から {after}"},
      {"step time: mean {before} before, {after} since; rank {rank}: {evidence}",
       "ステップ時間の平均: それ以前 {before}、以降 {after}。ランク {rank}: {evidence}"},
      {"{count} of the ranks", "{count} 個のランク"},
      {"{time} of that in collectives of groups where {who} {why}",
       "うち {time} は、{who} {why}グループの集合通信"},
      {"{include}, and look at what {each} does since step {step}",
       "{include}、ステップ {step} 以降に何をしているかを確認してください"},
      {"; operators that run as often take longer, as where other programs run on the machine",
       "。実行回数が同じオペレーターの時間が延びており、"
       "同じマシンで他のプログラムが動いている場合の特徴です"},
      {"in every recorded step ({first} to {last})", "記録された全ステップ ({first}〜{last})"},
      {"in every selected step ({first} to {last})", "選択された全ステップ ({first}〜{last})"},
      {"{ratio}× as many operators within it", "内部のオペレーター数が {ratio} 倍"},
      {"{count} more call", "{count} 回の呼び出しが増加"},
      {"{calls} per step", "1 ステップあたり {calls}"},
      {"inputs {ratio}× as large", "入力が {ratio} 倍"},
      {"longer calls; shapes were not recorded", "1 回あたりの時間が増加。形状は未記録"},
      {"longer calls", "1 回あたりの時間が増加"},
      {"longer calls, on {types}", "1 回あたりの時間が増加 ({types})"},
      {"{type} instead of {other}", "{other} ではなく {type}"},
      {" ({operator}, larger inputs)", " ({operator}、入力が大きい)"},
      {" ({operator}, on {types})", " ({operator}、入力が {types})"},
      {"{cause} ({place}, on {types})", "{cause} ({place}、入力が {types})"},
      {", on {types}", "。入力は {types}"},
      {"find what makes inputs {type}, such as arrays of NumPy (float64 unless told) or .double(), "
       "and convert it to {other}",
       "入力を {type} にしている箇所 (NumPy の配列は指定しないと float64 になります。.double() "
       "など) "
       "を探し、{other} に変換してください"},
      {"{operator} alone takes {time} more per step ({how}), and others less",
       "{operator} だけで 1 ステップあたり {time} 長く ({how})、他は短くなっています"},
      {"most of it in {operator}{module} ({how})", "大半は {operator}{module} ({how})"},
      {"by {time} per step", "1 ステップあたり {time} ずつ"},
      {"Steps of rank {rank} grow {growth}: {category} from {first} to {last} over "
       "{steps}{function}.",
       "ランク {rank} のステップが {growth}長くなり続けています: {category}が{steps}で {first} "
       "から {last} に増加{function}。"},
      {"a line explains its steps better than a change at one of them; on the other ranks it does "
       "not grow, and they wait",
       "ステップ時間の推移は、あるステップでの段差よりも直線的な増加でよく説明できます。"
       "他のランクでは増加しておらず、このランクを待っています"},
      {"{function} grows by {time} per step{ranks}: from {first} to {last} over {steps}.",
       "{function} が{ranks} 1 ステップあたり {time} ずつ増え続けています: {steps}で {first} から "
       "{last} "
       "に増加。"},
      {" on {ranks}", "{ranks} で"},
      {"a line explains its time per step better than a change at one of them; nothing else in "
       "these "
       "steps grows as much",
       "ステップごとの時間の推移は、あるステップでの段差よりも直線的な増加でよく説明できます。"
       "これらのステップの他の部分はこれほど増加していません"},
      {"find what grows with each step in this function: a list that is kept and walked through, a "
       "cache, lengths of sequences",
       "この関数でステップごとに増えているものを確認してください: "
       "保持して走査するリスト、キャッシュ、シーケンス長"},
      {"find what grows with each step on this rank: a list that is kept and walked through, a "
       "cache, lengths of sequences, memory in use",
       "このランクでステップごとに増えているものを確認してください: "
       "保持して走査するリスト、キャッシュ、シーケンス長、使用メモリ"},
      // collectives.
      {"Collectives", "集合通信"},
      {"Wait, transfer and bandwidth", "待ち、転送、帯域幅"},
      {"Collectives by operation", "操作別の集合通信"},
      {"operation", "操作"},
      {"max wait", "最大待ち"},
      {"Wait and transfer time", "待ち時間と転送時間"},
      {"matched", "対応あり"},
      {"unmatched", "対応なし"},
      {"send/recv", "send/recv"},
      {"caused wait", "待たせた時間"},
      {"times last", "最後に到着した回数"},
      {"clock offset", "時計のずれ"},
      {"clock uncertainty", "時計の不確かさ"},
      {"clock drift", "時計のドリフト"},
      {"Wait by last rank", "最後のランク別の待ち"},
      {"last rank", "最後のランク"},
      {"last device", "最後のデバイス"},
      {"times", "回数"},
      {"Longest collective waits", "最長の集合通信の待ち"},
      {"position", "順位"},
      {"sequence", "シーケンス"},
      {"ranks", "ランク"},
      {"Mismatched collectives", "食い違う集合通信"},
      {"others' operation", "他のランクの操作"},
      {"others' size", "他のランクのサイズ"},
      {"sends and receives are no collectives: `whatif` matches those whose partner was recorded",
       "send と recv は集合通信ではありません: 相手が記録されているものは `whatif` が対応付けます"},
      {"ranks share no synchronizing collective with others: their clocks are not aligned (no wait "
       "time)",
       "ランクに、他のランクと同期する集合通信がありません: 時計を揃えられません (待ち時間なし)"},
      {"communication kernels were not matched: no sequence number and no constant distance to the "
       "ends of another rank",
       "通信カーネルを対応付けられませんでした: "
       "シーケンス番号がなく、他のランクの終了時刻との差も一定ではありません"},
      {"collectives were matched by order: no sequence number",
       "集合通信を順序で対応付けました: シーケンス番号なし"},
      {"process groups were not matched: more ranks than members, so one name stands for several "
       "groups",
       "プロセスグループを対応付けられませんでした: ランクがメンバーより多く、1 "
       "つの名前が複数のグループを指しています"},
      {"process groups have members that were not recorded (waiting for them counts as transfer)",
       "プロセスグループに記録されていないメンバーがあります (その待ちは転送に数えます)"},
      {"{ranks}s run different collectives at {positions}.",
       "{positions}で、{ranks}ごとに異なる集合通信を実行しています。"},
      {"{count} position", "{count} 箇所"},
      {"{count} of {total} mismatches are on {who}",
       "食い違い {total} 件中 {count} 件が {who} にあります"},
      {"make every {rank} call the same collectives in the same order with the same sizes; check "
       "conditions on rank or data around the first mismatch (such a job can hang)",
       "すべての{rank}が同じ集合通信を同じ順序、同じサイズで呼び出すようにしてください。"
       "最初の食い違いの前後で、ランクやデータに依存する条件分岐を確認してください "
       "(このようなジョブはハングすることがあります)"},
      {"Slow process groups", "遅いプロセスグループ"},
      {"median time", "時間の中央値"},
      {"of the others", "他のグループ"},
      {"others", "他のグループの数"},
      {"exposed excess", "露出した超過"},
      {"group {name}", "グループ {name}"},
      {"Collectives among {ranks} take {ratio} times as long as those of {others} like it.",
       "{ranks}の間の集合通信は、同種の{others}の {ratio} 倍の時間がかかります。"},
      {"{operation} of {bytes}: {time} without waiting, of the others {usual} (medians of {count} "
       "and more)",
       "{bytes} の {operation}: 待ちを除いて {time}、他のグループは {usual} ({count} "
       "回以上の中央値)"},
      {"slow groups in all: {count}", "遅いグループは全部で {count}"},
      {"compare the links and network adapters of these ranks with those of others (nvidia-smi "
       "nvlink -s, ibstat, nccl-tests on these hosts), and the switches between them",
       "これらのランクのリンクとネットワークアダプタを他と比較し "
       "(nvidia-smi nvlink -s、ibstat、これらのホストでの nccl-tests)、"
       "その間のスイッチも確認してください"},
      {"{collectives} on {ranks}, none matched.", "{ranks} に {collectives}、対応付けなし。"},
      {"{collectives} matched across {ranks}", "{ranks} の間で {collectives}を対応付け"},
      {"{count} collective", "{count} 回の集合通信"},
      {"wait time is {share} of collective time", "待ち時間は集合通信時間の {share}"},
      {", mostly for {who}", "、主に {who} の待ち"},
      {" (clock uncertainty {time}).", " (時計の不確かさ {time})。"},
      {"only one rank was recorded: no matching, and times include waiting",
       "記録されたランクは 1 つだけです: 対応付けはできず、時間には待ちが含まれます"},
      {"mismatches", "食い違い"},
      {"wait, % of collectives", "待ち (集合通信比)"},
      {"max clock offset", "時計のずれの最大"},
      {"max clock uncertainty", "時計の不確かさの最大"},
      // comm_overlap.
      {"Communication overlap", "通信のオーバーラップ"},
      {"Overlap", "オーバーラップ"},
      {"Overlapped and exposed communication", "オーバーラップした通信と隠蔽されていない通信"},
      {"Communication per {noun}", "{noun}ごとの通信"},
      {"communication", "通信"},
      {"overlapped", "オーバーラップ"},
      {"overlap, % of communication", "オーバーラップ (通信比)"},
      {"exposed, % of span", "未隠蔽 (スパン比)"},
      {"{share} of communication time overlaps with compute.",
       "通信時間の {share} が計算とオーバーラップしています。"},
      {"Exposed communication{beyond} is {share} of {whole}{called}.",
       "隠蔽されていない通信{beyond}が{whole}の {share} を占めています{called}。"},
      {"DistributedDataParallel broadcasts buffers in each forward pass: {time} per pass.",
       "DistributedDataParallel が forward パスのたびにバッファを broadcast しています: 1 回 "
       "{time}。"},
      {"DistributedDataParallel broadcasts buffers in each forward pass: {bytes}, {time} per pass.",
       "DistributedDataParallel が forward パスのたびにバッファを broadcast しています: "
       "{bytes}、1 回 {time}。"},
      {"{count} recorded forward passes of each rank; waiting for a late rank is not in it",
       "各ランクで記録された forward パス {count} 回。遅いランクを待つ時間は含みません"},
      {"turn it off (broadcast_buffers=False) where ranks need not have equal buffers, or make "
       "tensors that never change no buffers",
       "ランク間でバッファを揃える必要がなければ無効にするか (broadcast_buffers=False)、"
       "変化しないテンソルをバッファから外してください"},
      {"; {share} of communication is in {function}, called by {caller}",
       "。通信の {share} は {caller} が呼び出す {function} です"},
      {"call {function} in {caller} less often, for several tensors at once, or with "
       "async_op=True and wait later",
       "{caller} での {function} の呼び出しを減らすか、複数のテンソルをまとめるか、"
       "async_op=True で開始して後で待ってください"},
      {" beyond wait time", " (待ち時間を除く) "},
      {"{exposed} of {communication} communication per {noun}{waiting}{most}",
       "{noun}あたりの通信 {communication} のうち {exposed}{waiting}{most}"},
      {"; most on {device} ({time})", "。最大: {device} ({time})"},
      {", {time} of it wait time", "、うち待ち時間 {time}"},
      {"most exposed: {kernel} in {module}", "未隠蔽が最大: {module} の {kernel}"},
      {"{time} per device in {function}", "{function} にデバイスあたり {time}"},
      {"pickled objects and their sizes", "pickle 化されたオブジェクトとそのサイズ"},
      {"shorten the time in which the pipeline fills and drains: more micro-batches, an "
       "interleaved schedule, stages that take equally long; see stragglers for the time of each",
       "パイプラインの充填と排出の時間を短くしてください: "
       "マイクロバッチを増やす、インターリーブ型スケジュール、ステージの所要時間を揃える。各ステー"
       "ジの時間は stragglers を参照"},
      {"avoid object collectives in the loop (all_gather_object, broadcast_object_list): they "
       "pickle on the host and send sizes before bytes; send tensors, or do it every N steps",
       "ループ内でオブジェクトの集合通信 (all_gather_object、broadcast_object_list) "
       "を避けてください: ホストで pickle し、データの前にサイズを送信します。テンソルを送るか、"
       "N ステップごとにしてください"},
      {"see in stragglers which ranks are late: if always one, look at it; if they are late in "
       "turn, balance inputs, and look for other work on their machines",
       "どのランクが遅れているかを stragglers で確認してください: "
       "常に同じランクならそのランクを調べ、交互に遅れるなら入力を均等にし、マシン上の他の処理を調"
       "べてください"},
      {"see stragglers for wait time", "待ち時間は stragglers を参照"},
      {"Gradients are all-reduced {count} times per optimizer step: use no_sync.",
       "オプティマイザーの 1 ステップあたり {count} 回、勾配が all-reduce されています: no_sync "
       "を使ってください。"},
      {"{count} backward passes between two optimizer steps, each with {messages}; in all {steps}",
       "オプティマイザーの 2 ステップの間に {count} 回の逆伝播、それぞれに {messages}。"
       "{steps}のすべてで発生"},
      {"{count} all-reduce", "{count} 回の all-reduce"},
      {"{count} recorded step", "記録された {count} ステップ"},
      {"run all but the last micro-batch of an optimizer step within model.no_sync()",
       "オプティマイザーの 1 ステップのうち、最後を除くマイクロバッチを model.no_sync() "
       "の中で実行してください"},
  };
  return kTexts;
}

}  // namespace stepscope
