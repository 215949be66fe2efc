// Implements requests with protozero.
#include "capture/grpc/profile_request.h"

#include <algorithm>

#include "base/proto.h"
#include "base/time_units.h"

namespace stepscope::capture {
namespace {

// Whole milliseconds, at least one.
uint64_t Milliseconds(int64_t ns) {
  return static_cast<uint64_t>(std::max<int64_t>(1, (ns + kMillisecond / 2) / kMillisecond));
}

std::string Options(const ProfileSettings& settings) {
  std::string bytes;
  pbf_writer options(bytes);
  options.add_bool(1, settings.dataset_ops);
  options.add_uint32(2, static_cast<uint32_t>(settings.host_level));
  options.add_uint32(3, static_cast<uint32_t>(settings.device_level));
  options.add_uint32(4, static_cast<uint32_t>(settings.python_level));
  options.add_uint32(5, 1);   // version; with 0 a server takes its own defaults
  options.add_bool(7, true);  // compiled programs (HLO)
  if (settings.start > 0) options.add_uint64(8, static_cast<uint64_t>(settings.start));
  options.add_uint64(9, Milliseconds(settings.duration));  // the one that counts
  options.add_string(14, settings.session);
  return bytes;
}

}  // namespace

std::string ProfileRequest(const ProfileSettings& settings) {
  std::string bytes;
  pbf_writer request(bytes);
  request.add_uint64(1, Milliseconds(settings.duration));
  request.add_uint64(2, 1'000'000);  // most events, for old servers
  request.add_message(4, Options(settings));
  request.add_string(6, settings.session);
  request.add_bool(9, true);  // emit_xspace
  return bytes;
}

std::string TerminateRequest(std::string_view session) {
  std::string bytes;
  pbf_writer(bytes).add_string(1, session.data(), session.size());
  return bytes;
}

std::string MonitorRequest(int64_t duration, int level, bool time) {
  std::string bytes;
  pbf_writer request(bytes);
  request.add_uint64(1, Milliseconds(duration));
  request.add_int32(2, level);
  request.add_bool(3, time);
  return bytes;
}

std::string SnapshotRequest(std::string_view session) { return TerminateRequest(session); }

std::string NewSessionRequest(const ProfileSettings& settings, std::string_view repository,
                              const std::vector<std::string>& hosts) {
  std::string bytes;
  pbf_writer request(bytes);
  request.add_message(1, ProfileRequest(settings));
  request.add_string(2, repository.data(), repository.size());
  for (const std::string& host : hosts) request.add_string(3, host);
  request.add_string(4, settings.session);
  return bytes;
}

std::string MonitorText(std::string_view answer) {
  std::string text;
  ForEachField(BytesField(1), answer, [&](pbf_reader& field) { text = field.get_view(); });
  return text;
}

NewSessionAnswer ReadNewSession(std::string_view answer) {
  NewSessionAnswer read;
  ReadFields(answer, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case BytesField(1):
        read.error = field.get_view();
        break;
      case VarintField(2):
        // get_bool() of protozero 1.7 reads past the end of a message that ends there.
        read.empty_trace = field.get_uint64() != 0;
        break;
      default:
        field.skip();
    }
  });
  return read;
}

}  // namespace stepscope::capture
