// Implements the trace of one process.
#include "ingest/nsys/process_trace.h"

#include <algorithm>
#include <array>

#include "base/valid_utf8.h"
#include "ingest/common/reader_limits.h"

namespace stepscope::nsys {
namespace {

constexpr std::string_view kTable = "StringIds";

bool IsTime(std::optional<int64_t> time) { return time && stepscope::IsTime(*time); }

}  // namespace

Texts::Texts(const DatabaseFile& file) {
  if (file.IsKey(kTable, "id")) {
    finder_ = file.TextsByKey(kTable, "id", "value");
    return;
  }
  constexpr auto kColumns = std::to_array<std::string_view>({"id", "value"});
  Rows rows = file.Read(kTable, kColumns);
  while (rows.Next()) {
    if (const auto id = rows.Int(0)) all_.try_emplace(*id, rows.Text(1));
  }
}

std::string_view Texts::Of(int64_t id) {
  if (all_.empty()) return finder_.Find(id);
  const auto at = all_.find(id);
  return at == all_.end() ? std::string_view() : std::string_view(at->second);
}

TrackId ProcessTrace::Stream(int64_t device, int64_t stream) {
  const auto [at, is_new] =
      streams_.try_emplace({device, stream}, static_cast<TrackId>(trace_.tracks.size()));
  if (is_new) trace_.tracks.push_back({.is_stream = true, .device = device, .stream = stream});
  return at->second;
}

TrackId ProcessTrace::Thread(int64_t global_thread, std::string_view suffix) {
  auto& known = suffix.empty() ? threads_ : beside_;
  const auto [at, is_new] =
      known.try_emplace(global_thread, static_cast<TrackId>(trace_.tracks.size()));
  if (is_new) {
    trace_.tracks.push_back({.process = std::to_string(ProcessId(global_thread)),
                             .thread = std::to_string(ThreadId(global_thread))});
    trace_.tracks.back().thread += suffix;
  }
  return at->second;
}

TrackId ProcessTrace::Counters(int64_t device) {
  const auto [at, is_new] =
      counters_.try_emplace(device, static_cast<TrackId>(trace_.tracks.size()));
  if (is_new) trace_.tracks.push_back({.process = "GPU " + std::to_string(device)});
  return at->second;
}

void ProcessTrace::NameThread(int64_t global_thread, std::string_view name) {
  const auto at = threads_.find(global_thread);
  if (at == threads_.end() || name.empty()) return;
  Track& track = trace_.tracks[at->second];
  track.name = "thread " + track.thread + " (";
  AppendValidUtf8(track.name, name);
  track.name += ')';
}

StringId ProcessTrace::Intern(std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\0'; });
  if (plain) return trace_.strings.Intern(text);
  scratch_.clear();
  AppendValidUtf8(scratch_, text.substr(0, text.find('\0')));
  return trace_.strings.Intern(scratch_);
}

std::optional<ProcessTrace::Times> ProcessTrace::TimesOf(std::optional<int64_t> start,
                                                         std::optional<int64_t> end) {
  if (!IsTime(start) || !IsTime(end) || trace_.size() >= kMostEvents ||
      !stepscope::IsTime(*start + shift_)) {
    trace_.notes.Add(NoteKind::kUnreadableEvent);
    return std::nullopt;
  }
  if (*end < *start) trace_.notes.Add(NoteKind::kNegativeDuration);
  const Times times{*start + shift_, std::clamp(*end - *start, int64_t{0}, kMaxTime)};
  latest = std::max(latest, times.start + times.duration);
  return times;
}

}  // namespace stepscope::nsys
