// Makes a demo job, analyzes it, and compares the answer with what the demo planted.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "stepscope/demo.h"
#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/scratch.h"

namespace stepscope::testing {

struct DemoJob {
  ScratchFolder folder;
  nlohmann::json truth;
  ReportSet answer;
};

inline void MakeDemoJob(const DemoOptions& options, DemoJob& job) {
  const std::string path = job.folder.path() + "/job";
  ASSERT_TRUE(WriteDemo(path, options));
  std::ifstream(path + "/truth.json") >> job.truth;
  const std::string paths[] = {path};
  const auto session = Session::Open(paths);
  ASSERT_TRUE(session);
  job.answer = session->Analyze().value();
}

inline void ExpectSame(const nlohmann::json& truth, const Row& row,
                       std::initializer_list<const char*> columns) {
  for (const char* column : columns) {
    EXPECT_EQ(truth.at(column).get<int64_t>(), row.Int(column)) << column;
  }
}

inline const Finding* FindFinding(const ReportSet& answer, std::string_view words) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (finding.message.contains(words)) return &finding;
    }
  }
  return nullptr;
}

// The one that faces show first.
inline const Finding* LeadingFinding(const ReportSet& answer) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (finding.place == 1) return &finding;
    }
  }
  return nullptr;
}

}  // namespace stepscope::testing
