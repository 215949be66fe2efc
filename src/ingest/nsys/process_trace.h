// Builds the trace of one process of a report: tracks, names and times as all readers share them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/common/report_notes.h"
#include "ingest/sqlite/database_file.h"
#include "trace/communication_names.h"
#include "trace/trace.h"

namespace stepscope::nsys {

// Processes and threads have one number in a report: the host in the highest bits, 24 bits of
// process ID, 24 bits of thread ID, which are 0 for the process.
constexpr int64_t ProcessOf(int64_t global_thread) { return global_thread & ~int64_t{0xffffff}; }
constexpr int64_t ProcessId(int64_t global) { return global >> 24 & 0xffffff; }
constexpr int64_t ThreadId(int64_t global) { return global & 0xffffff; }

// The texts of StringIds. Only what events refer to is ever read: the table also holds what the
// profiled programs printed, and files of their users.
class Texts {
 public:
  explicit Texts(const DatabaseFile& file);
  // Empty where there is none; valid until the next call.
  std::string_view Of(int64_t id);

 private:
  DatabaseFile::Finder finder_;
  std::unordered_map<int64_t, std::string> all_;  // where the table has no key
};

class ProcessTrace {
 public:
  // ns that added to a time of the report give ns since 1970.
  explicit ProcessTrace(int64_t process, int64_t shift) : process_(process), shift_(shift) {
    trace_.meta.recorded_by = RecordedBy::kNsight;
  }

  int64_t process() const { return process_; }
  Trace& trace() { return trace_; }

  TrackId Stream(int64_t device, int64_t stream);
  // A thread, or with a suffix a track beside it.
  TrackId Thread(int64_t global_thread, std::string_view suffix = "");
  TrackId Counters(int64_t device);  // of a device of the machine
  // Names it "thread 7 (python3)", if it has events.
  void NameThread(int64_t global_thread, std::string_view name);

  // A text as a name, in valid UTF-8.
  StringId Intern(std::string_view text);
  // The text `id` of the report, changed by `change(text)`; each (id, use) is looked up once.
  template <class Change>
  StringId Named(Texts& texts, int64_t id, uint8_t use, const Change& change) {
    const auto [at, is_new] = named_.try_emplace({id, use}, kNoString);
    if (is_new) at->second = Intern(change(texts.Of(id)));
    return at->second;
  }
  bool IsCommunication(StringId name) { return communication_.Has(name, trace_.strings); }

  // The start and duration of an event as the trace has them; absent, and noted, if they are no
  // times, or the trace can hold no more events.
  struct Times {
    int64_t start = 0, duration = 0;
  };
  std::optional<Times> TimesOf(std::optional<int64_t> start, std::optional<int64_t> end);

  int64_t latest = 0;  // end of an event
  ReportNotes notes;   // beside those of the trace

 private:
  struct HashOfUse {
    size_t operator()(const std::pair<int64_t, uint8_t>& use) const {
      return std::hash<uint64_t>()(static_cast<uint64_t>(use.first) * 8 + use.second);
    }
  };

  int64_t process_;
  int64_t shift_;
  Trace trace_;
  std::map<std::pair<int64_t, int64_t>, TrackId> streams_;
  std::unordered_map<int64_t, TrackId> threads_, beside_, counters_;
  std::unordered_map<std::pair<int64_t, uint8_t>, StringId, HashOfUse> named_;
  CommunicationNames communication_;
  std::string scratch_;
};

}  // namespace stepscope::nsys
