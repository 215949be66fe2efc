// Reads how a job divides its devices, from the YAML file beside its operations.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

struct JobLayout {
  std::string path;  // where it stood
  std::optional<int64_t> dp, dsp, pp, tp, devices;
};

// Lines "key: integer" of a YAML file; others are passed over.
JobLayout ReadLayout(std::string_view text);

// Of "DIR/trace-AR.parquet": "DIR/meta-AR.yaml"; of "DIR/x.parquet": "DIR/meta-x.yaml" or
// "DIR/x.yaml". Absent where there is no such file, or it names no size.
std::optional<JobLayout> LayoutBeside(const std::string& path);

}  // namespace stepscope
