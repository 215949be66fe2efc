// A profile (XSpace) of one event, and the answer of a profiler server with it.
#pragma once

#include <cstdint>
#include <string>

#include "base/proto.h"

namespace stepscope::testing {

template <class Fill>
std::string Message(Fill fill) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  fill(writer);
  return bytes;
}

// One event, and the start and end of the window.
inline std::string SomeProfile() {
  const auto name = [](int64_t id, const std::string& text) {
    return Message([&](auto& entry) {
      entry.add_int64(1, id);
      entry.add_message(2, Message([&](auto& value) { value.add_string(2, text); }));
    });
  };
  const auto stat = [](int64_t id, uint64_t value) {
    return Message([&](auto& field) {
      field.add_int64(1, id);
      field.add_uint64(3, value);
    });
  };
  return Message([&](auto& space) {
    space.add_message(1, Message([&](auto& plane) {
                        plane.add_string(2, "/host:CPU");
                        plane.add_message(3,
                                          Message([](auto& line) { line.add_string(4, "event"); }));
                      }));
    space.add_message(1, Message([&](auto& plane) {
                        plane.add_string(2, "Task Environment");
                        plane.add_message(5, name(1, "profile_start_time"));
                        plane.add_message(5, name(2, "profile_stop_time"));
                        plane.add_message(6, stat(1, 1000));
                        plane.add_message(6, stat(2, 3000));
                      }));
    space.add_string(4, "worker\n0");
  });
}

inline std::string ProfileResponse(const std::string& profile) {
  return Message([&](auto& answer) { answer.add_message(8, profile); });
}

}  // namespace stepscope::testing
