// Holds the Japanese of analyses st to z, between step_gaps and whatif.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesStToZ2() {
  static constexpr Translated kTexts[] = {
      // gaps between steps
      {"Gaps between steps", "ステップ間のギャップ"},
      {"Step gaps", "ステップ間ギャップ"},
      {"Idle time between steps, host activity", "ステップ間のアイドル時間とホストの処理"},
      {"a gap with at least this idle time is large",
       "アイドル時間がこれ以上のギャップを大きいギャップとみなす"},
      {"Step gaps per {noun}", "{noun}ごとのステップ間ギャップ"},
      {"large", "大きいギャップ"},
      {"idle, % of span", "アイドル (スパン比)"},
      {"main host activity", "ホストの主な処理"},
      {"Longest gaps between steps", "ステップ間の最長のギャップ"},
      {"before step", "直後のステップ"},
      {"gap", "ギャップ"},
      {"its time", "その所要時間"},
      {"main call", "主な呼び出し"},
      {"avoid waiting for the device at the end of each step: read results (.item(), .cpu()) "
       "every N steps or asynchronously",
       "各ステップの終わりでデバイスを待たないでください: 結果の読み出し (.item()、.cpu()) は N "
       "ステップごと、または非同期にしてください"},
      {"avoid waiting for the device at the end of each step: read results (.numpy()) every N "
       "steps",
       "各ステップの終わりでデバイスを待たないでください: 結果の読み出し (.numpy()) は N "
       "ステップごとにしてください"},
      {"avoid waiting for the device at the end of each step: read results (block_until_ready, "
       "float()) every N steps",
       "各ステップの終わりでデバイスを待たないでください: 結果の読み出し (block_until_ready、"
       "float()) は N ステップごとにしてください"},
      {"avoid waiting for the device at the end of each step: read losses and metrics (.item(), "
       ".cpu()) every N steps",
       "各ステップの終わりでデバイスを待たないでください: 損失や指標の読み出し (.item()、.cpu()) "
       "は N ステップごとにしてください"},
      {"avoid waiting for the device at the end of each step: read losses and metrics (.numpy()) "
       "every N steps",
       "各ステップの終わりでデバイスを待たないでください: 損失や指標の読み出し (.numpy()) は N "
       "ステップごとにしてください"},
      {"avoid waiting for the device at the end of each step: read losses and metrics "
       "(block_until_ready, float()) every N steps",
       "各ステップの終わりでデバイスを待たないでください: 損失や指標の読み出し "
       "(block_until_ready、float()) は N ステップごとにしてください"},
      {"avoid waiting for the device at the end of each step: read sampled tokens asynchronously, "
       "and schedule the next batch meanwhile",
       "各ステップの終わりでデバイスを待たないでください: サンプリングしたトークンは非同期に読み"
       "出し、その間に次のバッチをスケジュールしてください"},
      {"move this host activity off the training loop or do it rarely: logging, metrics, "
       "checkpoints, garbage collection",
       "このホスト処理 (ログ出力、指標の計算、チェックポイント、ガベージコレクションなど) "
       "を学習ループの外に移すか、頻度を下げてください"},
      {"move this host activity off the thread that launches, or overlap it with the device: "
       "scheduling, sampling, detokenization, logging, garbage collection",
       "このホスト処理 (スケジューリング、サンプリング、デトークナイズ、ログ出力、"
       "ガベージコレクションなど) を起動スレッドの外に移すか、デバイスの処理と重ねてください"},
      {"move this host activity off the loop that launches, or do it rarely: logging, metrics, "
       "garbage collection",
       "このホスト処理 (ログ出力、指標の計算、ガベージコレクションなど) "
       "を起動ループの外に移すか、頻度を下げてください"},
      {"find what the first kernel of a step waits for: an input copy, an event of another stream "
       "or a collective; copy the next batch on a separate stream (non_blocking=True)",
       "ステップの最初のカーネルが何を待っているか (入力のコピー、他ストリームのイベント、"
       "集合通信) を確認し、次のバッチは別ストリームでコピーしてください (non_blocking=True)"},
      {"find what the first kernel of a step waits for: an input copy, an event of another stream "
       "or a collective; prefetch to the device (tf.data.experimental.prefetch_to_device)",
       "ステップの最初のカーネルが何を待っているか (入力のコピー、他ストリームのイベント、"
       "集合通信) を確認し、デバイスへプリフェッチしてください "
       "(tf.data.experimental.prefetch_to_device)"},
      {"find what the first kernel of a step waits for: an input copy, an event of another stream "
       "or a collective; put the next batch on the device during a step (jax.device_put)",
       "ステップの最初のカーネルが何を待っているか (入力のコピー、他ストリームのイベント、"
       "集合通信) を確認し、次のバッチはステップの実行中にデバイスへ置いてください "
       "(jax.device_put)"},
      {"{count} of {all} gaps are {large} or more, {mean} idle on average, {max} at most",
       "{all} 個のギャップのうち {count} 個が {large} 以上で、アイドルは平均 {mean}、最大 {max}"},
      {"; main host activity: {activity}", "。ホストの主な処理: {activity}"},
      {"Between steps, {device} idles for {share} of span{most}{when}.",
       "{when}ステップ間で、{device} がスパンの {share} の間アイドルになっています{most}。"},
      {"mean gap between steps", "ステップ間ギャップの平均"},
      {"max gap", "ギャップの最大"},
      {"large gaps", "大きいギャップの数"},
      {"idle between steps, % of span", "ステップ間のアイドル (スパン比)"},
      {"Gaps between steps are {mean} on average, max {max}; worst: {device} idles for {share} of "
       "span.",
       "ステップ間のギャップは平均 {mean}、最大 {max} です。最大の {device} はスパンの {share} "
       "の間アイドルです。"},
      {"no device has kernels in two consecutive steps: {how}, and select several steps",
       "連続する 2 ステップにカーネルのあるデバイスがありません: {how}。また、"
       "複数のステップを選択してください"},
      // temporal_breakdown
      {"Temporal breakdown", "時間の内訳"},
      {"Busy and idle", "稼働とアイドル"},
      {"Compute, non-compute and idle per device", "デバイスごとの計算、計算以外、アイドル"},
      {"non-compute", "計算以外"},
      {"compute, % of span", "計算 (スパン比)"},
      {"non-compute, % of span", "計算以外 (スパン比)"},
      {"Time per {noun}", "{noun}ごとの時間"},
      {"Time per step", "ステップごとの時間"},
      {"Of {time} span, {share} is compute", "{time} のスパンのうち、計算が {share}"},
      {"Of {time} span on {devices}, {share} is compute",
       "{devices}の {time} のスパンのうち、計算が {share}"},
      {", {share} exposed communication", "、隠蔽されていない通信が {share}"},
      {", {share} memcpy and memset", "、memcpy と memset が {share}"},
      {", {share} idle.", "、アイドルが {share} です。"},
      {"step interval, slowest rank", "ステップ間隔 (最も遅いランク)"},
      {"no steps are marked: there are no numbers by step; {how}",
       "ステップが区切られていないため、ステップごとの数値はありません。{how}"},
      // user_annotations
      {"User annotations", "ユーザーアノテーション"},
      {"Annotations", "アノテーション"},
      {"Host and device time per annotation", "アノテーションごとのホスト時間とデバイス時間"},
      {"Annotations by device time", "デバイス時間順のアノテーション"},
      {"there are no annotations in the selection: annotate parts of the step with {how}",
       "選択範囲にアノテーションがありません: {how} でステップの各部分に付けてください"},
      {"No activity was launched in an annotation.",
       "アノテーション内で起動されたアクティビティはありません。"},
      {"{annotation} ({side}) has the most device time ({time}).",
       "デバイス時間が最も多いのは {annotation} ({side}) で、{time} です。"},
      // waits for other threads, uneven ranks
      {"{waiter} waits {share} of the trace for another thread, which runs {worker}.",
       "{waiter} はトレースの {share} の間、別スレッドを待っています。そのスレッドは {worker} を"
       "実行しています。"},
      {"{waiter} waits {share} of step time since step {step} for another thread, which runs "
       "{worker}: {time} per step.",
       "{waiter} はステップ {step} 以降、ステップ時間の {share} の間、別スレッドを待っています。"
       "そのスレッドは {worker} を実行しています (1 ステップあたり {time})。"},
      {"{waiter} waits {share} of step time for another thread, which runs {worker}: {time} per "
       "step.",
       "{waiter} はステップ時間の {share} の間、別スレッドを待っています。そのスレッドは "
       "{worker} を実行しています (1 ステップあたり {time})。"},
      {"On rank {rank}, {what}", "ランク {rank} では、{what}"},
      {" {ranks} {have} {share} of it.", "{ranks} がその {share} を占めています。"},
      // more work since a step
      {" in turn", "交代で、"},
      {"{more}{when}: {work}.", "{when}{more}: {work}。"},
      {"in steps without operators", "オペレーターのないステップ"},
      {"before {operator}", "{operator} の前"},
      {"after {operator}", "{operator} の後"},
      {"from {operator} to {next}", "{operator} から {next} まで"},
      {"{ranks} {take} {time} per step (median), {others} {usual}.",
       "1 ステップの中央値は {ranks} が {time}、{others} が {usual} です。"},
      {"{time} more {category}; these ranks wait for no other in collectives that were recorded",
       "{category}が {time} "
       "増加。記録された集団通信では、これらのランクはほかのランクを待っていません"},
      {"{rank} spends {time} more per step (median)",
       "{rank} は 1 ステップあたり {time} (中央値) 余分に使っています"},
      {"{ranks} spend up to {time} more per step (medians)",
       "{ranks} は 1 ステップあたり最大 {time} (中央値) 余分に使っています"},
      {"median {before} in {earlier} before, {after} in {later} since",
       "中央値は以前の{earlier}で {before}、以降の{later}で {after}"},
      {"median {after} in these {count}, {before} in the others",
       "中央値はこの{count}で {after}、ほかでは {before}"},
      {"rank {rank}: median {time} in {count} of {steps}, other ranks {usual}",
       "ランク {rank}: {steps}中 {count} ステップで中央値 {time}、他のランクは {usual}"},
      {"{text}, in {operator}", "{text}、{operator} 内"},
      {"{function}, {time} per step in steps {first} to {last}",
       "{function}、ステップ {first} から {last} で 1 ステップあたり {time}"},
      {"{function}, {time} per step since step {first}",
       "{function}、ステップ {first} 以降 1 ステップあたり {time}"},
      {"{first}, then {next}", "{first}、続いて {next}"},
      {"{first} and {next}", "{first} と {next}"},
      {"make {functions} faster, call them less often, or in another process; see python",
       "{functions} を高速化する、呼び出しを減らす、または別のプロセスで実行してください。"
       "python を参照"},
      // whatif
      {"What-if replay", "What-if リプレイ"},
      {"What-if", "What-if"},
      {"What changes are worth to the whole job", "変更がジョブ全体にもたらす効果"},
      {"no record tells for what other stream some work waited: the last of it that had ended "
       "before is taken",
       "処理がどの他ストリームを待ったかの記録がないため、その前に終わった最後の処理を待ったもの"
       "とみなしました"},
      {"a rank without a trace came last in a collective or message: in the replay it comes as "
       "long after the one before as it did",
       "トレースのないランクが集合通信またはメッセージに最後に到着しています。リプレイでは、"
       "直前の到着から記録と同じ時間だけ後に到着するものとします"},
      {"members of a collective or message ended before its last one began: clocks or matches are "
       "wrong there, and nothing held these members up in the replay",
       "集合通信またはメッセージの最後の参加者が始まる前に終わった参加者があります。"
       "時計か対応付けが誤っており、リプレイではこれらの参加者を待たせていません"},
      {"sends and receives have no partner in the traces: nobody waits for them in the replay",
       "トレースに相手のない send と receive があります。リプレイではこれらを待つランクはありませ"
       "ん"},
      {"for '{change}': {assumption}", "'{change}' の前提: {assumption}"},
      {"nothing says which call launched an activity of a rank: it takes no part in the replay",
       "アクティビティを起動した呼び出しが不明なランクがあります。このランクはリプレイに含まれま"
       "せん"},
      {"changes to replay together, such as 'rank 9: compute = median of ranks; kernel *gemm*: "
       "x0.7'",
       "まとめてリプレイする変更。例: 'rank 9: compute = median of ranks; kernel *gemm*: x0.7'"},
      {", {time} of it evaluation between steps", "、うち {time} はステップ間の評価"},
      {"A step of {ranks} takes {time}, the mean of {steps}",
       "{ranks} の 1 ステップは {time} です ({steps}の平均)"},
      {" in each step since step {step}", " (ステップ {step} 以降の各ステップ)"},
      {"{step}; with '{change}' it takes {less} less.",
       "{step}。'{change}' では {less} 短くなります。"},
      {"{step}; with '{change}' it takes {more} more.",
       "{step}。'{change}' では {more} 長くなります。"},
      {"{step}; with '{change}' it takes as long.", "{step}。'{change}' でも変わりません。"},
      {"{step}; no change that was asked saves anything.",
       "{step}。試した変更で時間を短縮できるものはありません。"},
      {"{step}; no change that was asked saves more than the replay errs by, {error}.",
       "{step}。試した変更で、リプレイの誤差 {error} を超えて時間を短縮できるものはありません。"},
      {"{step}; the change worth most, '{change}', saves {saved}{since}.",
       "{step}。最も効果の大きい変更 '{change}' で {saved} 短縮できます{since}。"},
      {"{step}; the change worth most, '{change}', saves up to {saved}{since}: steps before it "
       "take {before}.",
       "{step}。最も効果の大きい変更 '{change}' で最大 {saved} 短縮できます{since}。"
       "それより前のステップは {before} です。"},
      {" per step on average{when}", " (1 ステップあたりの平均{when})"},
      {"; the median step before took {time}", "。それより前のステップの中央値は {time}"},
      {", where {thread} runs {function}, which holds Python's lock",
       " ({thread} が {function} を実行し、Python のロック (GIL) を保持)"},
      {"with a change steps would be shorter than before the step since which it counts: something "
       "else takes less since then, as processors that ranks share do while one of them waits, and "
       "may take longer again, so that the change saves at most what is said",
       "変更すると、対象の最初のステップより前よりもステップが短くなります。"
       "ランクの 1 つが待つ間は共有プロセッサーが空くなど、それ以降は他の処理が短くなっています。"
       "変更後は再び長くなる可能性があるため、短縮できる時間は最大でこの値です"},
      {"nothing says which call launched an activity",
       "アクティビティを起動した呼び出しの記録がありません"},
      {"no complete step was recorded of all ranks",
       "全ランクで記録された完全なステップがありません"},
      {"a replay without changes is {share} off in one step",
       "変更なしのリプレイが、あるステップで記録から {share} ずれています"},
      {"a replay without changes is {share} off in the mean step: over {most}, it does not tell "
       "what "
       "changes save",
       "変更なしのリプレイが平均ステップで記録から {share} ずれています。{most} を超えるため、"
       "変更で短縮できる時間は求めません"},
      {"no send or receive has its partner in the traces, so that no rank waits for another in a "
       "replay",
       "送受信の相手がトレースに見つからないため、リプレイではどのランクも他のランクを待ちません"},
      {"{step}; what changes would save is unknown: the replay is {share} off.",
       "{step}。リプレイが記録から {share} ずれているため、変更で短縮できる時間は不明です。"},
      {"{count} of {all} members of collectives and messages ended before their last one began: "
       "clocks or matches are wrong",
       "集合通信とメッセージの {all} 件の参加のうち {count} 件が、"
       "最後の参加者が始まる前に終わっています。時計または対応付けが誤っています"},
      {"mean step of the job", "ジョブの平均ステップ時間"},
      {"{steps}, {time} since step {step}", "{steps} (ステップ {step} 以降は {time})"},
      {"{steps}, of which 1 is slow ({time} without it)",
       "{steps} (うち 1 ステップは遅く、それを除くと {time})"},
      {"{steps}, of which {count} are slow ({time} without them)",
       "{steps} (うち {count} ステップは遅く、それらを除くと {time})"},
      {"mean step after the first", "最初を除く平均ステップ時間"},
      {"{steps} up to step {last}, of {all} recorded",
       "記録された {all} ステップのうちステップ {last} までの{steps}"},
      {"{steps} without the first (step {first})", "最初 (ステップ {first}) を除く{steps}"},
      {"median error of a replay", "リプレイの誤差の中央値"},
      {"largest error of a replay", "リプレイの誤差の最大"},
      {", most of it before {unit}", " (大半は {unit} の前)"},
      {", most of it in {unit}", " (大半は {unit})"},
      {" in {count} of {all} steps", "{all} ステップ中 {count} ステップで"},
      {" in steps {steps} and {last}", "ステップ {steps}、{last} で"},
      {"{ranks}{host} together hold the job up{when}",
       "{when}{ranks}{host}がともにジョブを遅らせています"},
      {" of host {name}", " (ホスト {name}) "},
      {"{rank} holds the job up{when}", "{when}{rank} がジョブを遅らせています"},
      {"{rank} takes longer{when}", "{when}{rank} の時間が増えています"},
      {"than before", "以前より"},
      {"than on {ranks} with the same work", "同じ処理を行う {ranks} より"},
      {"its own work takes longer {than}{units}", "自身の処理が{than}長くかかっています{units}"},
      {"its own work takes {time} more per step {than}{units}",
       "自身の処理が 1 ステップあたり {than} {time} 長くなっています{units}"},
      {"rank {rank}'s own work takes {time} more per step{since} {than}{units}",
       "{since}ランク {rank} 自身の処理が 1 ステップあたり {than} {time} 長くなっています{units}"},
      {" in {function}", " ({function})"},
      {" in {unit} alone", " ({unit} だけで)"},
      {" before {unit} alone", " ({unit} の前だけで)"},
      {"{who}: {saved} of {recorded} per step{only}.",
       "{who}: 1 ステップ {recorded} のうち {saved}{only}。"},
      {"{who}: {saved} of {recorded} per step on average{only}.",
       "{who}: 平均で 1 ステップ {recorded} のうち {saved}{only}。"},
      {", {time} of it by {ranks} alone", "、うち{ranks}だけで {time}"},
      {"; {ranks}: {hint}", "。{ranks}: {hint}"},
      {"{least} to {most}", "{least}〜{most}"},
      {"{first} and {second}", "{first}と{second}"},
      {"the own work of {ranks} takes {time} more per step{since} {than}{units}",
       "{ranks}自身の処理が{since} 1 ステップあたり {than} {time} 長くかかっています{units}"},
      {"{excess}; a replay without that, and without what costs more, takes {time} (± {error})",
       "{excess}。これと、より損失の大きいものを除いたリプレイでは {time} (± {error})"},
      {"{function} takes {time} of {step} per step on {ranks}{others}.",
       "{ranks}で {function} が 1 ステップ {step} のうち {time} を占めています{others}。"},
      {"; it calls {function}", "。{function} を呼び出しています"},
      {"; the rest of its time waits for ranks that come later",
       "。残りの時間は後から来るランクの待機です"},
      {"all recorded ranks", "記録された全ランク"},
      {", {function} {time}", "、{function} は {time}"},
      {"{and}without {function} a step of a replay takes {time} (± {error})",
       "{and}{function} を除いたリプレイでは 1 ステップ {time} (± {error})"},
      {"call it less often or make it faster; where it loops over parameters, use torch._foreach_ "
       "functions, and .item() once at the end; see python",
       "呼び出しを減らすか高速化してください。パラメーターごとのループには torch._foreach_ "
       "系の関数を使い、.item() は最後に 1 回だけにする。python を参照"},
      {"call it less often or make it faster, or put it into a tf.function; see python",
       "呼び出しを減らすか高速化する、または tf.function に入れてください。python を参照"},
      {"call it less often or make it faster, or put it into jax.jit; see python",
       "呼び出しを減らすか高速化する、または jax.jit に入れてください。python を参照"},
      {"{excess}; a replay without that takes {time} (± {error})",
       "{excess}。これを除いたリプレイでは {time} (± {error})"},
      {"check clocks, temperature and power of the device, and whether the rank has more work "
       "than others",
       "デバイスのクロック、温度、電力と、このランクの処理が他より多くないかを確認してください"},
      {"its operators take longer: look at what else runs on its cores, at their clock and at the "
       "number of threads",
       "オペレーターに時間がかかっています。同じコアで実行されている他の処理、コアのクロック、"
       "スレッド数を確認する"},
      {"look at what its host does between launches: see `python`",
       "このランクのホストが起動と起動の間に何をしているかを確認してください。`python` を参照"},
      {"look at what its host does between launches: open its trace",
       "このランクのトレースを開き、ホストが起動と起動の間に何をしているかを確認してください"},
      {"partials do not tell: ask the traces",
       "部分要約からは分かりません: トレースを解析してください"},
      {" ({ranks})", " ({ranks})"},
      {"{count} group", "{count} グループ"},
      {"Transfers of group {group}{ranks} take {times} times as long {as}{since}: {saved} of "
       "{recorded} per step.",
       "{since}グループ {group}{ranks} の転送に{as} {times} 倍の時間がかかっています: 1 ステップ "
       "{recorded} のうち {saved}。"},
      {"as before", "以前の"},
      {"as on {groups} alike", "同種の {groups}の"},
      {"{collective} takes {now} once its last rank has come, {usual}; a replay without that "
       "takes {time} (± {error})",
       "{collective} は最後のランクの到着後 {now} かかっています ({usual})。"
       "これを除いたリプレイでは {time} (± {error})"},
      {"before {time}", "以前は {time}"},
      {"on {groups} alike {time}", "同種の {groups}では {time}"},
      {"check the links between these ranks: errors (rocm-smi --showxgmierr, ibstat, ethtool -S), "
       "other jobs on them, and the path that RCCL chose (NCCL_DEBUG=INFO)",
       "これらのランク間のリンクを確認してください: エラー (rocm-smi --showxgmierr、ibstat、"
       "ethtool -S)、リンクを使う他のジョブ、RCCL が選んだ経路 (NCCL_DEBUG=INFO)"},
      {"check the links between these ranks: errors (hccn_tool -i N -stat -g), other jobs on them, "
       "and the path that HCCL chose (its log)",
       "これらのランク間のリンクを確認してください: エラー (hccn_tool -i N -stat -g)、"
       "リンクを使う他のジョブ、HCCL が選んだ経路 (HCCL のログ)"},
      {"check the links between these ranks: errors (nvidia-smi nvlink -e, ibstat, ethtool -S), "
       "other jobs on them, and the path that NCCL chose (NCCL_DEBUG=INFO)",
       "これらのランク間のリンクを確認してください: エラー (nvidia-smi nvlink -e、ibstat、"
       "ethtool -S)、同じリンクを使う他のジョブ、NCCL が選んだ経路 (NCCL_DEBUG=INFO)"},
      {"a replay has an error of {time}", "リプレイの誤差は {time}"},
      {"{step}. The replay finds no cause; links twice as fast ('{change}') would save {saved}. "
       "Other analyses may name causes that are not replayed: see the findings.",
       "{step}。リプレイでは原因は見つかりません。リンクが 2 倍速ければ ('{change}') {saved} "
       "短縮できます。他の分析がリプレイしていない原因を示すことがあります。所見を参照してください"
       "。"},
      {"; the backward pass takes {time} for what it runs, too",
       "。その中の処理のために backward パスでも {time} かかっています"},
      {"; balancing it saves {time} per step", "。均等化すると 1 ステップあたり {time} 短縮"},
      {"make the work within {function} faster, or run it less often; its functions are unknown: "
       "{record}",
       "{function} の中の処理を高速化するか、実行回数を減らしてください。"
       "中の関数は不明です: {record}"},
      {"called {count}× per step{on_rank}, {time} each (median)",
       "1 ステップあたり {count} 回の呼び出し{on_rank}、1 回あたり {time} (中央値)"},
      {"called {count}×{on_rank}, {time} each (median)",
       "{count} 回の呼び出し{on_rank}、1 回あたり {time} (中央値)"},
      {"Without {function} the recording takes {less} less, of {time}.",
       "{function} がなければ、記録全体の {time} が {less} 短くなります。"},
      {"The recording of {ranks} takes {time}; no steps are marked",
       "{ranks}の記録は {time} で、ステップの印はありません"},
      {"Without {function} a step takes {less} less, of {time}.",
       "{function} がなければ、1 ステップ {time} が {less} 短くなります。"},
      {"Without {function} a step takes {less} less, of {time} since step {step}.",
       "{function} がなければ、ステップ {step} 以降の 1 ステップ {time} が {less} 短くなります。"},
      {"With '{change}' a step takes {less} less, of {time}.",
       "'{change}' では 1 ステップ {time} が {less} 短くなります。"},
      {"saved, %", "短縮率"},
      {"± error", "± 誤差"},
      {"then critical", "変更後のクリティカルなランク"},
      {"Step with a change", "変更後のステップ"},
      {"Upper bounds", "上限"},
      {"Chain of lateness", "遅れの連鎖"},
      {"origin", "起点"},
      {"link", "リンク"},
      {"event", "イベント"},
      {"waited", "待ち"},
      {"Excess that costs little", "損失の小さい超過"},
      {"excess per step", "1 ステップあたりの超過"},
      {"Replay without changes", "変更なしのリプレイ"},
      {"replayed", "リプレイ"},
      {"error", "誤差"},
      // assumptions of changes, and why layouts are no grids
      {"a reduction takes {time} µs beside what its bytes take, and larger buckets begin as early",
       "リダクションはバイト数に応じた時間のほかに {time} µs かかり、バケットを大きくしても同じ時"
       "刻に始まるものとします"},
      {"{now} microbatches now; a stage is as busy with {count}, and waits for (p-1)/(v*m) of that",
       "現在のマイクロバッチ数は {now}。{count} でもステージの稼働時間は同じで、待ちはその "
       "(p-1)/(v*m) とします"},
      {"groups of {kind} and {other} share several ranks",
       "{kind} と {other} のグループが複数のランクを共有しています"},
      {"the sizes of known groups multiply to {product}, and the job has {count} devices",
       "既知のグループのサイズの積は {product} ですが、ジョブのデバイス数は {count} です"},
      {"the sizes of known groups multiply to {product}, and the job has {count} ranks",
       "既知のグループのサイズの積は {product} ですが、ジョブのランク数は {count} です"},
      {" The others wait most for rank {rank}, which takes longer itself; what it should take is "
       "not known, since no other rank does the same work.",
       " 他のランクはランク {rank} "
       "を最も長く待っており、ランク {rank} "
       "自身の処理が長くなっています。同じ処理を行うランクがほかにないため、本来の時間は分かりませ"
       "ん。"},
      // why a change concerns nothing
      {"'{change}' concerns nothing: {why}", "'{change}' に該当するものがありません: {why}"},
      {"no transfer between recorded ranks is known of it",
       "記録されたランク間の該当する転送が分かりません"},
      {"no rank is known to wait for another", "他のランクを待つランクが分かりません"},
      {"no wait for input was recorded", "入力待ちが記録されていません"},
      {"the host decides nothing", "ホストが律速する部分がありません"},
      {"no kernel or copy has this name; communication is changed by 'link'",
       "この名前のカーネルやコピーはありません。通信は 'link' で変更します"},
      {"no operator, call or annotation has this name",
       "この名前のオペレーター、呼び出し、アノテーションはありません"},
      {"the traces have no Python functions", "トレースに Python 関数がありません"},
      {"threads run it that do not train, and when these hold up the one that does is not recorded",
       "学習するスレッド以外のスレッドで実行されており、"
       "それが学習するスレッドをいつ待たせるかは記録されていません"},
      {"no Python function of this name was recorded in the steps",
       "ステップの記録に、この名前の Python 関数がありません"},
      {"no communication is known of it", "該当する通信が分かりません"},
      {"rank {rank} has no trace that takes part in the replay",
       "ランク {rank} には、リプレイに含まれるトレースがありません"},
      {"no such stage of a pipeline was recorded",
       "該当するパイプラインステージが記録されていません"},
      {"no rank was recorded on this host", "このホストのランクが記録されていません"},
      {"no other rank does the same work", "同じ処理を行う他のランクがありません"},
      {"no step before that was recorded", "それより前のステップが記録されていません"},
      {"no step since then was recorded", "それ以降のステップが記録されていません"},
      {"the rank does no such work in complete steps",
       "このランクの完全なステップに、該当する処理がありません"},
      {"reductions of gradients of one size do not tell what a call takes beside its bytes",
       "勾配のリダクションのサイズが 1 種類のため、"
       "バイト数に応じた時間以外にかかる時間が分かりません"},
      {"reductions take no time beside what their bytes take",
       "リダクションには、バイト数に応じた時間のほかにかかる時間がありません"},
      {"no pipeline is known", "パイプラインが分かりません"},
      {"its microbatches are not known", "マイクロバッチ数が分かりません"},
      {"the first stage does not begin steps with a send and the last with a receive, so "
       "microbatches may go both ways",
       "最初のステージが send で、最後のステージが receive でステップを始めていないため、マイクロ"
       "バッチが双方向に流れている可能性があります"},
      {"all-to-all", "all-to-all"},
      {"its trace", "そのトレース"},
      {"their traces", "それらのトレース"},
      {"begins, ns of the rank's own clock", "開始 (ランク自身の時計の ns)"},
  };
  return kTexts;
}

}  // namespace stepscope
