// Declares the parts of the Japanese catalogue.
#pragma once

#include <span>

#include "language/catalogue.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesAToG();
std::span<const Translated> JapaneseOfAnalysesAToG2();
std::span<const Translated> JapaneseOfAnalysesAToG3();
std::span<const Translated> JapaneseOfAnalysesHToL();
std::span<const Translated> JapaneseOfAnalysesHToL2();
std::span<const Translated> JapaneseOfAnalysesHToL3();
std::span<const Translated> JapaneseOfAnalysesMToSh();
std::span<const Translated> JapaneseOfAnalysesMToSh2();
std::span<const Translated> JapaneseOfAnalysesStToZ();
std::span<const Translated> JapaneseOfAnalysesStToZ2();
std::span<const Translated> JapaneseOfAnalysesStToZ3();
std::span<const Translated> JapaneseOfDocs1();
std::span<const Translated> JapaneseOfDocs2();
std::span<const Translated> JapaneseOfDocs3();
std::span<const Translated> JapaneseOfDocs4();
std::span<const Translated> JapaneseOfComparison();
std::span<const Translated> JapaneseOfComparisonsFirst();
std::span<const Translated> JapaneseOfReports();
std::span<const Translated> JapaneseOfNotes();
std::span<const Translated> JapaneseOfCaptures();
std::span<const Translated> JapaneseOfHangs();
std::span<const Translated> JapaneseOfQueries();
std::span<const Translated> JapaneseOfMemorySnapshots();
std::span<const Translated> JapaneseOfPrograms();
std::span<const Translated> JapaneseOfGoodput();
std::span<const Translated> JapaneseOfGoodputModels();
std::span<const Translated> JapaneseOfFleets();
std::span<const Translated> JapaneseOfGoodputPage();
std::span<const Translated> JapaneseOfTimeline();

}  // namespace stepscope
