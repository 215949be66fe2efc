// Implements Redact(): reads every file twice, first to learn names, then to write it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>

#include "base/byte_source.h"
#include "base/library_files.h"
#include "base/parallel.h"
#include "base/sync_folder.h"
#include "base/system_error.h"
#include "goodput/recorder/manifest.h"
#include "redact/files.h"
#include "report/columns.h"
#include "sharing/folder.h"
#include "sharing/inputs.h"
#include "sharing/segment.h"
#include "stepscope/redact.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using sharing::Input;

// What became of a file.
struct Output {
  int64_t bytes = 0;    // uncompressed
  std::string problem;  // why it is left out, or what is missing
  bool written = false;
};

// Of what a ledger has besides segments: sums of deleted events, in a form of their own, and lists
// of what each segment must hold. Empty for all else.
std::string WhyLeftOut(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  if (name.starts_with("ledger.db"))
    return "a ledger's database is left out; its segments are written";
  if (name.ends_with(goodput::kManifestSuffix))
    return "a manifest is left out; the segments that it lists are written";
  return {};
}

class Sharer {
 public:
  Sharer(std::vector<Input> inputs, redact::Redactor redactor, const RedactFilesOptions& options)
      : inputs_(std::move(inputs)),
        outputs_(inputs_.size()),
        redactor_(std::move(redactor)),
        options_(options) {}

  Result<ReportSet> Write() {
    if (auto safe = CheckInputs(); !safe) return std::unexpected(safe.error());
    auto before = sharing::PrepareTarget(options_.folder);
    if (!before) return std::unexpected(before.error());
    Learn();
    if (auto named = sharing::NameTargets(inputs_, redactor_); !named)
      return std::unexpected(named.error());
    ForEach([&](size_t i) { WriteOne(i); });
    if (error_) return std::unexpected(*error_);
    std::vector<std::string> written;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (outputs_[i].written) written.push_back(inputs_[i].target);
    }
    if (written.empty()) {
      return std::unexpected(Error{"no file could be redacted: " + outputs_[0].problem,
                                   inputs_[0].path, "give traces or job events"});
    }
    if (auto listed = sharing::FinishTarget(options_.folder, *before, written); !listed)
      return std::unexpected(listed.error());
    return Answer(written.size());
  }

 private:
  template <class Work>
  void ForEach(const Work& work) {
    ParallelFor(inputs_.size(), ThreadsFor(options_.threads), [&](size_t i) {
      try {
        work(i);
      } catch (const std::bad_alloc&) {
        outputs_[i].problem = "out of memory";
      }
    });
  }

  // Nothing is written where files are read.
  Result<void> CheckInputs() const {
    std::error_code none;
    const fs::path folder = fs::weakly_canonical(options_.folder, none);
    for (const Input& input : inputs_) {
      const fs::path path = fs::weakly_canonical(input.path, none);
      if (std::ranges::mismatch(folder, path).in1 != folder.end()) continue;
      return std::unexpected(Error{"cannot write to the directory: an input file is in it",
                                   input.path, "name another directory as `folder`"});
    }
    return {};
  }

  void Learn() {
    std::vector<redact::KnownWords> words(inputs_.size());
    ForEach([&](size_t i) {
      const std::string& path = inputs_[i].path;
      for (const fs::path& name : fs::path(inputs_[i].relative))
        redactor_.LearnFileName(name.string(), words[i]);
      if (sharing::IsSegment(path)) {
        (void)sharing::LearnSegment(path, redactor_, words[i]);
        return;
      }
      auto source = ByteSource::Open(path);
      if (source) (void)redact::LearnFile(std::move(*source), redactor_, words[i]);
    });
    redact::KnownWords all;
    for (const redact::KnownWords& of_file : words) all.Add(of_file);
    redactor_.Know(std::move(all));
  }

  // What cannot be read is left out and said; what cannot be written ends it all.
  void WriteOne(size_t i) {
    const Input& input = inputs_[i];
    Output& output = outputs_[i];
    output.problem = WhyLeftOut(input.path);
    if (!output.problem.empty()) return;
    const bool segment = sharing::IsSegment(input.path);
    auto source = ByteSource::Open(input.path);
    if (!source) {
      output.problem = source.error().what;
      return;
    }
    if (!segment && redact::FormOf(source->Peek(redact::kSniff)) == redact::FileForm::kUnknown) {
      output.problem = "the format of the file is not known";
      return;
    }
    const fs::path target = fs::path(options_.folder) / input.target;
    std::error_code failed;
    fs::create_directories(target.parent_path(), failed);
    if (failed)
      return Fail(SystemError("cannot create the directory", failed.value(),
                              target.parent_path().string()));
    GzipCompressor gzip;
    FileWriter file(target.string(), source->compressed() ? &gzip : nullptr);
    if (auto created = file.Create(); !created) return Fail(created.error());
    auto rewritten =
        segment ? WriteSegment(input, file, output) : WriteOther(std::move(*source), file, output);
    if (!rewritten) {
      output.problem = rewritten.error().what;
      return;
    }
    auto done = file.Finish();
    if (done) done = file.CommitAndSync();
    if (!done) return Fail(done.error());
    output.bytes = file.raw_bytes();
    output.written = true;
  }

  Result<void> WriteSegment(const Input& input, FileWriter& file, Output& output) {
    const auto damaged = sharing::RewriteSegment(input.path, redactor_, file);
    if (!damaged) return std::unexpected(damaged.error());
    if (*damaged > 0) output.problem = fmt::format("{} damaged slots were left out", *damaged);
    return {};
  }

  Result<void> WriteOther(ByteSource source, FileWriter& file, Output& output) {
    InputEnd end = InputEnd::kOpen;
    auto written = redact::RewriteFile(std::move(source), redactor_, file, &end);
    if (written && end != InputEnd::kClean)
      output.problem = "the file is damaged: what could be read was written";
    return written;
  }

  void Fail(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  ReportSet Answer(size_t written) const {
    Report report{.analysis = "redact", .title = "Redact"};
    report.headline = fmt::format("Wrote {} of {} files to {} without private names.", written,
                                  inputs_.size(), options_.folder);
    Table table{
        .key = "files",
        .title = "Redacted files",
        .columns = {KeyColumn("path", "file"), ValueColumn("target", "written as"),
                    BytesColumn("bytes", "uncompressed"), ValueColumn("problem", "problem")},
        .text_rows = 16};
    int64_t left_out = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Output& output = outputs_[i];
      left_out += output.written ? 0 : 1;
      table.rows.push_back({inputs_[i].path, output.written ? TextCell(inputs_[i].target) : Cell(),
                            output.written ? Cell(output.bytes) : Cell(),
                            TextCell(output.problem)});
    }
    report.tables.push_back(std::move(table));
    if (left_out > 0) {
      report.notes.push_back(
          {"files_left_out", left_out, "files were left out: they could not be redacted", ""});
    }
    ReportSet answer;
    answer.run.name = options_.folder;
    answer.reports.push_back(std::move(report));
    return answer;
  }

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  redact::Redactor redactor_;
  const RedactFilesOptions& options_;
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace

Result<ReportSet> Redact(std::span<const std::string> paths, const RedactFilesOptions& options) {
  auto redactor = redact::MakeRedactor(options.redact.keep, options.redact.key, &IsLibraryFile);
  if (!redactor) return std::unexpected(redactor.error());
  auto inputs = sharing::ListInputs(paths);
  if (!inputs) return std::unexpected(inputs.error());
  return Sharer(std::move(*inputs), std::move(*redactor), options).Write();
}

}  // namespace stepscope
