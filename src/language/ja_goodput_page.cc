// Holds the Japanese of what the page says of goodput: jobs of runs, jobs by loss, chip-hours. What
// other answers about goodput say too is in ja_goodput.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfGoodputPage() {
  static constexpr Translated kTexts[] = {
      // The job of a run.
      {"Job of the run", "この実行のジョブ"},
      {"ledger", "台帳"},
      {"Same name: job {job}; the traces do not say when they were recorded.",
       "名前が一致: ジョブ {job}。トレースには記録時刻がありません。"},
      {"Same name and time: attempt {attempt} of job {job} ran when the traces were recorded.",
       "名前と時刻が一致: トレースの記録時にジョブ {job} の試行 {attempt} が動作していました。"},
      {"Same id at the scheduler: {id} is job {job}; the traces do not say when they were "
       "recorded.",
       "スケジューラーの ID が一致: {id} はジョブ {job}。トレースには記録時刻がありません。"},
      {"Same id at the scheduler and same time: {id} is job {job}, and its attempt {attempt} ran "
       "when the traces were recorded.",
       "スケジューラーの ID と時刻が一致: {id} はジョブ {job} で、トレースの記録時に試行 {attempt} "
       "が動作していました。"},
      {"Same time and host: attempt {attempt} of job {job} ran on {host} then.",
       "時刻とホストが一致: そのとき {host} でジョブ {job} の試行 {attempt} が動作していました。"},
      {"Same time: attempt {attempt} of job {job} ran then, and no other job of the ledgers did.",
       "時刻が一致: そのときジョブ {job} の試行 {attempt} "
       "が動作しており、台帳のほかのジョブは動作していません。"},
      {"job {job} ran when the traces were recorded, but {why}",
       "トレースの記録時にジョブ {job} が動作していましたが、{why}"},
      {"{count} ran when the traces were recorded, but none fits: of {job}, {why}",
       "トレースの記録時に {count} が動作していましたが、どれも一致しません: {job} では{why}"},
      {"the traces were recorded on {host}, where the job did not run",
       "トレースが記録された {host} ではこのジョブは動作していません"},
      {"it has another name", "名前が異なります"},
      {"it did not run when the traces were recorded", "トレースの記録時に動作していませんでした"},
      {"no job has the name of the run, and the traces do not say when they were recorded",
       "実行と同じ名前のジョブがなく、トレースには記録時刻がありません"},
      {"no job ran when the traces were recorded",
       "トレースの記録時に動作していたジョブがありません"},
      {"{count} may be meant, and neither names nor hosts tell which: {names}",
       "候補が {count} あり、名前でもホストでも区別できません: {names}"},

      // Jobs by what they lost.
      {"Jobs by lost chip-hours", "失われたチップ時間の多い順のジョブ"},
      {"cost of them", "そのコスト"},
      {"lost time", "失われた時間"},
      {"from", "開始"},
      {"{jobs} Lost chip-hours of those whose chips are known: {hours}.",
       "{jobs}チップ数が分かるジョブで失われたチップ時間: {hours}。"},
      {"{jobs} Lost chip-hours: {hours}.", "{jobs}失われたチップ時間: {hours}。"},
      {"{jobs} Lost chip-hours: {hours}, most by {job}: {most}.",
       "{jobs}失われたチップ時間: {hours}、最多は {job}: {most}。"},
      {"the number of a job's chips is not known (it is ordered as a job of one chip)",
       "ジョブのチップ数が不明です (1 チップのジョブとして並べます)"},
      {"jobs were not read again for this answer (their rows are as of the last reading)",
       "この回答のために再度読み込んでいないジョブがあります (行は前回の読み込み時点のものです)"},

      // Chip-hours by factor.
      {"Chip-hours by factor", "要因別のチップ時間"},
      {"Chip-hours lost by factor", "要因別に失われたチップ時間"},
      {"time of the job", "ジョブの時間"},
      {"left", "残り"},
      {"chip-hours left", "残りのチップ時間"},
      {"cost left", "残りのコスト"},
      {"input that is missing", "不足している入力"},
      {"wanted by the job", "ジョブが必要とした時間"},
      {"lost without all chips", "全チップがそろわずに失われた時間"},
      {"lost without progress", "進捗なしに失われた時間"},
      {"lost below the chips' peak", "チップのピーク未満で失われた時間"},
      {"left: what an ideal program needs", "残り: 理想的なプログラムに必要な時間"},
      {"left at most: a factor is not known", "残り(上限): 不明な要因があります"},
      {"{hours} chip-hours", "{hours} チップ時間"},
      {"Of {all}, an ideal program on an ideal platform needs {ideal}: {ratio}.",
       "{all}のうち、理想的な環境の理想的なプログラムに必要なのは {ideal} ({ratio}) です。"},
      {"Of {all}, at most {ideal} ({ratio}) were needed; not known: {factors}.",
       "{all}のうち、必要だったのは最大で {ideal} ({ratio}) です。不明: {factors}。"},
      {"the scheduler's record of the job", "ジョブのスケジューラー記録"},
      {"rows of this job in the scheduler's record", "スケジューラー記録にあるこのジョブの行"},
      {"the scheduler's record of the job's start", "ジョブ開始時のスケジューラー記録"},
      {"events of the job itself", "ジョブ自身のイベント"},
      {"the model and the chip", "モデルとチップ"},
      {"steps that count", "有効なステップ"},
      {"the number of chips", "チップ数"},
      {"the job's speed (events of work, or tokens per second)",
       "ジョブの速度 (作業イベント、または毎秒のトークン数)"},
      {"the job's speed (events of work, or tokens per second) and the number of chips",
       "ジョブの速度 (作業イベント、または毎秒のトークン数) とチップ数"},
      {"the number of chips is not known (times are of the job)",
       "チップ数が不明です (時間はジョブの時間です)"},
  };
  return kTexts;
}

}  // namespace stepscope
