// Holds the Japanese of compiled programs.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfPrograms() {
  static constexpr Translated kTexts[] = {
      {"Compiled programs", "コンパイル済みプログラム"},
      {"Programs", "プログラム"},
      {"Planned memory of XLA programs by buffer and line",
       "XLA プログラムの計画メモリ (バッファーとソース行別)"},
      {"memory space", "メモリ空間"},
      {"arguments", "引数"},
      {"outputs", "出力"},
      {"temporaries", "一時領域"},
      {"constants", "定数"},
      {"aliased", "引数と共有"},
      {"unused", "未使用"},
      {"instruction at peak", "ピーク時の命令"},
      {"transcendentals", "超越関数"},
      {"bytes accessed", "アクセスしたバイト数"},
      {"Buffers at the peak", "ピーク時のバッファー"},
      {"buffer", "バッファー"},
      {"buffers", "バッファー数"},
      {"padding", "パディング"},
      {"source line", "ソース行"},
      {"argument", "引数"},
      {"constant", "定数"},
      {"Memory at the peak by source line", "ピーク時のメモリ (ソース行別)"},
      {"Device time by source line", "デバイス時間 (ソース行別)"},
      {"{count} compiled program", "{count} 個のコンパイル済みプログラム"},
      {"the traces hold no compiled programs", "トレースにコンパイル済みプログラムがありません"},
      {"{programs} were recorded without their memory.",
       "{programs}のメモリは記録されていません。"},
      {"{program} needs {peak} of device memory at its peak.",
       "{program} はピーク時に {peak} のデバイスメモリを必要とします。"},
      {"{program} needs {peak} of device memory at its peak; the largest buffer is {buffer} "
       "({size}).",
       "{program} はピーク時に {peak} のデバイスメモリを必要とします。最大のバッファーは {buffer} "
       "({size}) です。"},
      {"doc of programs, b9d9cdb2", R"md(
**質問:** 各コンパイル済みプログラムに必要なデバイスメモリはどれだけで、
ピーク時にはどのバッファー、演算、ソース行がそれを占めますか。

**定義:** コンパイラー (XLA) は、プログラムの実行前にメモリを計画します。
`peak` は同時に使用されるメモリの最大値です。これは、プログラムの実行中ずっと存在する引数、出力、定数と、
スケジュール上で重なる一時領域の合計です。`peak_at` は、最初にそこに達する命令です。
`allocated` はプログラムが予約するメモリです。`arguments`、`outputs`、`constants`、`temporaries`
の合計から、引数でも出力でもある `aliased` を引きます。
`unused` は、ピーク時の `allocated` の残り、つまりバッファーの隙間です。
`at_peak` は、ピーク時に使用中のバッファーです。メモリを共有するバッファーは、最後のものの名前で示します。
`padding` は、形状に必要な分を超える部分です。
`lines` は、フレームワークの op とソース行ごとにバッファーを合計します。
`space` はデバイスのメモリで、0 は主メモリです。
`flops`、`transcendentals`、`bytes` は、XLA のコスト分析の規則による 1 回の実行の値です。
ループは、コンパイラーが反復回数を知っていればその回数、なければ 1 回と数えます。
指標は、主メモリのピークが最大のプログラムのものです。

**制限:** これは 1 つのプログラムの計画です。他のパラメーターや以前のプログラムの結果など、
同時に存在する他のメモリは含みません。アロケーターの実測は `memory_profile` にあります。
コンパイラーがスケジュールを記録していない場合、一時領域はすべて同時に数えます。
コンパイル済みプログラムのないプロファイル (PyTorch、enable_hlo_proto を無効にした JAX と TensorFlow)
にはありません。

**読み方:** プログラムがメモリに収まらない場合は、`at_peak` の最大の一時領域を見てください。
再計算する (jax.checkpoint)、シャーディングする、
または出力に使える引数のメモリを donate します (donate_argnums)。
)md"},
  };
  return kTexts;
}

}  // namespace stepscope
