// Reads scheduler files as a whole, since they are small.
#include "goodput/scheduler/scheduler_file.h"

#include "base/byte_source.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kLargest = size_t{256} << 20;  // bytes
constexpr size_t kPiece = size_t{1} << 20;

Result<std::string> ReadWhole(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) return std::unexpected(source.error());
  std::string text;
  while (source->end() == InputEnd::kOpen) {
    const size_t size = text.size();
    if (size > kLargest) {
      return std::unexpected(Error{"cannot read scheduler output: larger than 256 MB", path,
                                   "print one job, or fewer days"});
    }
    text.resize(size + kPiece);
    text.resize(size + source->Read({text.data() + size, kPiece}));
  }
  return text;
}

}  // namespace

Result<std::vector<ScheduledJob>> ReadSchedulerFile(const std::string& path,
                                                    const SchedulerOptions& options,
                                                    Notes& note_counts) {
  const auto text = ReadWhole(path);
  if (!text) return std::unexpected(text.error());
  const bool json = text->find_first_not_of(" \t\r\n") != text->npos &&
                    (*text)[text->find_first_not_of(" \t\r\n")] == '{';
  auto jobs = json ? ReadKubernetes(*text, options.kubernetes, note_counts)
                   : ReadSlurm(*text, options.slurm, note_counts);
  if (jobs) return jobs;
  Error error = jobs.error();
  error.where = path;
  return std::unexpected(std::move(error));
}

}  // namespace stepscope::goodput
