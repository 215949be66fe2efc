// Writes TensorBoard event files: tensorflow.Event messages in TFRecords.
#include "goodput/live/tensorboard.h"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <filesystem>

#include "base/crc32.h"
#include "base/file_writer.h"
#include "base/proto.h"
#include "base/system_error.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kEvery = 30 * kSecond;
constexpr size_t kLongestName = 200;

std::string LittleEndian(uint64_t value, int count) {
  std::string bytes;
  for (int k = 0; k < count; ++k) bytes += static_cast<char>(value >> (8 * k) & 0xff);
  return bytes;
}

// TFRecord masks checksums, so that nested records do not match by accident.
std::string MaskedChecksum(std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return LittleEndian(((crc >> 15) | (crc << 17)) + 0xa282ead8U, 4);
}

std::string RecordOf(const std::string& event) {
  const std::string length = LittleEndian(event.size(), 8);
  return length + MaskedChecksum(length) + event + MaskedChecksum(event);
}

// Fields of tensorflow.Event, Summary and Summary.Value.
enum EventField : uint32_t { kWallTime = 1, kEventStep = 2, kFileVersion = 3, kSummary = 5 };
enum SummaryField : uint32_t { kSummaryValue = 1, kTag = 1, kSimpleValue = 2 };

std::string Version(int64_t now) {
  std::string event;
  pbf_writer writer(event);
  writer.add_double(kWallTime, Seconds(now));
  writer.add_string(kFileVersion, "brain.Event:2");
  return RecordOf(event);
}

std::string Scalars(LiveJob& job, int64_t now) {
  const Partition p = job.At(now);
  std::string event;
  pbf_writer writer(event);
  writer.add_double(kWallTime, Seconds(now));
  writer.add_uint64(kEventStep, static_cast<uint64_t>(p.max_productive_step.value_or(0)));
  {  // the end of a writer writes the length of its message
    pbf_writer summary(writer, kSummary);
    const auto add = [&](std::string_view tag, double value) {
      pbf_writer scalar(summary, kSummaryValue);
      scalar.add_string(kTag, tag);
      scalar.add_float(kSimpleValue, static_cast<float>(value));
    };
    if (const auto goodput = p.goodput()) add("goodput/goodput", *goodput);
    for (const auto& [name, size] : kLiveWindows) {
      const auto recent = job.GoodputOfLast(size, now);
      if (recent) add(fmt::format("goodput/last_{}", name), *recent);
    }
    for (size_t b = 0; b < kBuckets; ++b) {
      const auto bucket = static_cast<Bucket>(b);
      if (p.times[b] == 0 || bucket == Bucket::kProductive) continue;
      std::string tag = fmt::format("badput/{}", BucketName(bucket));
      for (char& c : tag) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      add(tag, static_cast<double>(p.times[b]) / static_cast<double>(p.total()));
    }
    const auto step_time = job.accounting().step_clock().last();
    if (step_time) add("step_time", Seconds(*step_time));
    add("disruptions", static_cast<double>(p.disruptions));
  }
  return RecordOf(event);
}

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1edc6f41, ~0U, ~0U, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::string FolderName(std::string_view job) {
  std::string name;
  for (const char c : job) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<uint8_t>(c));
  }
  if (name.empty()) return "%";
  if (name.size() <= kLongestName) return name;
  return name.substr(0, kLongestName) + fmt::format("-{:08x}", Crc32(job.data(), job.size()));
}

Result<void> TensorBoard::Append(const std::string& name, LiveJob& job, int64_t now) {
  File& file = files_[name];
  if (job.accounting().empty() || job.events() == file.events) return {};
  std::string bytes;
  if (file.path.empty()) {
    const std::string folder = folder_ + "/" + FolderName(name);
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
      return std::unexpected(SystemError("cannot create the directory", failed.value(), folder));
    }
    file.path = fmt::format("{}/events.out.tfevents.{:010}.{}.goodput", folder, now / kSecond,
                            now % kSecond);
    bytes = Version(now);
  }
  bytes += Scalars(job, now);
  if (auto appended = AppendToFile(file.path, bytes); !appended) {
    file.path.clear();  // the next call starts a new file
    return appended;
  }
  file.events = job.events();
  return {};
}

Result<void> TensorBoard::Write(std::map<std::string, LiveJob>& jobs, int64_t now) {
  if (folder_.empty() || (written_ && now - *written_ < kEvery)) return {};
  written_ = now;
  Result<void> all;
  for (auto& [name, job] : jobs) {
    if (const auto appended = Append(name, job, now); !appended) all = appended;
  }
  return all;
}

}  // namespace stepscope::goodput
