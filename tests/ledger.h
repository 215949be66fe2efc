// Shares a job, queries, and comparisons of events between ledger tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/notes.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "tests/scratch.h"

namespace stepscope::testing {

// What is raw of the job, in a folder or in PostgreSQL. Throws where it cannot be read to its end.
std::vector<goodput::Event> EventsIn(const std::string& store, const std::string& job = "j",
                                     goodput::Notes* note_counts = nullptr);
std::vector<goodput::Event> EventsOf(const std::string& path);

// 400 s: steps of 1 s, back from 199 to 150, an end. 383 events.
std::string TestJob();

// Of the first report; throws when it has none such.
int64_t MetricOf(const ReportSet& answer, std::string_view key);

// An answer without its files and, since they mention rollups, its notes.
std::string Numbers(const Result<ReportSet>& answer, bool notes = true);

// The vectors of ../shared/goodput/vectors, and the file with the events of one, which is made in
// the folder if need be.
std::vector<std::string> VectorFiles();
std::string EventsFileOf(const std::string& vector, const ScratchFolder& folder);

// Imports the file: the ledger answers as the file does.
void ExpectToAnswerAsTheFile(const std::string& store, const std::string& file);
// And does so whatever part of it is rolled up.
void ExpectRollingUpToChangeNothing(const std::string& store, const std::string& file);

// Calls throw when they fail.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() : store_(folder_.path() + "/ledger") {}
  explicit LedgerTest(std::string store) : store_(std::move(store)) {}

  ReportSet Import(const std::vector<std::string>& files) const;
  ReportSet ImportText(const std::string& events) const;
  std::string Export(GoodputExportFormat format, const std::string& name) const;

  const ScratchFolder folder_;
  const std::string store_;
};

}  // namespace stepscope::testing
