// Makes a small report of Nsight Systems, row by row, and reads it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "tests/nsys_database.h"
#include "tests/scratch.h"

namespace stepscope::testing {

// Of process 144 and its thread 161, as reports number them.
inline constexpr int64_t kProcess = (int64_t{1} << 48) + (int64_t{144} << 24);
inline constexpr int64_t kThread = kProcess + 161;
inline constexpr int64_t kUtc = 1'779'782'330'176'752'435;

// A report that is written when it is asked for.
class NsysReport {
 public:
  explicit NsysReport(const std::string& name = "report.sqlite")
      : path_(folder_.path() + "/" + name), database_(path_) {
    Run(kNsysTables);
  }
  NsysReport& Run(const std::string& sql) {
    database_.Run(sql);
    return *this;
  }
  int64_t Text(const std::string& text) {
    Run(fmt::format("INSERT INTO StringIds VALUES ({}, '{}')", ++texts_, text));
    return texts_;
  }
  NsysReport& Kernel(const std::string& name, int64_t start, int64_t end, int64_t correlation = 0,
                     int64_t device = 0, int64_t process = kProcess, int64_t stream = 7) {
    return Run(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, 1, {}, {}, "
                    "{}, {}, NULL, 32, 8, 2, 1, 128, 1, 1, 1024, 512, NULL)",
                    start, end, device, stream, correlation, process, Text(name)));
  }
  NsysReport& Call(const std::string& name, int64_t start, int64_t end, int64_t correlation,
                   int64_t thread = kThread) {
    return Run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, {})",
                           start, end, thread, correlation, Text(name)));
  }
  NsysReport& Range(const std::string& text, int64_t start, const std::string& end,
                    const std::string& json = "NULL", int64_t thread = kThread) {
    return Run(
        fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, '{}', {}, NULL, NULL, 0, "
                    "{}, NULL)",
                    start, end, text, thread, json));
  }
  const std::string& path() const { return path_; }
  const std::string& folder() const { return folder_.path(); }

  std::vector<Recording> Read() const {
    auto source = ByteSource::Open(path_);
    EXPECT_TRUE(source);
    auto traces = ReadRecordings(std::move(*source));
    EXPECT_TRUE(traces) << traces.error().what;
    return traces ? std::move(*traces) : std::vector<Recording>();
  }

 private:
  ScratchFolder folder_;
  std::string path_;
  Database database_;
  int64_t texts_ = 0;
};

}  // namespace stepscope::testing
