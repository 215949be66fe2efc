// Lets each call of one kind fail in turn while a program records: it goes on, and every event
// whose call returned OK is there.
#include <gtest/gtest.h>

#include <filesystem>

#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput_ledger.h"
#include "tests/fault_sweep.h"
#include "tests/ledger.h"
#include "tests/paths.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"

namespace stepscope::testing::recorder_fault_sweep_test {
namespace {

int64_t EventsIn(const std::string& folder) {
  if (!std::filesystem::exists(folder)) return 0;
  int64_t events = 0;
  goodput::Notes notes;
  EXPECT_TRUE(goodput::ReadSegments(folder, notes, [&](const goodput::Event&) { ++events; }));
  EXPECT_EQ(notes.Count(goodput::NoteKind::kLostEvents), 0);
  const auto checked = GoodputCheck(folder);
  EXPECT_TRUE(checked) << checked.error().what;
  EXPECT_EQ(checked ? MetricOf(*checked, "faults") : -1, 0);
  return events;
}

TEST(RecorderFaultSweep, ACProgramLosesNoEventThatItSaidToHave) {
  if (kSanitized) GTEST_SKIP() << "not under a sanitizer: both would be malloc()";
  const Sweep sweep{.program = GoodputCTest(), .words = "OUT/events"};
  for (const char* kind : {"alloc", "open", "read", "write", "sync", "rename"}) {
    for (const Fault& fault : sweep.Faults(kind, 8)) {
      SCOPED_TRACE(NameOf(fault));
      const ScratchFolder folder;
      const Outcome outcome = sweep.Run(folder.path(), fault);
      EXPECT_LT(outcome.code, 128) << outcome.err;
      const int64_t said = outcome.out.empty() ? 0 : std::stoll(outcome.out);
      EXPECT_GE(EventsIn(folder.path() + "/events"), said) << outcome.err;
    }
  }
}

}  // namespace
}  // namespace stepscope::testing::recorder_fault_sweep_test
