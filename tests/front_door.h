// Asks as a user does: trace files in, an answer or an error out. Writes short texts of traces.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/session.h"
#include "stepscope/write.h"
#include "tests/scratch.h"

namespace stepscope::testing {

// Opens the paths and asks every analysis. Whatever the answer, all faces must be able to print it.
inline Result<ReportSet> Ask(const std::vector<std::string>& paths,
                             const AnalyzeOptions& options = {}) {
  const auto session = Session::Open(paths);
  if (!session) {
    EXPECT_FALSE(session.error().what.empty());
    return std::unexpected(session.error());
  }
  auto answer = session->Analyze(options);
  if (!answer) {
    EXPECT_FALSE(answer.error().what.empty());
    return answer;
  }
  EXPECT_FALSE(answer->verdict.empty());
  for (const Format f : {Format::kText, Format::kJson, Format::kCsv, Format::kMarkdown}) {
    EXPECT_FALSE(Write(*answer, f).empty());
  }
  return answer;
}

// The same for one file of this content.
inline Result<ReportSet> AskAbout(std::string_view content, const std::string& name = "t.json") {
  const ScratchFolder folder;
  return Ask({folder.Write(name, content)});
}

// What a reader sees of it: the verdict, and all that findings say, with evidence and advice.
inline std::string AllSaid(const ReportSet& answer) {
  std::string all = answer.verdict + "\n";
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      all += finding.message + " " + finding.because + " try: " + finding.hint + "\n";
      for (const Evidence& evidence : finding.evidence)
        all += evidence.message + " " + evidence.because + "\n";
    }
  }
  return all;
}

// How often the notes about the input say so, over all files.
inline int64_t NoteCount(const ReportSet& answer, std::string_view name) {
  int64_t count = 0;
  for (const Note& note : answer.run.notes) count += note.name == name ? note.count : 0;
  return count;
}

inline int64_t GpuEvents(const ReportSet& answer) {
  int64_t count = 0;
  for (const InputFile& file : answer.run.files) count += file.gpu_events;
  return count;
}

// All the numbers of an answer, without the names of the files they came from.
inline std::string Numbers(ReportSet answer) {
  answer.run = {};
  answer.verdict = {};  // it says what of the run is missing
  return ToJson(answer);
}

// The number of `column` in the first row of a table; -1 where there is none.
inline int64_t FirstRow(const ReportSet& answer, std::string_view table, std::string_view column) {
  for (const Report& report : answer.reports) {
    for (const Table& t : report.tables) {
      if (t.key != table || t.rows.empty()) continue;
      for (size_t c = 0; c < t.columns.size(); ++c) {
        const auto* number = std::get_if<int64_t>(&t.rows[0][c]);
        if (t.columns[c].key == column && number != nullptr) return *number;
      }
    }
  }
  return -1;
}

// A kernel on a stream of device 0; times are microseconds, the name is put in as it is.
inline std::string Kernel(std::string_view name, int64_t start, int64_t duration,
                          int64_t stream = 7) {
  return fmt::format(R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},)"
                     R"("args":{{"device":0,"stream":{}}}}})",
                     name, stream, start, duration, stream);
}

// `count` kernels of 5 us, one every 10 us.
inline std::vector<std::string> Kernels(int64_t count) {
  std::vector<std::string> events;
  for (int64_t i = 0; i < count; ++i) events.push_back(Kernel("gemm", i * 10, 5));
  return events;
}

// An operator of the host: what most events of a trace are.
inline std::string Operator(std::string_view name, int64_t start, int64_t duration) {
  return fmt::format(
      R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":9,"tid":9,"ts":{},"dur":{},"args":{{"Ev Idx":1}}}})",
      name, start, duration);
}

// The events as a document; `members` come before them, such as R"("schemaVersion":1,)".
inline std::string Document(const std::vector<std::string>& events, std::string_view members = "") {
  return fmt::format("{{{}\"traceEvents\":[{}],\"traceName\":\"t\"}}", members,
                     fmt::join(events, ",\n"));
}

inline std::string DocumentOfRank(int64_t rank, const std::vector<std::string>& events) {
  return Document(events, fmt::format(R"("distributedInfo":{{"rank":{}}},)", rank));
}

}  // namespace stepscope::testing
