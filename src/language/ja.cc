// Lists the parts of the Japanese catalogue, and says what all of them share.
#include "language/ja.h"

#include <array>

namespace stepscope {
namespace {

constexpr Translated kCommon[] = {
    {"{count} rank", "{count} ランク"},
    {"{count} step", "{count} ステップ"},
    {"{1} h", "{1} 時間"},
    {"{1} min", "{1} 分"},
    {"{1} d", "{1} 日"},
    {".", "。"},
    {". ", "。"},
    {", ", "、"},
    {"; ", "。"},
    {": ", ": "},
    {"yes", "はい"},
    {"no", "いいえ"},
    // Said alike.
    {"DtoH", "DtoH"},
    {"HtoD", "HtoD"},
    {"PyTorch", "PyTorch"},
    {"algbw", "algbw"},
    {"busbw", "busbw"},
    {"cpu", "cpu"},
    {"overlap", "オーバーラップ"},
    {"p{1}", "p{1}"},
};

}  // namespace

std::span<const std::span<const Translated>> JapaneseTexts() {
  static const std::array kAll = {std::span<const Translated>(kCommon),
                                  JapaneseOfAnalysesAToG(),
                                  JapaneseOfAnalysesAToG2(),
                                  JapaneseOfAnalysesAToG3(),
                                  JapaneseOfAnalysesHToL(),
                                  JapaneseOfAnalysesHToL2(),
                                  JapaneseOfAnalysesHToL3(),
                                  JapaneseOfAnalysesMToSh(),
                                  JapaneseOfAnalysesMToSh2(),
                                  JapaneseOfAnalysesStToZ(),
                                  JapaneseOfAnalysesStToZ2(),
                                  JapaneseOfAnalysesStToZ3(),
                                  JapaneseOfDocs1(),
                                  JapaneseOfDocs2(),
                                  JapaneseOfDocs3(),
                                  JapaneseOfDocs4(),
                                  JapaneseOfComparison(),
                                  JapaneseOfComparisonsFirst(),
                                  JapaneseOfReports(),
                                  JapaneseOfNotes(),
                                  JapaneseOfCaptures(),
                                  JapaneseOfHangs(),
                                  JapaneseOfQueries(),
                                  JapaneseOfMemorySnapshots(),
                                  JapaneseOfPrograms(),
                                  JapaneseOfGoodput(),
                                  JapaneseOfGoodputModels(),
                                  JapaneseOfFleets(),
                                  JapaneseOfGoodputPage(),
                                  JapaneseOfTimeline()};
  return kAll;
}

}  // namespace stepscope
