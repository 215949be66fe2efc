// Builds small profiles of TensorFlow and JAX (XSpace files), for tests and measurements:
//
//   SampleXSpace file;
//   SampleLine& thread = file.Plane("/host:CPU").Line(7, "python");
//   thread.Event("train", 0, 900, {{"_r", 1}, {"step_num", 5}});  // ns
//   Read(file.Bytes());
//
// Fields stand in the order that protocol buffers write them in. Planes and lines stay where they
// are, so references to them hold.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/proto.h"

namespace stepscope {

// A text that is stored once, in the table of the plane's stat names, as profilers do.
struct SampleRef {
  std::string text;
};

// Some bytes, such as a compiled program.
struct SampleBytes {
  std::string bytes;
};

struct SampleStat {
  std::string name;
  std::variant<int, int64_t, uint64_t, double, const char*, std::string, SampleRef, SampleBytes>
      value;
};
using SampleStats = std::vector<SampleStat>;

// The names that a plane's events and stats refer to by number.
class SampleNames {
 public:
  int64_t Of(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<int64_t>(numbers_.size()) + 1).first->second;
  }
  const std::map<std::string, int64_t>& all() const { return numbers_; }

 private:
  std::map<std::string, int64_t> numbers_;
};

// An XStat message.
inline std::string SampleStatBytes(const SampleStat& stat, SampleNames& names) {
  std::string bytes;
  pbf_writer to(bytes);
  to.add_uint64(1, static_cast<uint64_t>(names.Of(stat.name)));
  if (const auto* number = std::get_if<int>(&stat.value))
    to.add_uint64(4, static_cast<uint64_t>(int64_t{*number}));
  if (const auto* number = std::get_if<int64_t>(&stat.value))
    to.add_uint64(4, static_cast<uint64_t>(*number));
  if (const auto* number = std::get_if<uint64_t>(&stat.value)) to.add_uint64(3, *number);
  if (const auto* number = std::get_if<double>(&stat.value)) to.add_double(2, *number);
  if (const auto* text = std::get_if<const char*>(&stat.value)) to.add_string(5, *text);
  if (const auto* text = std::get_if<std::string>(&stat.value)) to.add_string(5, *text);
  if (const auto* blob = std::get_if<SampleBytes>(&stat.value)) to.add_string(6, blob->bytes);
  if (const auto* ref = std::get_if<SampleRef>(&stat.value))
    to.add_uint64(7, static_cast<uint64_t>(names.Of(ref->text)));
  return bytes;
}

class SampleLine {
 public:
  SampleLine(int64_t id, std::string_view name, int64_t timestamp_ns, SampleNames& events,
             SampleNames& stats)
      : events_(&events), stats_(&stats) {
    writer_.add_uint64(1, static_cast<uint64_t>(id));
    writer_.add_string(2, name);
    writer_.add_uint64(3, static_cast<uint64_t>(timestamp_ns));
  }
  SampleLine(const SampleLine&) = delete;
  SampleLine& operator=(const SampleLine&) = delete;

  // Times are ns from the line's own timestamp.
  void Event(const std::string& name, int64_t start, int64_t duration,
             const SampleStats& stats = {}) {
    EventInPs(name, start * 1000, duration * 1000, stats);
  }
  void EventInPs(const std::string& name, int64_t start, int64_t duration,
                 const SampleStats& stats = {}) {
    event_.clear();
    pbf_writer event(event_);
    event.add_uint64(1, static_cast<uint64_t>(events_->Of(name)));
    event.add_uint64(2, static_cast<uint64_t>(start));
    event.add_uint64(3, static_cast<uint64_t>(duration));
    for (const SampleStat& stat : stats) event.add_string(4, SampleStatBytes(stat, *stats_));
    writer_.add_string(4, event_);
  }
  // For what is odd: fields of the line beside those above.
  pbf_writer& fields() { return writer_; }
  const std::string& bytes() const { return bytes_; }

 private:
  SampleNames* events_;
  SampleNames* stats_;
  std::string event_, bytes_;
  pbf_writer writer_{bytes_};
};

class SamplePlane {
 public:
  explicit SamplePlane(std::string_view name) : name_(name) {}

  SampleLine& Line(int64_t id, std::string_view name, int64_t timestamp_ns = 0) {
    return lines_.emplace_back(id, name, timestamp_ns, event_names_, stat_names_);
  }
  // What all events of that name have in common.
  void Metadata(const std::string& event, SampleStats stats, std::string display_name = "") {
    event_names_.Of(event);
    metadata_[event] = {std::move(stats), std::move(display_name)};
  }
  void Stats(SampleStats stats) { stats_ = std::move(stats); }

  std::string Bytes() {
    std::string bytes;
    pbf_writer to(bytes);
    to.add_uint64(1, 1);
    to.add_string(2, name_);
    for (const SampleLine& line : lines_) to.add_string(3, line.bytes());
    for (const auto& [name, id] : event_names_.all()) WriteMetadata(to, name, id);
    std::string own_stats;
    pbf_writer stats(own_stats);
    for (const SampleStat& stat : stats_) stats.add_string(6, SampleStatBytes(stat, stat_names_));
    for (const auto& [name, id] : stat_names_.all()) {
      {
        pbf_writer entry(to, 5);
        entry.add_uint64(1, static_cast<uint64_t>(id));
        {
          pbf_writer metadata(entry, 2);
          metadata.add_uint64(1, static_cast<uint64_t>(id));
          metadata.add_string(2, name);
        }
      }
    }
    return bytes + own_stats;
  }

 private:
  void WriteMetadata(pbf_writer& to, const std::string& name, int64_t id) {
    {
      pbf_writer entry(to, 4);
      entry.add_uint64(1, static_cast<uint64_t>(id));
      {
        pbf_writer metadata(entry, 2);
        metadata.add_uint64(1, static_cast<uint64_t>(id));
        metadata.add_string(2, name);
        const auto more = metadata_.find(name);
        if (more == metadata_.end()) return;
        if (!more->second.second.empty()) metadata.add_string(4, more->second.second);
        for (const SampleStat& stat : more->second.first)
          metadata.add_string(5, SampleStatBytes(stat, stat_names_));
      }
    }
  }

  std::string name_;
  std::deque<SampleLine> lines_;
  SampleNames event_names_, stat_names_;
  std::map<std::string, std::pair<SampleStats, std::string>> metadata_;
  SampleStats stats_;
};

class SampleXSpace {
 public:
  SamplePlane& Plane(std::string_view name) { return planes_.emplace_back(name); }
  void Host(std::string_view name) { hosts_.emplace_back(name); }
  std::string Bytes() {
    std::string bytes;
    pbf_writer to(bytes);
    for (SamplePlane& plane : planes_) to.add_string(1, plane.Bytes());
    for (const std::string& host : hosts_) to.add_string(4, host);
    return bytes;
  }

 private:
  std::deque<SamplePlane> planes_;
  std::vector<std::string> hosts_;
};

}  // namespace stepscope
