// Checks of a name, and writing under it.
#include "cli/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/file_writer.h"

namespace stepscope::cli {
namespace {

namespace fs = std::filesystem;

// Whether the file holds a trace that was read, under this name or another.
bool IsInput(const std::string& file, std::span<const InputFile> inputs) {
  return std::ranges::any_of(inputs, [&](const InputFile& input) {
    std::error_code error;
    return input.rank >= 0 && fs::equivalent(file, input.path, error);
  });
}

Result<void> Print(const std::string& text) {
  // A reader that has seen enough, such as head, closes the pipe: no reason to complain.
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) return {};
    return std::unexpected(Error{std::string("cannot write the result: ") + std::strerror(errno),
                                 "standard output", ""});
  }
  return {};
}

}  // namespace

bool IsStandardOutput(const std::string& file) { return file.empty() || file == "-"; }

Result<void> CheckOutput(const std::string& file) {
  if (IsStandardOutput(file)) return {};
  std::error_code error;
  if (fs::is_directory(file, error)) {
    return std::unexpected(
        Error{"this is a folder", file, "name a file, " + (fs::path(file) / "report").string()});
  }
  const fs::path parent = fs::path(file).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(folder, error)) {
    return std::unexpected(Error{"there is no such folder to write to", folder, "make it first"});
  }
  // What is there and no ordinary file, such as a pipe, is written to as it is.
  const bool writable = fs::exists(file, error) && !fs::is_regular_file(file, error)
                            ? access(file.c_str(), W_OK) == 0
                            : access(folder.c_str(), W_OK) == 0;
  if (!writable) {
    return std::unexpected(Error{"this cannot be written to: " + std::string(std::strerror(errno)),
                                 file, "choose another folder with -o"});
  }
  return {};
}

Result<void> WriteOutput(const std::string& text, const std::string& file,
                         std::span<const InputFile> inputs) {
  if (IsStandardOutput(file)) return Print(text);
  if (IsInput(file, inputs)) {
    return std::unexpected(Error{"this is one of the traces that were read, and stays as it is",
                                 file, "choose another name with -o"});
  }
  return WriteFile(file, text);
}

}  // namespace stepscope::cli
