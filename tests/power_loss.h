// Records what a directory holds and what of it is on disk at every sync, and makes the states that
// a power loss can leave: of what was not synced, any part.
//
// The test program replaces fsync, fdatasync and syncfs (power_loss.cc). At each call the directory
// is compared with what was synced before; all that differs, bytes by page and names one by one,
// may be lost or kept independently, so that every order of writing is among the states.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace stepscope::testing {

class PowerLoss {
 public:
  using Bytes = std::shared_ptr<const std::string>;
  struct Disk {
    std::map<std::string, uint64_t> names;  // of files, to their numbers
    std::map<uint64_t, Bytes> files;
  };
  // The moment before a sync: what is on disk for sure, and what the system has besides.
  struct Moment {
    Disk durable, present;
    int64_t promised = 0;  // what Promise said before
  };

  // Records from now on, one at a time.
  explicit PowerLoss(std::string folder);
  ~PowerLoss();
  PowerLoss(const PowerLoss&) = delete;
  PowerLoss& operator=(const PowerLoss&) = delete;

  // What the program promised from here on, as a number for the test.
  void Promise(int64_t promised);

  // Ends the recording.
  std::vector<Moment> Stop();

  // Called by the replaced functions before the sync of an open file, and after a good one.
  void BeforeSync();
  void AfterSync(int file);
  void AfterSyncOfAll(int file);

 private:
  Disk Look() const;

  std::string folder_;
  std::vector<Moment> moments_;
  Disk durable_, last_;
  int64_t promised_ = 0;
};

// Writes a state of the moment into a directory. `kept`: which part of what was not synced is
// there, 0: nothing, 1: all, else at random.
void WriteState(const PowerLoss::Moment& moment, double kept, std::mt19937& random,
                const std::string& folder);

}  // namespace stepscope::testing
