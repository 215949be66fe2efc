// Holds the Japanese of a comparison's first sentence and of what it tells.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfComparisonsFirst() {
  static constexpr Translated kTexts[] = {
      {"Mean step time rose from {before} to {after} ({change}): {why}{rest}.",
       "平均ステップ時間が {before} から {after} に増えました ({change}): {why}{rest}。"},
      {"Mean step time fell from {before} to {after} ({change}): {why}{rest}.",
       "平均ステップ時間が {before} から {after} に減りました ({change}): {why}{rest}。"},
      {"Mean step time fell from {before} to {after} ({change}): {why}{rest}, although {more}.",
       "平均ステップ時間が {before} から {after} に減りました ({change}): {why}{rest}。"
       "ただし、{more}。"},
      {"Mean step time went from {before} to {after} ({change}), although {why}.",
       "平均ステップ時間は {before} から {after} になりました ({change})。ただし、{why}。"},
      {"Mean step time did not change beyond noise ({before} before, {after} after, {change}), "
       "although {why}.",
       "平均ステップ時間にばらつきを超える変化はありません (変更前 {before}、変更後 {after}、"
       "{change})。ただし、{why}。"},
      {", which explains {time} of {change}", " (変化 {change} のうち {time})"},
      {" Slow steps and warm-up are left out.", "遅いステップとウォームアップは除いています。"},
      {" Steps of one run differ by {deviation} (std dev).",
       "同じ実行の中でもステップ時間は {deviation} (標準偏差) ばらついています。"},

      // Reasons.
      {"{reason} on rank {rank}{when} ({amount})", "ランク {rank} で{when}{reason} ({amount})"},
      {"{reason}{when} ({amount})", "{when}{reason} ({amount})"},
      {"{time} more {category} per step", "{category}が 1 ステップあたり {time} 増"},
      {"{time} less {category} per step", "{category}が 1 ステップあたり {time} 減"},
      {"{amount}, {level} in these steps", "{amount}、該当ステップでは {level}"},
      {"rank {rank} takes {time} more {category} per step{when}",
       "ランク {rank} の{category}が 1 ステップあたり {time} 増えました{when}"},
      {"rank {rank} takes {time} less {category} per step",
       "ランク {rank} の{category}が 1 ステップあたり {time} 減りました"},
      {"{category} fell by {time} per step", "{category}が 1 ステップあたり {time} 減りました"},
      {"{category} grew by {time} per step{when}",
       "{category}が 1 ステップあたり {time} 増えました{when}"},
      {", {time}{when}", " ({when} {time})"},
      {", {time} more{when}", " ({when} {time} 増)"},
      {"{name} takes longer", "{name} が長くかかっています"},
      {"{name} takes less", "{name} が短くなりました"},
      {"{name} runs more often", "{name} の実行回数が増えています"},
      {"inputs have other sizes", "入力のサイズが異なります"},
      {"{steps} takes {each} longer, {time} more per step",
       "{steps}は {each} 長くかかります (1 ステップあたり {time} 増)"},
      {"{reason} in {steps}, {time} more per step, {each} in each of these",
       "{steps}で{reason} (1 ステップあたり {time} 増、該当ステップでは {each})"},
      {"{reason} in {steps}, {time} less per step, {each} in each of these",
       "{steps}で{reason} (1 ステップあたり {time} 減、該当ステップでは {each})"},

      // Which steps.
      {" since step {step}", "ステップ {step} 以降"},
      {" until step {step}", "ステップ {step} まで"},
      {" in steps {first} to {last}", "ステップ {first} から {last} で"},
      {" in {steps}", "{steps}で"},

      // Functions that only one run has.
      {"{function} is new on {ranks}{when}: {amount}.",
       "{ranks} で{when} {function} が新たに実行されています: {amount}。"},
      {"{function} is new on {ranks}{when}, {amount}",
       "{ranks} で{when} {function} が新たに実行されています ({amount})"},
      {"{time} per step, {each} in these steps",
       "1 ステップあたり {time}、該当ステップでは {each}"},
      {"{function} no longer runs on {ranks}, {time} per step before",
       "{ranks} で {function} は実行されなくなりました (変更前は 1 ステップあたり {time})"},
      {"{ranks} in turn", "{ranks} (交互)"},
      {"{function} is new on rank {rank} in {steps}, left out of the means: {time}.",
       "ランク {rank} の{steps} (平均から除外) で {function} が新たに実行されています: {time}。"},
      {"{time} per step of all {count} steps, which take {mean} in the mean",
       "全 {count} ステップの 1 ステップあたり {time} (全ステップの平均は {mean})"},

      // Several ranks.
      {"{ranks} take up to {time} more {category} per step than before{why}.",
       "{ranks} の{category}が 1 ステップあたり最大 {time} 増えました{why}。"},
      {"{ranks} take up to {time} more {category} per step",
       "{ranks} の{category}が 1 ステップあたり最大 {time} 増えました"},
      {"{reason} on {ranks} (up to {time} more {category} per step)",
       "{ranks} で{reason} ({category}が 1 ステップあたり最大 {time} 増)"},
      {"rank {rank}: {sides}", "ランク {rank}: {sides}"},
      {"on {ranks}: {hint}", "{ranks} で: {hint}"},
      {"rank {rank}: 0 ns before, {time} per step after{when}",
       "ランク {rank}: 変更前 0 ns、変更後は 1 ステップあたり {time}{when}"},
      {"most of it waits in wait()", "大部分は wait() での待機です"},
      {"find what it waits for: ranks that come late, collectives; see stragglers and collectives "
       "of the run after",
       "待機の対象 (遅れるランク、集合通信) を確認してください。変更後の実行の stragglers と "
       "collectives を参照"},

      // Ranks that only one run has.
      {"Rank {rank}, which only the run after has, holds it up by {time} per step{since}.",
       "変更後の実行だけにあるランク {rank} が 1 ステップあたり {time} 遅らせています{since}。"},
      {"rank {rank}, which only the run after has, holds it up by {time} per step{since}",
       "変更後の実行だけにあるランク {rank} が 1 ステップあたり {time} 遅らせています{since}"},
      {"rank {rank}, which only the run before has, held it up by {time} per step{since}",
       "変更前の実行だけにあったランク {rank} が 1 ステップあたり {time} 遅らせていました{since}"},
      {"the run after alone: {finding} {why}", "変更後の実行だけの分析: {finding}{why}"},
  };
  return kTexts;
}

}  // namespace stepscope
