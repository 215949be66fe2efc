// Replaces fsync, fdatasync and syncfs for the test program, and tears what they have not seen.
#include "tests/power_loss.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include "tests/scratch.h"

namespace stepscope::testing {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPage = 4096;

std::recursive_mutex recording_mutex;
std::atomic<PowerLoss*> recording = nullptr;

int Synced(int file, long call) {
  if (recording.load() == nullptr) return static_cast<int>(syscall(call, file));
  const std::lock_guard lock(recording_mutex);
  PowerLoss* const now = recording.load();
  if (now != nullptr) now->BeforeSync();
  const int done = static_cast<int>(syscall(call, file));
  if (now != nullptr && done == 0) {
    call == SYS_syncfs ? now->AfterSyncOfAll(file) : now->AfterSync(file);
  }
  return done;
}

// Identifies a file; inode numbers alone are used again. 0: there is none.
uint64_t NumberOf(int folder, const char* path, int flags) {
  struct statx state{};
  if (statx(folder, path, flags, STATX_INO | STATX_BTIME, &state) != 0) return 0;
  const auto born =
      static_cast<uint64_t>(state.stx_btime.tv_sec) * 1'000'000'000 + state.stx_btime.tv_nsec;
  return state.stx_ino * 0x9E3779B97F4A7C15 ^ born;
}

uint64_t NumberOf(const std::string& path) { return NumberOf(AT_FDCWD, path.c_str(), 0); }

// Each page of the one or the other, and the length of one of them.
std::string Torn(const std::string& before, const std::string& now, double kept,
                 std::mt19937& random) {
  std::bernoulli_distribution keeps(kept);
  std::string torn(keeps(random) ? now.size() : before.size(), '\0');
  for (size_t at = 0; at < torn.size(); at += kPage) {
    const std::string& from = keeps(random) ? now : before;
    const size_t end = std::min({at + kPage, torn.size(), from.size()});
    if (at < end) std::copy_n(from.begin() + static_cast<ptrdiff_t>(at), end - at, &torn[at]);
  }
  return torn;
}

}  // namespace

PowerLoss::PowerLoss(std::string folder) : folder_(std::move(folder)) {
  const std::lock_guard lock(recording_mutex);
  durable_ = last_ = Look();
  recording = this;
}

PowerLoss::~PowerLoss() { Stop(); }

std::vector<PowerLoss::Moment> PowerLoss::Stop() {
  const std::lock_guard lock(recording_mutex);
  recording = nullptr;
  return std::move(moments_);
}

void PowerLoss::Promise(int64_t promised) {
  const std::lock_guard lock(recording_mutex);
  promised_ = promised;
  BeforeSync();
}

PowerLoss::Disk PowerLoss::Look() const {
  Disk disk;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    const std::string name = entry.path().filename();
    if (!entry.is_regular_file(failed) || name.ends_with("-shm")) continue;
    const uint64_t number = NumberOf(entry.path());
    disk.names[name] = number;
    std::string bytes = Content(entry.path());
    const auto known = last_.files.find(number);
    const bool same = known != last_.files.end() && *known->second == bytes;
    disk.files[number] =
        same ? known->second : std::make_shared<const std::string>(std::move(bytes));
  }
  // A file without a name may still be synced.
  for (const auto& [number, bytes] : last_.files) disk.files.try_emplace(number, bytes);
  return disk;
}

void PowerLoss::BeforeSync() {
  last_ = Look();
  moments_.push_back({durable_, last_, promised_});
}

void PowerLoss::AfterSync(int file) {
  struct stat state{};
  if (fstat(file, &state) != 0) return;
  const uint64_t number = NumberOf(file, "", AT_EMPTY_PATH);
  if (S_ISDIR(state.st_mode)) {
    if (number == NumberOf(folder_)) durable_.names = last_.names;
    return;
  }
  // Files without a name are read through the descriptor, which may be for writing only.
  const std::string bytes = Content("/proc/self/fd/" + std::to_string(file));
  const auto shared = std::make_shared<const std::string>(bytes);
  durable_.files[number] = last_.files[number] = shared;
}

// Files that are open and have no name are on disk too, though of no use until they have one.
void PowerLoss::AfterSyncOfAll(int file) {
  struct stat synced{}, state{};
  if (fstat(file, &synced) != 0) return;
  durable_ = last_;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", failed)) {
    const int open = std::atoi(entry.path().filename().c_str());
    const bool is_file = fstat(open, &state) == 0 && S_ISREG(state.st_mode);
    if (is_file && state.st_nlink == 0 && state.st_dev == synced.st_dev) AfterSync(open);
  }
}

void WriteState(const PowerLoss::Moment& moment, double kept, std::mt19937& random,
                const std::string& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::bernoulli_distribution keeps(kept);
  std::set<std::string> names;
  for (const auto* disk : {&moment.durable, &moment.present}) {
    for (const auto& [name, number] : disk->names) names.insert(name);
  }
  static const std::string kNothing;
  std::map<uint64_t, std::string> torn;  // one file may have two names
  for (const std::string& name : names) {
    const auto& from = keeps(random) ? moment.present.names : moment.durable.names;
    const auto found = from.find(name);
    if (found == from.end()) continue;
    const auto bytes_in = [&](const PowerLoss::Disk& disk) -> const std::string& {
      const auto file = disk.files.find(found->second);
      return file == disk.files.end() ? kNothing : *file->second;
    };
    auto [file, is_new] = torn.try_emplace(found->second);
    if (is_new) {
      file->second = Torn(bytes_in(moment.durable), bytes_in(moment.present), kept, random);
    }
    std::ofstream(folder + "/" + name, std::ios::binary) << file->second;
  }
}

}  // namespace stepscope::testing

// NOLINTBEGIN(readability-identifier-naming): libc's
extern "C" {
__attribute__((visibility("default"))) int fsync(int file) {
  return stepscope::testing::Synced(file, SYS_fsync);
}
__attribute__((visibility("default"))) int fdatasync(int file) {
  return stepscope::testing::Synced(file, SYS_fdatasync);
}
__attribute__((visibility("default"))) int syncfs(int file) {
  return stepscope::testing::Synced(file, SYS_syncfs);
}
}
// NOLINTEND(readability-identifier-naming)
