// Reads a trace in Perfetto's format, and measures the least that this costs:
//   perfetto_bench FILE [ROUNDS]
// Each round walks the file, finding every field of every message and doing nothing with them, and
// reads it with everything kept, on one thread. Prints one line of JSON: bytes, fields, events, CPU
// seconds of the fastest walk and of the fastest reading.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/proto.h"
#include "ingest/common/perfetto_fields.h"
#include "ingest/trace_reader.h"

namespace stepscope {
namespace {

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Which fields of a message are messages that the reader looks into.
enum class Level : uint8_t { kFile, kPacket, kEvent, kAnnotation, kInterned, kDescriptor, kLeaf };

Level Within(Level level, uint32_t field) {
  switch (level) {
    case Level::kFile:
      return Level::kPacket;
    case Level::kPacket:
      if (field == perfetto::kTrackEvent) return Level::kEvent;
      if (field == perfetto::kInterned) return Level::kInterned;
      return field == perfetto::kTrackDescriptor ? Level::kDescriptor : Level::kLeaf;
    case Level::kEvent:
      return field == perfetto::kAnnotation ? Level::kAnnotation : Level::kLeaf;
    case Level::kInterned:
      return Level::kAnnotation;  // entries are as flat as annotations
    default:
      return Level::kLeaf;
  }
}

struct Found {
  int64_t fields = 0;
  uint64_t sum = 0;  // of all values, so that none is left out
};

void Walk(std::string_view message, Level level, Found& found) {
  pbf_reader field(message.data(), message.size());
  while (field.next()) {
    ++found.fields;
    switch (field.wire_type()) {
      case WireType::varint:
        found.sum += field.get_uint64();
        break;
      case WireType::fixed64:
        found.sum += field.get_fixed64();
        break;
      case WireType::length_delimited: {
        const Level inner = Within(level, field.tag());
        const std::string_view bytes = field.get_view();
        found.sum += bytes.size();
        if (inner != Level::kLeaf) Walk(bytes, inner, found);
        break;
      }
      default:
        field.skip();
    }
  }
}

int Measure(const std::string& path, int rounds) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  double walk = 1e9, read = 1e9;
  Found found;
  size_t events = 0;
  for (int round = 0; round < rounds; ++round) {
    found = {};
    double before = CpuSeconds();
    Walk(bytes, Level::kFile, found);
    walk = std::min(walk, CpuSeconds() - before);
    before = CpuSeconds();
    const auto recordings = ReadRecordings(ByteSource::FromMemory(bytes));
    read = std::min(read, CpuSeconds() - before);
    if (!recordings) {
      fmt::print(stderr, "{}: {}\n", path, recordings.error().what);
      return 2;
    }
    events = 0;
    for (const Recording& recording : *recordings) events += recording.trace.size();
  }
  fmt::print(R"({{"bytes": {}, "fields": {}, "sum": {}, "events": {}, "walk_s": {:.4f}, )"
             R"("read_s": {:.4f}, "ratio": {:.2f}}})"
             "\n",
             bytes.size(), found.fields, found.sum, events, walk, read, read / walk);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  int rounds = 5;
  if (argc > 2) std::from_chars(argv[2], argv[2] + std::string_view(argv[2]).size(), rounds);
  return stepscope::Measure(argv[1], rounds);
}
