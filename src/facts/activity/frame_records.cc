// Nests the Python frames of each thread by time.
#include "facts/activity/frame_records.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/sort_runs.h"

namespace stepscope {
namespace {

// More are not searched for the thread of another one.
constexpr size_t kMostTracks = 1024;

// Of two with the same times the trace has the caller first.
bool ComesBefore(const HostFrame& a, const HostFrame& b) {
  return a.start != b.start ? a.start < b.start : a.end > b.end;
}

void Append(HostFrames& frames, Innermost& parents, HostFrame frame) {
  frame.parent = parents.At(frame.start, frames.size(), [&](size_t f) { return frames[f]; });
  frames.Append(frame);
}

}  // namespace

void FrameRecords::TakeFrame(EventId event) {
  OfTrack& track = tracks_[trace_.tracks_of()[event]];
  const int64_t start = trace_.starts()[event];
  const HostFrame frame{
      .start = start, .end = start + trace_.durations()[event], .name = trace_.names()[event]};
  if (!track.frames.empty() && ComesBefore(frame, track.last)) track.in_order = false;
  track.last = frame;
  if (track.in_order)
    Append(track.frames, track.parents, frame);
  else
    track.frames.Append(frame);
}

HostFrames FrameRecords::InOrder(const HostFrames& frames) {
  std::vector<uint32_t> order(frames.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  SortRuns(order, [&](uint32_t a, uint32_t b) { return ComesBefore(frames[a], frames[b]); });
  HostFrames sorted;
  Innermost parents;
  for (const uint32_t f : order) Append(sorted, parents, frames[f]);
  return sorted;
}

// Of the track's thread, which another track may be of too: a tracer of its own recorded the
// frames.
uint32_t FrameRecords::ThreadOf(size_t track, std::span<const uint32_t> threads) const {
  if (threads[track] != kNoThread) return threads[track];
  const Track& own = trace_.tracks[track];
  for (size_t t = 0; t < std::min(threads.size(), kMostTracks); ++t) {
    const Track& other = trace_.tracks[t];
    if (threads[t] != kNoThread && other.thread == own.thread && other.process == own.process)
      return threads[t];
  }
  return kNoThread;
}

void FrameRecords::Finish(std::span<const uint32_t> threads, HostOps& host) {
  host.frames.resize(host.threads.size());
  if (!any_) return;
  for (size_t t = 0; t < tracks_.size(); ++t) {
    OfTrack& track = tracks_[t];
    if (track.frames.empty()) continue;
    uint32_t thread = ThreadOf(t, threads);
    if (thread == kNoThread || !host.frames[thread].empty()) {
      thread = static_cast<uint32_t>(host.threads.size());
      const Track& own = trace_.tracks[t];
      host.threads.push_back(own.name.empty() ? own.thread : own.name);
    }
    host.frames.resize(host.threads.size());
    host.frames[thread] = track.in_order ? std::move(track.frames) : InOrder(track.frames);
  }
}

}  // namespace stepscope
