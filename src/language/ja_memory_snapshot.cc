// Holds the Japanese of memory snapshots.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfMemorySnapshots() {
  static constexpr Translated kTexts[] = {
      {"An allocation of {wanted} failed on device {device}, which had {free} free.",
       "デバイス {device} で {wanted} の割り当てに失敗しました。デバイスの空きは {free} でした。"},
      {"Of {reserved} reserved, {unused} were unused; the largest free block has {block}.",
       "予約済み {reserved} のうち {unused} が未使用で、最大の空きブロックは {block} です。"},
      {"set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; {there} were unused in pieces",
       "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True を設定します。{there} "
       "が断片として未使用でした"},
      {"need at least {less} less memory: a smaller batch, or recompute activations",
       "メモリを少なくとも {less} 減らします。バッチを小さくするか、活性化を再計算します"},
      {"Peak memory is not known: events of device {device} contradict its segments.",
       "ピークメモリは不明です。デバイス {device} のイベントとセグメントが矛盾しています。"},
      {"Peak requested memory is {peak} of {reserved} reserved on device {device}, at the start of "
       "the recording.",
       "要求メモリのピークは、デバイス {device} の予約済み {reserved} のうち {peak} "
       "で、記録の開始時点です。"},
      {"Peak requested memory is {peak} of {reserved} reserved on device {device}, at {time}.",
       "要求メモリのピークは、デバイス {device} の予約済み {reserved} のうち {peak} で、時刻は "
       "{time} です。"},
      {"{site} holds {bytes} of it ({share}).", "そのうち {bytes} ({share}) は {site} です。"},
      {"{site} wanted it", "要求元は {site} です"},
      {"Peak requested memory did not change: {before} before, {after} after.",
       "要求メモリのピークは変わっていません: 変更前 {before}、変更後 {after}。"},
      {"Peak requested memory is {change} higher: {before} before, {after} after.",
       "要求メモリのピークは {change} 増えました: 変更前 {before}、変更後 {after}。"},
      {"Peak requested memory is {change} lower: {before} before, {after} after.",
       "要求メモリのピークは {change} 減りました: 変更前 {before}、変更後 {after}。"},
      {"{site} holds {change} more at the peak.",
       "{site} がピーク時に保持する量は {change} 増えました。"},
      {"{site} holds {change} less at the peak.",
       "{site} がピーク時に保持する量は {change} 減りました。"},
      {"compare the shapes and the lifetime of what it allocates",
       "そこで割り当てられるテンソルの形状と寿命を比べてください"},
      {"The peak of one side is not known: its events contradict its segments.",
       "片方のピークは不明です。イベントがセグメントと矛盾しています。"},
      {"Memory allocated at {site} grows throughout the recording.",
       "{site} で割り当てたメモリが、記録の間ずっと増えています。"},
      {"{first} after the first eighth, {last} at the end; it may be a leak",
       "最初の 1/8 の後は {first}、終了時は {last} です。リークの可能性があります"},
      {"{share} of reserved memory is unused at the end, in pieces.",
       "終了時に予約済みメモリの {share} が断片として未使用です。"},
      {"{unused} of {reserved}; the largest free block has {block}",
       "{reserved} のうち {unused}。最大の空きブロックは {block} です"},
  };
  return kTexts;
}

}  // namespace stepscope
