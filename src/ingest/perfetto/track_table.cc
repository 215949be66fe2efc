// Reads TrackDescriptors.
#include "ingest/perfetto/track_table.h"

#include <charconv>
#include <system_error>

#include "base/proto.h"
#include "ingest/common/perfetto_fields.h"

namespace stepscope::perfetto {
namespace {

constexpr int kMostParents = 64;

void TakeProcess(std::string_view message, PerfettoTrack& track) {
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag_and_type() == VarintField(kPid))
      track.process = field.get_int32();
    else if (field.tag_and_type() == BytesField(kProcessName))
      track.process_name = field.get_view();
    else
      field.skip();
  });
}

void TakeThread(std::string_view message, PerfettoTrack& track) {
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag_and_type() == VarintField(kThreadPid))
      track.process = field.get_int32();
    else if (field.tag_and_type() == VarintField(kThreadTid))
      track.thread = field.get_int64();
    else if (field.tag_and_type() == BytesField(kThreadName))
      track.thread_name = field.get_view();
    else
      field.skip();
  });
}

void TakeCounter(std::string_view message, PerfettoTrack& track) {
  track.is_counter = true;
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag_and_type() == VarintField(kUnitMultiplier))
      track.multiplier = field.get_int64();
    else if (field.tag_and_type() == VarintField(kIsIncremental))
      track.incremental = field.get_bool();
    else
      field.skip();
  });
}

void TakeIdentity(std::string_view message, PerfettoTrack& track) {
  track.has_identity = true;
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(kIdentityPid):
        track.pid = field.get_view();
        break;
      case BytesField(kIdentityTid):
        track.tid = field.get_view();
        break;
      case BytesField(kIdentityProcess):
        track.process_name = field.get_view();
        break;
      case BytesField(kIdentityThread):
        track.thread_name = field.get_view();
        break;
      case BytesField(kIdentityCounter):
        track.counter = field.get_view();
        break;
      case VarintField(kIdentityLater):
        track.later = field.get_bool();
        break;
      default:
        field.skip();
    }
  });
}

}  // namespace

std::optional<NamedStream> StreamOfName(std::string_view name) {
  if (name.starts_with("rank ") && name.ends_with(" compute")) return NamedStream{0, 1};
  if (name.starts_with("rank ") && name.ends_with(" io")) return NamedStream{0, 2};
  const auto number_in = [&](std::string_view word) -> std::optional<int64_t> {
    const size_t at = name.find(word);
    if (at == name.npos) return std::nullopt;
    const std::string_view digits = name.substr(at + word.size());
    int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc()) return std::nullopt;
    return number;
  };
  const auto device = number_in("AGENT [");
  if (!device) return std::nullopt;
  if (const auto queue = number_in("QUEUE [")) return NamedStream{*device, *queue};
  constexpr int64_t kCopies = 1000;  // behind all queues
  const auto thread = number_in("THREAD [");
  if (!thread || *thread > INT32_MAX) return std::nullopt;
  return NamedStream{*device, kCopies + *thread};
}

TrackIndex TrackTable::Find(uint64_t uuid) {
  const auto [at, is_new] = by_uuid_.try_emplace(uuid, static_cast<TrackIndex>(tracks_.size()));
  if (is_new) tracks_.push_back({.uuid = uuid});
  last_uuid_ = uuid;
  last_ = at->second;
  return last_;
}

void TrackTable::TakeDescriptor(std::string_view message) {
  uint64_t uuid = 0;
  ForEachField(VarintField(kUuid), message, [&](pbf_reader& field) { uuid = field.get_uint64(); });
  PerfettoTrack& track = tracks_[Find(uuid)];
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(kTrackName):
      case BytesField(kStaticName):
      case BytesField(kAtraceName):
        track.name = field.get_view();
        break;
      case VarintField(kParent):
        track.parent = field.get_uint64();
        break;
      case BytesField(kProcess):
        TakeProcess(field.get_view(), track);
        break;
      case BytesField(kThread):
        TakeThread(field.get_view(), track);
        break;
      case BytesField(kCounterTrack):
        TakeCounter(field.get_view(), track);
        break;
      case BytesField(kIdentity):
        TakeIdentity(field.get_view(), track);
        break;
      default:
        field.skip();
    }
  });
  if (track.process && !track.thread && !track.process_name.empty())
    process_names_[*track.process] = track.process_name;
}

Place TrackTable::PlaceOf(TrackIndex index) const {
  const PerfettoTrack& own = tracks_[index];
  if (own.has_identity) return {own.pid, own.tid, own.process_name, own.thread_name, own.name};
  Place place{.track_name = own.name};
  const PerfettoTrack* track = &own;
  std::optional<int64_t> pid;
  for (int depth = 0; depth < kMostParents; ++depth) {
    if (place.tid.empty() && track->thread) place.tid = std::to_string(*track->thread);
    if (place.thread_name.empty()) place.thread_name = track->thread_name;
    if (!pid) pid = track->process;
    if (place.process_name.empty()) place.process_name = track->process_name;
    if (place.track_name.empty()) place.track_name = track->name;
    if (track->parent == 0 || track->parent == track->uuid) break;
    const auto parent = by_uuid_.find(track->parent);
    if (parent == by_uuid_.end()) break;
    track = &tracks_[parent->second];
  }
  if (pid) place.pid = std::to_string(*pid);
  // Threads know only the number of their process, whose own track has its name.
  const auto named = pid ? process_names_.find(*pid) : process_names_.end();
  if (place.process_name.empty() && named != process_names_.end())
    place.process_name = named->second;
  if (place.tid.empty()) {  // a track of a process that is no thread, or of none
    place.tid = place.track_name.empty() ? std::to_string(own.uuid) : place.track_name;
  } else if (place.thread_name.empty()) {
    place.thread_name = place.track_name;
  }
  return place;
}

}  // namespace stepscope::perfetto
