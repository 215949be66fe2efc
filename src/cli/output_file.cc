// Checks and writes output files.
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
  // Readers such as head close the pipe early; that is not an error.
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
  if (NamesDirectory(file) && !fs::exists(file, error))
    return CheckOutput(fs::path(file).parent_path());
  if (NamesDirectory(file) && fs::is_directory(file, error)) return CheckOutput(file + "report");
  if (fs::is_directory(file, error)) {
    return std::unexpected(Error{"cannot write: this is a directory", file,
                                 "name a file, " + (fs::path(file) / "report").string()});
  }
  const fs::path parent = fs::path(file).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(folder, error)) {
    return std::unexpected(Error{"cannot write: no such directory", folder, "create it first"});
  }
  // An existing file that is not regular, such as a pipe, is written in place.
  const bool writable = fs::exists(file, error) && !fs::is_regular_file(file, error)
                            ? access(file.c_str(), W_OK) == 0
                            : access(folder.c_str(), W_OK) == 0;
  if (!writable) {
    return std::unexpected(Error{"cannot write: " + std::string(std::strerror(errno)), file,
                                 "choose another directory with -o"});
  }
  return {};
}

bool NamesDirectory(const std::string& file) { return file.ends_with('/'); }

Result<void> WriteOutputs(const std::vector<NamedText>& texts, const std::string& directory,
                          std::span<const InputFile> inputs) {
  std::error_code error;
  fs::create_directory(directory, error);
  if (error && !fs::is_directory(directory)) {
    return std::unexpected(Error{"cannot make the directory: " + error.message(), directory,
                                 "choose another directory with -o"});
  }
  for (const NamedText& text : texts) {
    const auto written = WriteOutput(text.text, directory + text.name, inputs);
    if (!written) return written;
  }
  return {};
}

Result<void> CheckNotInput(const std::string& file, std::span<const InputFile> inputs) {
  if (!IsInput(file, inputs)) return {};
  return std::unexpected(Error{"cannot write over one of the traces that were read", file,
                               "choose another name with -o"});
}

Result<void> WriteOutput(const std::string& text, const std::string& file,
                         std::span<const InputFile> inputs) {
  if (IsStandardOutput(file)) return Print(text);
  if (const auto fine = CheckNotInput(file, inputs); !fine) return fine;
  return WriteFile(file, text);
}

}  // namespace stepscope::cli
