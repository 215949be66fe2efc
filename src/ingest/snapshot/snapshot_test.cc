// Lists of frames and flat dicts that refer to earlier texts, as Python's pickler writes them, are
// read as those with texts of their own; wherever they are cut or continued.
#include "ingest/snapshot/snapshot.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/snapshot/snapshot_reader.h"
#include "tests/support/pickle_writer.h"

namespace stepscope {
namespace snapshot_test {

using testing::Pickled;

// What a snapshot remembers first: number 3 is the first text.
const std::vector<std::string> kTexts = {
    "name",  "filename", "line", "action",   "addr",  "size",    "time_us",        "frames",
    "alloc", "forward",  "loss", "train.py", "state", "address", "requested_size", "inactive"};

std::string Get(std::string_view text) {
  for (size_t i = 0; i < kTexts.size(); ++i)
    if (kTexts[i] == text) return {'h', static_cast<char>(3 + i)};
  return "N";
}

std::string Frame(std::string_view name, char line) {
  return "}\x94(" + Get("name") + Get(name) + Get("filename") + Get("train.py") + Get("line") +
         "K" + line + "u";
}

// The bytes of a list of frames; `end` closes it.
std::string Frames(const std::string& frames, std::string_view end = "e") {
  return "]\x94(" + frames + std::string(end);
}

std::string Alloc(char size, const std::string& frames) {
  return "}\x94(" + Get("action") + Get("alloc") + Get("addr") + "M\x10\x10" + Get("size") + "K" +
         size + Get("time_us") + "J\x01\x02\x03\x04" + Get("frames") + frames + "u";
}

Result<MemorySnapshot> Read(const std::string& events, const std::string& padding) {
  std::string pickle = "\x80\x04}\x94(" + Pickled("names").bytes + "]\x94(";
  for (const std::string& text : kTexts) pickle += Pickled(text).bytes;
  pickle += "e" + Pickled("device_traces").bytes + "]\x94]\x94(" + events + "ea";
  pickle += Pickled("segments").bytes + "]\x94" + Pickled("padding").bytes + Pickled(padding).bytes;
  pickle += "u.";
  return ReadSnapshot(ByteSource::FromMemory(pickle));
}

struct Seen {
  int64_t size = 0, time = 0;
  std::vector<std::string> frames;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> EventsOf(const Result<MemorySnapshot>& snapshot) {
  std::vector<Seen> events;
  if (!snapshot) return events;
  for (size_t i = 0; i < snapshot->events.size(); ++i) {
    const SnapshotEvent event = snapshot->events[i];
    events.push_back({event.size, event.time, {}});
    for (const FrameId id : snapshot->stacks.stack(event.stack)) {
      const auto& frame = snapshot->stacks.frame(id);
      events.back().frames.push_back(std::string(snapshot->stacks.text(frame.name)) + " " +
                                     std::to_string(frame.line));
    }
  }
  return events;
}

const std::string kPadding(300, 'x');  // what comes next is in the buffer: bytes are taken at once

TEST(SnapshotBytes, AreReadAsStepsAre) {
  const std::string two = Frame("forward", 5) + Frame("loss", 9);
  const std::string events = Alloc(7, Frames(two)) + Alloc(8, "]\x94") + Alloc(9, Frames(two));
  const std::vector<Seen> expected = {{7, 0x04030201, {"forward 5", "loss 9"}},
                                      {8, 0x04030201, {}},
                                      {9, 0x04030201, {"forward 5", "loss 9"}}};
  EXPECT_EQ(EventsOf(Read(events, kPadding)), expected);
  EXPECT_EQ(EventsOf(Read(events, "")), expected);  // near the end of the file: by steps
}

TEST(SnapshotBytes, ListsThatGoOnAreLeftToTheSteps) {
  // A batch ends and another follows; a frame is appended; a frame has a name of its own.
  const std::string own = "}\x94(" + Get("name") + Pickled("new").bytes + Get("filename") +
                          Get("train.py") + Get("line") + "K\x03u";
  const std::string batches = Frames(Frame("forward", 5), "e(" + Frame("loss", 9) + "e");
  const std::string appended = Frames(Frame("forward", 5), "e" + Frame("loss", 9) + "a");
  const std::string named = Frames(Frame("forward", 5) + own);
  for (const std::string& padding : {kPadding, std::string()}) {
    EXPECT_EQ(EventsOf(Read(Alloc(7, batches) + Alloc(8, appended) + Alloc(9, named), padding)),
              (std::vector<Seen>{{7, 0x04030201, {"forward 5", "loss 9"}},
                                 {8, 0x04030201, {"forward 5", "loss 9"}},
                                 {9, 0x04030201, {"forward 5", "new 3"}}}));
  }
}

TEST(SnapshotBytes, EveryCutIsAnError) {
  std::string pickle = "\x80\x04}\x94(" + Pickled("device_traces").bytes + "]\x94]\x94(";
  pickle += Alloc(7, Frames(Frame("forward", 5))) + "ea" + Pickled("segments").bytes + "]\x94u.";
  for (size_t size = 0; size < pickle.size(); ++size)
    EXPECT_FALSE(ReadSnapshot(ByteSource::FromMemory(std::string_view(pickle).substr(0, size))));
}

TEST(SnapshotBlocks, KeepWhatTheyAreGivenOrNothing) {
  SnapshotBlocks blocks;
  const SnapshotBlock largest{.address = SnapshotEvents::kAddresses - 1,
                              .size = SnapshotEvents::kMostSize,
                              .requested = SnapshotEvents::kMostSize - (int64_t{1} << 37) + 1,
                              .stack = SnapshotStacks::kMostStacks - 1,
                              .state = BlockState::kAwaitingFree};
  ASSERT_TRUE(blocks.Append(largest));
  const SnapshotBlock read = blocks[0];
  EXPECT_EQ(read.address, largest.address);
  EXPECT_EQ(read.size, largest.size);
  EXPECT_EQ(read.requested, largest.requested);
  EXPECT_EQ(read.stack, largest.stack);
  EXPECT_EQ(read.state, largest.state);
  EXPECT_FALSE(blocks.Append({.size = 5, .requested = 6, .state = BlockState::kAllocated}));
  EXPECT_FALSE(blocks.Append({.size = -1}));
  EXPECT_FALSE(blocks.Append({.address = SnapshotEvents::kAddresses}));
  ASSERT_TRUE(blocks.Append({.size = 5, .requested = 6}));  // not in use: nothing is requested
  EXPECT_EQ(blocks[1].requested, 0);
}

}  // namespace snapshot_test
}  // namespace stepscope
