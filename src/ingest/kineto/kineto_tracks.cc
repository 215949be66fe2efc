// Makes a track for each stream, identified by numbers, and for each thread, identified by texts.
#include "ingest/kineto/kineto_tracks.h"

#include "base/short_text.h"
#include "ingest/json/json_text.h"

namespace stepscope {

int64_t TrailingNumber(std::string_view token) {
  if (const auto number = ScaleDecimal(token, 0)) return *number;
  const size_t last = token.find_last_of("0123456789");
  if (last == std::string_view::npos) return -1;
  const size_t before = token.find_last_not_of("0123456789", last);
  const size_t first = before == std::string_view::npos ? 0 : before + 1;
  return ScaleDecimal(token.substr(first, last + 1 - first), 0).value_or(-1);
}

TrackId KinetoTracks::OfStream(int64_t device, int64_t stream) {
  const auto [at, is_new] =
      stream_tracks_.try_emplace({device, stream}, static_cast<TrackId>(trace_.tracks.size()));
  if (is_new) trace_.tracks.push_back({.is_stream = true, .device = device, .stream = stream});
  return at->second;
}

TrackId KinetoTracks::OfThread(std::string_view process, std::string_view thread) {
  std::string key(process);
  key += '\0';
  key += thread;
  const StringId id = threads_.Intern(key);
  if (id == thread_tracks_.size()) {
    thread_tracks_.push_back(static_cast<TrackId>(trace_.tracks.size()));
    trace_.tracks.push_back({.process = std::string(process), .thread = std::string(thread)});
  }
  return thread_tracks_[id];
}

TrackId KinetoTracks::Stream(const RawEvent& event) {
  const Args& args = event.args;
  return OfStream(TrailingNumber(args.device.empty() ? event.pid : args.device),
                  TrailingNumber(args.stream.empty() ? event.tid : args.stream));
}

TrackId KinetoTracks::Thread(const RawEvent& event) {
  if (SameText(event.pid, last_pid_) && SameText(event.tid, last_tid_) && !thread_tracks_.empty())
    return last_thread_;
  last_pid_ = event.pid;
  last_tid_ = event.tid;
  const std::string process(TextOf(event.pid, scratch_));
  last_thread_ = OfThread(process, TextOf(event.tid, scratch_));
  return last_thread_;
}

void KinetoTracks::TakeName(const RawEvent& record) {
  std::string key(TextOf(record.pid, scratch_));
  const std::string_view what = TextOf(record.name, scratch_);
  if (what == "process_name") {
    process_names_[key] = TextOf(record.args.name, scratch_);
    if (process_names_[key] == kAscendHardware) trace_.meta.recorded_by = RecordedBy::kAscend;
  } else if (what == "thread_name") {
    key += '\0';
    key += TextOf(record.tid, scratch_);
    thread_names_[key] = TextOf(record.args.name, scratch_);
  }
}

std::vector<TrackId> KinetoTracks::Adopt(const KinetoTracks& later) {
  std::vector<TrackId> here;
  for (const Track& track : later.trace_.tracks) {
    here.push_back(track.is_stream ? OfStream(track.device, track.stream)
                                   : OfThread(track.process, track.thread));
  }
  for (const auto& [process, name] : later.process_names_) process_names_[process] = name;
  for (const auto& [thread, name] : later.thread_names_) thread_names_[thread] = name;
  return here;
}

void KinetoTracks::Finish() {
  for (Track& track : trace_.tracks) {
    if (track.is_stream) continue;
    const auto thread = thread_names_.find(track.process + '\0' + track.thread);
    const auto process = process_names_.find(track.process);
    if (process != process_names_.end()) track.name = process->second;
    if (thread == thread_names_.end()) continue;
    if (!track.name.empty()) track.name += ": ";
    track.name += thread->second;
  }
}

AscendNames KinetoTracks::Names() const {
  const auto name_in = [](const auto& names, const std::string& key) {
    const auto at = names.find(key);
    return at == names.end() ? std::string() : at->second;
  };
  return {.process = [this, name_in](
                         const std::string& process) { return name_in(process_names_, process); },
          .thread =
              [this, name_in](const std::string& process, const std::string& thread) {
                return name_in(thread_names_, process + '\0' + thread);
              }};
}

}  // namespace stepscope
