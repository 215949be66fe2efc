// Holds the Japanese of what answers about stuck jobs.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfHangs() {
  static constexpr Translated kTexts[] = {
      {"rank {rank}: {evidence}", "ランク {rank}: {evidence}"},
      {"{evidence}; {chain}", "{evidence}。{chain}"},
      {"Which rank stopped the job is not known: {count} ranks are stuck, and dumps do not tell "
       "for whom they wait; dumps of all ranks, or world_size, would.",
       "ジョブを止めたランクは不明です: {count} "
       "ランクが停止していますが、待機対象はダンプから分かりません。全ランクのダンプまたは "
       "world_size があれば分かります。"},
      {"Whether {rank} stopped the job is not known: others wait at {operation}, and whether it is "
       "a member is not recorded.",
       "ジョブを止めたのが{rank}かどうかは不明です: 他のランクが {operation} で待機していますが、"
       "メンバーかどうかは記録されていません。"},
      {"Whether {rank} stopped the job is not known: its host did not arrive at {operation}, and "
       "it "
       "may wait itself, in a message that this back end does not record.",
       "{rank} がジョブを止めたかどうかは不明です。ホストが {operation} "
       "に到達していませんが、このバック"
       "エンドが記録しないメッセージを待っている可能性があります。"},
      {"Which of {ranks} stopped the job is not known: their hosts did not arrive at {operation}, "
       "and they may wait themselves, in messages that this back end does not record.",
       "{ranks} のどれがジョブを止めたかは不明です。ホストが {operation} "
       "に到達していませんが、このバックエンドが記録しないメッセージを待っている可能性があります"
       "。"},
      {"Whether {rank} stopped the job is not known: it did not finish or reach {operation}, and a "
       "process that left no dump may have died.",
       "{rank} がジョブを止めたかどうかは不明です。{operation} "
       "を完了していないか到達していませんが、ダンプを残さなかったプロセスが終了した可能性がありま"
       "す。"},
      {"Which of {ranks} stopped the job is not known: they did not finish or reach {operation}, "
       "and a process that left no dump may have died.",
       "{ranks} のどれがジョブを止めたかは不明です。{operation} "
       "を完了していないか到達していませんが、ダンプを残さなかったプロセスが終了した可能性がありま"
       "す。"},
      {"give world_size: a rank that left no dump, in a group with fewer members than others, "
       "would "
       "be the one; read the logs of {ranks}",
       "world_size を指定してください: "
       "メンバーが他より少ないグループの、ダンプを残さなかったランクが原因です。{ranks} "
       "のログも確認してください"},
      {"it called {own} where others called {other}",
       "他のランクが {other} を呼び出した箇所で {own} を呼び出しました"},
      {"Which of {ranks} stopped the job is not known: they wait for one another in operations "
       "that "
       "they call in different orders.",
       "{ranks} "
       "のどれがジョブを止めたかは不明です。異なる順序で呼び出した操作で互いに待機しています。"},
      {"see in the code which of {ranks} leaves out a call or calls in another order; dumps that "
       "go "
       "back two steps (a larger TORCH_FR_BUFFER_SIZE), with frames, may tell",
       "{ranks} "
       "のどれが呼び出しを省くか、別の順序で呼び出すかをコードで確認してください。2 ステップ前まで"
       "遡るダンプ (より大きい TORCH_FR_BUFFER_SIZE、フレーム付き) があれば分かる場合があります"},
      {"Whether ranks wait for one another in send and recv is not known: this back end does not "
       "record them.",
       "send と recv "
       "で互いに待機しているランクがあるかどうかは不明です。このバックエンドはこれらを記録しません"
       "。"},
      {"take stacks of all ranks (py-spy dump with locals), which show who waits for whom; or dump "
       "again in a minute: a job that moves has later operations then",
       "全ランクのスタックを取得すると (py-spy dump with locals) "
       "待機対象が分かります。または 1 "
       "分後に再度ダンプしてください。動いているジョブでは新しい操作が記録されます"},
      {"the last operation of the job began {time} before the dumps were written",
       "ジョブの最後の操作は、ダンプが書き込まれる {time} 前に開始しました"},
      {"a pickle beside the dumps was left out: {why}",
       "ダンプと同じ場所にある pickle を除外しました: {why}"},
      {"Which of {ranks} stopped the job is not known: some did not arrive at {operation}, and the "
       "processes of others are dead or do not answer.",
       "{ranks} のどれがジョブを止めたかは不明です。{operation} "
       "に到達していないランクと、プロセスが終了したか応答しないランクがあります。"},
      {"read the logs of {ranks} and their hosts: which of them stopped first decides; dumps of "
       "all "
       "ranks tell what those that answer wait for",
       "{ranks} "
       "とそのホストのログを確認してください。先に停止したものが原因です。全ランクのダンプがあれば"
       "、"
       "応答するランクの待機対象が分かります"},
      {"{operation} from {from} to {to}", "{from} から {to} への {operation}"},
      {"Which of {ranks} stopped the job is not known: others wait at {operation}, and which of "
       "them are members is not recorded.",
       "ジョブを止めたのが {ranks} のどれかは不明です: 他のランクが {operation} "
       "で待機していますが、どれがメンバーかは記録されていません。"},
      {"dumps cannot decide: see in the code who is a member of the group (new_group), give "
       "world_size, and take stacks of {ranks}",
       "ダンプでは判定できません: グループのメンバーをコード (new_group) で確認し、world_size "
       "を指定し、{ranks} のスタックを取得してください"},
      {"no dump; another rank may have stopped because of it",
       "ダンプなし。他のランクがこのために停止した可能性があります"},
      {"members called different things at {operation}, and finished it: {own} on {ranks}, {usual} "
       "on {others}",
       "{operation} でメンバーの呼び出しが異なり、完了しています: {ranks} は {own}、{others} は "
       "{usual}"},
      {"before, {what}", "それ以前に、{what}"},
      {"Members of a group called different things before the job stopped.",
       "ジョブが停止する前に、グループのメンバーの呼び出しが異なっていました。"},
      {"Mismatches that all finished", "全メンバーが完了した不一致"},
      {"other ranks", "他のランク"},
      {"their sizes", "他のサイズ"},
      {"it did not finish {operation}, which others finished",
       "他のランクが完了した {operation} を完了していません"},
      {"they did not finish {operation}, which others finished",
       "他のランクが完了した {operation} を完了していません"},
      {"take the stacks of {ranks} (py-spy, with native frames), and see the network of their "
       "hosts",
       "{ranks} のスタックを取得し (py-spy, with native "
       "frames)、ホストのネットワークを確認してください"},
      {"look at the devices of {ranks}: errors in dmesg, links",
       "{ranks} のデバイスを確認してください: dmesg のエラー、リンク"},
      {"rank {rank} in {call}", "ランク {rank} は {call}"},
      {"dumps are missing, of {ranks}: nothing is known of them",
       "{ranks} のダンプがなく、状態は不明です"},
      {"{operation} is {other} on others, in another order",
       "{operation} は、他のランクでは順序が異なり {other} です"},
      {"{operation} is {other} on others", "{operation} は、他のランクでは {other} です"},
      {"{operation} has the type {own}, and {others} on others",
       "{operation} の型は {own} で、他のランクでは {others} です"},
      {"{operation} has sizes {own}, and {others} on others",
       "{operation} のサイズは {own} で、他のランクでは {others} です"},
      {"its device did not begin {operation}, which others began",
       "他のランクが開始した {operation} を、デバイスが開始していません"},
      {"their devices did not begin {operation}, which others began",
       "他のランクが開始した {operation} を、各デバイスが開始していません"},
      {"its device did not finish {operation}, which others finished",
       "他のランクが完了した {operation} を、デバイスが完了していません"},
      {"their devices did not finish {operation}, which others finished",
       "他のランクが完了した {operation} を、各デバイスが完了していません"},
      {"its host did not arrive at {operation}", "ホストが {operation} に到達していません"},
      {"their hosts did not arrive at {operation}", "各ホストが {operation} に到達していません"},
      {"they wait for one another in send and recv", "send と recv で互いを待っています"},
      {"they wait for one another in operations that they call in different orders",
       "異なる順序で呼び出した操作で互いを待っています"},
      {"it left no dump, and all others arrived at {operation}",
       "ダンプがなく、他の全ランクは {operation} に到達しています"},
      {"they left no dump, and all others arrived at {operation}",
       "ダンプがなく、他の全ランクは {operation} に到達しています"},
      {"Which of {ranks} stopped the job is not known: dumps are missing, and all others arrived "
       "at {operation}.",
       "ジョブを止めたのが {ranks} のどれかは不明です: ダンプがなく、他の全ランクは {operation} "
       "に到達しています。"},
      {"Which rank stopped the job is not known: {ranks} arrived at {operation}, and none finished "
       "it.",
       "ジョブを止めたランクは不明です: {ranks} が {operation} に到達し、どれも完了していません。"},
      {"Which of {ranks} stopped the job is not known: {why}.",
       "ジョブを止めたのが {ranks} のどれかは不明です: {why}。"},
      {"Which of {ranks} stopped the job is not known: they may wait for one another, or have "
       "finished what others wait for.",
       "ジョブを止めたのが {ranks} のどれかは不明です: "
       "互いを待っているか、他のランクが待つ操作を完了済みの可能性があります。"},
      {"1 rank waits at {operation}", "1 ランクが {operation} で待機しています"},
      {"{count} ranks wait at {operation}", "{count} ランクが {operation} で待機しています"},
      {"{count} ranks ({ranks}, ...)", "{count} ランク ({ranks}, ...)"},
      {"{operation} {sequence} from {from} to {to} in group {group}",
       "グループ {group} の {from} から {to} への {operation} {sequence}"},
      {"{operation} {sequence} of group {group}", "グループ {group} の {operation} {sequence}"},
      {"an unknown operation", "不明な操作"},
      {"{ranks} stopped the job: {why}.", "{ranks} がジョブを止めました: {why}。"},
      {"no dump; {waiting}", "ダンプなし。{waiting}"},
      {"no entry; {waiting}", "記録なし。{waiting}"},
      {"last enqueued {last}; {waiting}", "最後の投入は {last}。{waiting}"},
      {"in no operation, while others wait", "他のランクが待機する間、どの操作も実行していません"},
      {"enqueued, and not begun as by others: {operation}",
       "投入済みで、他と異なり未開始: {operation}"},
      {"unfinished, and finished by others: {operation}",
       "未完了で、他のランクは完了: {operation}"},
      {"unfinished, as by all members: {operation}", "全メンバーで未完了: {operation}"},
      {"waits in {operation}", "{operation} で待機中"},
      {" ({line})", " ({line})"},
      {"dumps cannot decide: take stacks of {ranks} (py-spy), and read their logs",
       "ダンプでは判定できません: {ranks} のスタックを取得し (py-spy)、ログを確認してください"},
      {"take the stack of {ranks} (py-spy): this back end does not record send and recv, in which "
       "ranks may wait for one another",
       "{ranks} のスタックを取得してください (py-spy): このバックエンドは send と recv "
       "を記録せず、その中で互いを待っている可能性があります"},
      {"take the stack of {ranks} (py-spy): data loading, a lock, or another branch of the code",
       "{ranks} のスタックを取得してください (py-spy): "
       "データ読み込み、ロック、またはコードの別の分岐が考えられます"},
      {"look at the devices of {ranks}: Xid errors in dmesg, ECC errors, links (nvidia-smi -q)",
       "{ranks} のデバイスを確認してください: dmesg の Xid エラー、ECC エラー、リンク (nvidia-smi "
       "-q)"},
      {"let one side receive first, or use batch_isend_irecv",
       "片側を先に受信させるか、batch_isend_irecv を使ってください"},
      {"call the operations of all groups in one order on all ranks",
       "全ランクで、全グループの操作を同じ順序で呼び出してください"},
      {"read the log of {ranks} and its host first: processes that died leave no dump",
       "まず {ranks} のログとホストを確認してください: 異常終了したプロセスはダンプを残しません"},
      {"make all ranks call the same there: {own} on {ranks}, {others} on others",
       "全ランクで同じ呼び出しにしてください: {ranks} は {own}、他は {others}"},
      {"rank {rank} waits for {other}", "ランク {rank} は {other} を待機"},
      {", {rank} for {other}", "、{rank} は {other} を待機"},
      {"{problem} ({where})", "{problem} ({where})"},
      {"Dumps contradict one another: {what}. ", "ダンプが互いに矛盾しています: {what}。"},
      {"Dumps contradict one another: they may be of several jobs or starts.",
       "ダンプが互いに矛盾しています: 複数のジョブまたは起動のものかもしれません。"},
      {"give the dumps that one start of the job left, each under the name that it was written "
       "with; see the notes",
       "ジョブの 1 回の起動が残したダンプを、書き込まれたときの名前のまま指定してください。"
       "注記を参照"},
      {"{ranks} may have stopped the job, if these dumps belong together: {why}.",
       "これらのダンプが同じジョブのものなら、{ranks}がジョブを止めた可能性があります: {why}。"},
      {"the name of a dump says rank {rank}, its groups say rank {other}",
       "ダンプの名前ではランク {rank}、グループではランク {other} です"},
      {"the name of a dump says rank {rank}, which its group {group} has not",
       "ダンプの名前はランク {rank} ですが、そのグループ {group} に含まれません"},
      {"dumps disagree about who is in group {group}: {some} by {these}, {others} by {those}",
       "グループ {group} のメンバーがダンプにより異なります: "
       "{these}では{some}、{those}では{others}"},
      {"the dump of {ranks}", "{ranks}のダンプ"},
      {"the dumps of {ranks}", "{ranks}のダンプ"},
      {"rank {rank} finished operation {last} of group {group}, of which rank {other} enqueued "
       "only "
       "{enqueued}",
       "グループ {group} で、ランク {rank} は操作 {last} を完了しましたが、ランク {other} は "
       "{enqueued} "
       "までしか投入していません"},
      {"dumps are of different versions: {version} of {these}, {other} of others",
       "ダンプのバージョンが異なります: {these}は {version}、他は {other}"},
      {"the last operation of {rank} is {time} older than those of most others",
       "{rank}の最後の操作は、他の大半より {time} 古いものです"},
      {"the first operation of {rank} is {time} newer than the last of most others",
       "{rank}の最初の操作は、他の大半の最後の操作より {time} 新しいものです"},
      {"a dump cannot be read: {why}", "ダンプを読み取れません: {why}"},
      {"dumps were left out: another one of the rank is newer",
       "ダンプの一部を除外しました: 同じランクのより新しいダンプがあります"},
      {"operations were left out: no group or number, or too many unfinished",
       "操作の一部を除外しました: グループまたは番号がないか、未完了が多すぎます"},
      {"waits were left out: others of the same ranks are shown",
       "待機の一部を除外しました: 同じランクの他の待機を表示しています"},
      {"it is at {line}", "現在位置は {line} です"},
      {"they are at {line}", "いずれも現在位置は {line} です"},
      {"{call} at {line}", "{line} の {call}"},
      {"{fault}; {where}", "{fault}。{where}"},
      {"{evidence}; {more}", "{evidence}。{more}"},
      {"Whether {rank} stopped the job is not known: it waits in {call}, and for which rank is not "
       "recorded.",
       "ジョブを止めたのが{rank}かどうかは不明です: "
       "{call} で待機していますが、待機対象は記録されていません。"},
      {"Which of {ranks} stopped the job is not known: they wait in messages, perhaps for one "
       "another ({calls}), and for which ranks is not recorded.",
       "ジョブを止めたのが {ranks} のどれかは不明です: メッセージで待機しており、互いを待っている"
       "可能性がありますが ({calls})、待機対象は記録されていません。"},
      {"{ranks} stopped the job, unless it still moves: {why}.",
       "ジョブがまだ動いているのでなければ、{ranks} がジョブを止めました: {why}。"},
      {"its main thread is at {line}", "メインスレッドの現在位置は {line}"},
      {"its main thread is at {line}, in {inner}",
       "メインスレッドの現在位置は {line} (最も内側は {inner})"},
      {"dumps cannot decide: compare the stacks of {ranks}, and read their logs",
       "ダンプでは判定できません: {ranks} のスタックを比較し、ログを確認してください"},
      {"see what the code does there on {ranks}: data loading, a lock, or another branch",
       "{ranks} がそこで実行しているコードを確認してください: "
       "データ読み込み、ロック、または別の分岐が考えられます"},
      {"find for which rank each of them waits (py-spy dump with locals shows src and dst): they "
       "are "
       "a circle if each waits for another of them",
       "それぞれの待機対象を確認してください (py-spy dump (ローカル変数付き) で src と dst "
       "が分かります): "
       "それぞれが互いのどれかを待っていれば循環です"},
      {"ask ncclras again, and give both answers: of a job that moves, counts differ too",
       "もう一度 ncclras を実行し、両方の結果を渡してください: "
       "動いているジョブでも回数は異なります"},
      {"NCCL's RAS service considers its process dead",
       "NCCL の RAS サービスはプロセスを停止済みと判定しています"},
      {"NCCL's RAS service considers their processes dead",
       "NCCL の RAS サービスは各プロセスを停止済みと判定しています"},
      {"its process does not answer NCCL's RAS service",
       "プロセスが NCCL の RAS サービスに応答しません"},
      {"their processes do not answer NCCL's RAS service",
       "各プロセスが NCCL の RAS サービスに応答しません"},
      {"its process answers NCCL's RAS service and is no member of the communicator",
       "プロセスは NCCL の RAS サービスに応答しますが、コミュニケータのメンバーではありません"},
      {"its communicator has an error or is being aborted",
       "コミュニケータがエラーまたは中断の状態です"},
      {"Which rank stopped the job is not known: stacks alone do not tell who waits for whom.",
       "ジョブを止めたランクは不明です: スタックだけでは待機の関係が分かりません。"},
      {"stacks cannot be read: {why}", "スタックを読み取れません: {why}"},
      {"a status of NCCL's RAS cannot be read: {why}", "NCCL の RAS の状態を読み取れません: {why}"},
      {"members of communicators were left out: no rank, or one twice",
       "コミュニケータのメンバーの一部を除外しました: ランクがないか、重複しています"},
      {"ranks of members are not known: no communicator has all processes",
       "メンバーのランクは不明です: 全プロセスを含むコミュニケータがありません"},
      {"files of a stuck job lie beside the traces: `stepscope hang` reads them",
       "停止したジョブのファイルがトレースと同じ場所にあります: `stepscope hang` で読み取れます"},
      {"its last event is {time} older than that of others", "最後のイベントが他より {time} 古い"},
      {"its last step is {step}, of others {most}", "最後のステップは {step} で、他は {most}"},
      {"hang: {ranks}: {reason}", "ハング: {ranks}: {reason}"},
      {"hang: {ranks} at {operation}: {reason}", "ハング: {operation} での {ranks}: {reason}"},
      {"hang: {reason}", "ハング: {reason}"},
      {"Last signs of life", "最後の生存確認"},
      {"last event", "最後のイベント"},
      {"before the others", "他より前"},
      {"Where main threads are", "メインスレッドの現在位置"},
      {"innermost frame", "最も内側のフレーム"},
      {"call of torch.distributed", "torch.distributed の呼び出し"},
      {"ranks there", "同じ位置のランク数"},
      {"Communicators of NCCL's RAS service", "NCCL の RAS サービスのコミュニケータ"},
      {"communicator", "コミュニケータ"},
      {"answered", "応答あり"},
      {"dead", "停止済み"},
      {"unresponsive", "応答なし"},
      {"fewest collectives", "最少の集団通信回数"},
      {"most collectives", "最多の集団通信回数"},
      {"members with fewest", "最少のメンバー"},
      {"missing members", "不在のメンバー"},
      {"No rank is stuck in an operation that was recorded; whether {ranks} ended is not known: "
       "there is no dump.",
       "記録された操作で停止しているランクはありません。{ranks} "
       "はダンプがないため、終了したかどうか不明です。"},
      {"The last operation of the job began {time} before the dumps were written: if it still "
       "moves, "
       "they disagree; dump again in a minute.",
       "最後の操作はダンプが書き込まれる {time} "
       "前に始まっています。ジョブがまだ動いている場合、ダンプ同士は"
       "食い違います。1 分後にもう一度ダンプを取ってください。"},
      {"No rank is stuck in an operation that was recorded.",
       "記録された操作で停止しているランクはありません。"},
      {"Hang", "ハング"},
      {"Root ranks", "根本原因のランク"},
      {"Who waits for whom", "待機の関係"},
      {"Operations that ranks are stuck in", "ランクが停止している操作"},
      {"ranks with a dump", "ダンプのあるランク"},
      {"ranks stuck in an operation", "操作で停止中のランク"},
      {"waits for", "待機対象"},
      {"Groups of ranks that wait for others", "他を待つランクのグループ"},
      {"awaited ranks", "待機対象のランク数"},
      {"Which rank stopped the job is not known: {ranks} arrived at {operation}, none finished "
       "it, and whether the job has more ranks is not recorded.",
       "ジョブを止めたランクは不明です: {ranks}は {operation} に到達し、どれも完了していません。"
       "他にもランクがあるかは記録されていません。"},
      {"give world_size: a rank above these that left no dump would be the one; if there is "
       "none, take stacks of {ranks} (py-spy)",
       "world_size を指定してください。これらより上のランクがダンプを残していなければ、"
       "それが原因です。なければ{ranks}のスタックを取得してください (py-spy)"},
      {"{why}, and all others arrived at {operation}",
       "{why}。他の全ランクは {operation} に到達しています"},
      {"their dumps are missing or do not count, and all others arrived at {operation}",
       "ダンプがないか使用できず、他の全ランクは {operation} に到達しています"},
      {"its dump is empty", "ダンプが空です"},
      {"its dump cannot be read ({why})", "ダンプを読み取れません ({why})"},
      {"its dump seems to be of an earlier attempt (its last operation is {time} older than the "
       "first of others)",
       "ダンプは以前の試行のものと思われます (最後の操作が他の最初の操作より {time} 前)"},
      {"its dump seems to be of a later attempt (its first operation is {time} newer than the last "
       "of others)",
       "ダンプは後の試行のものと思われます (最初の操作が他の最後の操作より {time} 後)"},
      {"its dump seems to be of an earlier attempt (it was written {time} before the first "
       "operation of others)",
       "ダンプは以前の試行のものと思われます (他の最初の操作の {time} 前に書き込まれています)"},
      {"{why}; {waiting}", "{why}。{waiting}"},
      {"the dump of {rank} does not count: {why}", "{rank} のダンプは使用しません: {why}"},
      {"the dumps of {ranks} do not count either", "{ranks} のダンプも使用しません"},
      {"What {ranks} did is not known: a dump is there and does not count.",
       "{ranks} の状態は不明です: ダンプはありますが、使用できません。"},
      {"rank {rank}: {why}", "ランク {rank}: {why}"},
      {"give only the dumps of the attempt that hung, and copy damaged ones again",
       "停止した試行のダンプだけを指定し、破損したものはコピーし直してください"},
      {"the dump of {rank} was written {time} before the last operation of others, when the job "
       "still moved",
       "{rank} のダンプは他の最後の操作の {time} 前、ジョブがまだ動いていたときに書き込まれました"},
      {"the last operation of {rank} is {time} older than the first of others",
       "{rank} の最後の操作は、他の最初の操作より {time} 前です"},
      {"Whether {ranks} stopped the job is not known: {operation} is unfinished, and the dumps by "
       "which others finished it are damaged or not read in whole.",
       "{ranks} がジョブを止めたかどうかは不明です: {operation} が完了していませんが、他が完了した"
       "ことを示すダンプは破損しているか、一部しか読み取れていません。"},
      {"Which rank stopped the job is not known: {others} alone called {operation}, and {ranks} "
       "did "
       "not.",
       "ジョブを止めたランクは不明です: {operation} を呼び出したのは {others} だけで、{ranks} "
       "は呼び出していません。"},
      {"Which rank stopped the job is not known: {others} alone began {operation}, and {ranks} did "
       "not.",
       "ジョブを止めたランクは不明です: {operation} を開始したのは {others} だけで、{ranks} "
       "は開始していません。"},
      {"Which rank stopped the job is not known: by the dump of {others} alone others finished "
       "{operation}, and {ranks} did not.",
       "ジョブを止めたランクは不明です: {operation} の完了を示すのは {others} のダンプだけで、"
       "{ranks} は完了していません。"},
      {"Whether {rank} stopped the job is not known: {why}, but {count} operations of its dump "
       "were "
       "left out.",
       "{rank} がジョブを止めたかどうかは不明です: {why}。ただし、ダンプの {count} "
       "個の操作を除外しています。"},
      {"Which of {ranks} stopped the job is not known: {why}, but operations of their dumps were "
       "left out.",
       "{ranks} のどれがジョブを止めたかは不明です: {why}。ただし、ダンプの操作の一部を除外して"
       "います。"},
      {"Whether {rank} stopped the job is not known: {why}, but its dump may be damaged: it has "
       "values that no program can have given.",
       "{rank} がジョブを止めたかどうかは不明です: {why}。ただし、プログラムが渡すはずのない値が"
       "あり、ダンプが破損している可能性があります。"},
      {"Which of {ranks} stopped the job is not known: {why}, but their dumps may be damaged: they "
       "have values that no program can have given.",
       "{ranks} のどれがジョブを止めたかは不明です: {why}。ただし、プログラムが渡すはずのない値が"
       "あり、ダンプが破損している可能性があります。"},
      {"Whether {rank} stopped the job is not known: {why}.",
       "{rank} がジョブを止めたかどうかは不明です: {why}。"},
      {"see whether the dump of {others} is of the same attempt, and whether the code calls this "
       "on "
       "all ranks; take stacks of {ranks} (py-spy)",
       "{others} のダンプが同じ試行のものか、コードが全ランクでこれを呼び出すかを確認し、{ranks} "
       "のスタックを取得してください (py-spy)"},
      {"read the log of {ranks} and its host first; a dump of this attempt that can be read, or a "
       "stack (py-spy), would decide",
       "まず {ranks} とそのホストのログを確認してください。この試行の読み取れるダンプか、スタック "
       "(py-spy) があれば判定できます"},
      {"copy the dump of {ranks} again, or dump again, and compare; a stack (py-spy) tells where "
       "it "
       "is",
       "{ranks} のダンプをコピーし直すか、再度ダンプして比較してください。スタック (py-spy) "
       "で現在位置が分かります"},
      {"operations have values that no recorder writes: dumps may be damaged",
       "記録されるはずのない値を持つ操作があります。ダンプが破損している可能性があります"},
      {"dumps are empty files, of {ranks}: their processes may have ended while they wrote them",
       "{ranks}のダンプは空のファイルです。書き込み中にプロセスが終了した可能性があります"},
      {"the file is empty", "ファイルが空です"},
      {"awaited by each", "各ランクの待機対象数"},
      {"ranks alike", "同じグループのランク"},
      {"awaited ranks alike", "同じグループの待機対象"},
      {"distance", "距離"},
      {"root", "根本原因"},
      {"perhaps", "可能性あり"},
      {"certain", "確定"},
      {"evidence", "根拠"},
      {"last arrival", "最後の到達"},
      {"ranks waiting", "待機中のランク"},
      {"stuck", "停止中"},
      {"why", "理由"},
      {"reason", "理由"},
      {"not arrived", "未到達"},
      {"not finished", "未完了"},
      {"not begun", "未開始"},
      {"mismatch", "不一致"},
      {"dump missing", "ダンプなし"},
      {"behind another operation", "別の操作の後"},
      {"message not posted", "メッセージ未発行"},
  };
  return kTexts;
}

}  // namespace stepscope
