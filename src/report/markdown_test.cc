// Tests Markdown as an issue renders it.
#include <gtest/gtest.h>

#include <string>

#include "stepscope/write.h"
#include "tests/support/sample_answer.h"

namespace stepscope::markdown_test {
namespace {

TEST(Markdown, ShowsWhatTextShows) {
  EXPECT_EQ(ToMarkdown(SampleAnswer()),
            R"(Four ranks computed for 71.2% of the time. Rank 1 stands out: it waits for its host.

## Findings

- **high**: Rank 1 waits for its host for most of every step, far longer than others.
  - because it is idle for 83.5 s, the median rank for 1.24 ms
  - try: look at the data loader of rank 1: raise num_workers
- **low**: Rank 0 starts late.

## Idle time

partial: rank 3 holds no accelerator work

GPUs stood idle for 12.3% of the time, mostly waiting for the host.

- Idle: 83.5 s
- Worst rank: 1
- Waiting for the host: -

### Ranks

| rank | idle | idle share | copied |
| ---: | ---: | ---: | ---: |
| 2 | 1.24 ms | 12.3% | 1.50 MB |
| 0 | 640 ns | 0.0% | - |

… 1 more row in csv and json

### Kernels

| kernel | launches |
| --- | ---: |
| gemm&lt;float, 128&gt; | 12,345 |
| ncclDevKernel_AllReduce_Sum_f32 | 7 |

More in csv and json: Gaps (3 rows)

## Memory

unavailable: the traces were recorded without profile_memory

## Notes

- negative_duration × 1,234: events end before they begin; taken as 0 ns long (2 files)
- no_correlation × 2: kernels have no launch (rank-1.json)
- window_cut: Only complete steps are counted.
)");
}

// What becomes of a verdict.
std::string Shown(const std::string& text) {
  ReportSet answer;
  answer.verdict = text;
  return ToMarkdown(answer);
}

TEST(Markdown, NamesMeanNothingToIt) {
  EXPECT_EQ(Shown("a|b"), "a\\|b\n");
  EXPECT_EQ(Shown("`code`"), "\\`code\\`\n");
  EXPECT_EQ(Shown("<script>&amp;"), "&lt;script&gt;&amp;amp;\n");
  EXPECT_EQ(Shown("[x](http://y)"), "\\[x\\](http://y)\n");
  EXPECT_EQ(Shown("*a* C:\\b"), "\\*a\\* C:\\\\b\n");
  EXPECT_EQ(Shown("# no heading"), "\\# no heading\n");
  EXPECT_EQ(Shown("- no list"), "\\- no list\n");
  EXPECT_EQ(Shown("two\nlines"), "two\\\\nlines\n");
}

TEST(Markdown, UnderscoresInsideWordsStayReadable) {
  EXPECT_EQ(Shown("all_reduce"), "all_reduce\n");
  EXPECT_EQ(Shown("__global__ f"), "\\_\\_global\\_\\_ f\n");
}

}  // namespace
}  // namespace stepscope::markdown_test
