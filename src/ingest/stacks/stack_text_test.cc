// Tests where a main thread is said to be, by both texts and by what only looks like them.
#include "ingest/stacks/stack_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace stepscope::testing::stack_text_test {
namespace {

RankStack Read(std::string_view text) {
  const auto stack = ReadStackText(text);
  EXPECT_TRUE(stack.has_value());
  return stack.value_or(RankStack{});
}

TEST(StackText, FaulthandlerHasTheMainThreadLast) {
  const std::string_view text = R"(Current thread 0x00007f974e7126c0 (most recent call first):
  <no Python frame>

Thread 0x00007f974e7126c1 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 324 in wait
  File "/job/loader.py", line 3 in background

Thread 0x00007f978e93cb80 (most recent call first):
  File "/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 3697 in recv
  File "/venv/lib/python3.11/site-packages/torch/distributed/c10d_logger.py", line 83 in wrapper
  File "/job/train.py", line 53 in step
  File "/job/train.py", line 87 in <module>
)";
  EXPECT_TRUE(LooksLikeStacks(text));
  const RankStack stack = Read(text);
  EXPECT_EQ(stack.line, "train.py:53 (step)");
  EXPECT_EQ(stack.innermost, "distributed_c10d.py:3697 (recv)");
  EXPECT_EQ(stack.call, "recv");
  EXPECT_EQ(stack.process, -1);
}

TEST(StackText, PySpyNamesTheMainThread) {
  const std::string_view text = R"x(Process 4711: python -m torch.distributed.run
import time
Python v3.11.7 (/usr/bin/python3.11)

Thread 4790 (idle): "Thread-1 (_pin_memory_loop)"
    wait (threading.py:331)
Thread 4711 (idle): "MainThread"
    clock_nanosleep (libc.so.6)
    Condition.wait (threading.py:327)
    Queue.get (queue.py:171)
    _try_get_data (torch/utils/data/dataloader.py:1251)
    next_batch (train.py:12)
    <module> (train.py:80)
)x";
  EXPECT_TRUE(LooksLikeStacks(text));
  const RankStack stack = Read(text);
  EXPECT_EQ(stack.line, "train.py:12 (next_batch)");
  EXPECT_EQ(stack.innermost, "threading.py:327 (Condition.wait)");
  EXPECT_EQ(stack.call, "");
  EXPECT_EQ(stack.process, 4711);
}

// Of PyTorch 2.15, by py-spy 0.4.3: a wrapper logs each call.
TEST(StackText, ACallIsBelowTheWrapperThatLogsIt) {
  const RankStack stack = Read(R"x(Process 4870: python job.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 4870 (idle): "MainThread"
    recv (torch/distributed/distributed_c10d.py:3697)
    _exception_logger.<locals>.wrapper (torch/distributed/c10d_logger.py:83)
    run (job.py:7)
    BaseProcess.run (multiprocessing/process.py:108)
    <module> (job.py:11)
)x");
  EXPECT_EQ(stack.line, "job.py:7 (run)");
  EXPECT_EQ(stack.call, "recv");
}

TEST(StackText, WhoHasEndedIsNotInTheCodeThatBeganIt) {
  const RankStack stack = Read(R"(Thread 0x1 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 1590 in _shutdown
  File "/job/launch.py", line 9 in main
)");
  EXPECT_EQ(stack.line, "threading.py:1590 (_shutdown)");
}

TEST(StackText, OtherTextsAreNotStacks) {
  for (const std::string_view text :
       {"", "\n", "Thread", "Thread 1", "Threads are (mostly) fine", "Process 7", "{}",
        "Thread safety (see below", "  File \"/job/train.py\", line 3 in step"}) {
    EXPECT_FALSE(LooksLikeStacks(text)) << text;
    EXPECT_FALSE(ReadStackText(text).has_value() && !text.empty() && !text.starts_with("Threads") &&
                 !text.starts_with("Thread safety"))
        << text;
  }
}

TEST(StackText, DamagedFramesArePassedOver) {
  const RankStack stack = Read(
      "Thread 0x1 (most recent call first):\n  File \"\n  File \"\", line \n"
      "  File \"/a.py\", line in x\n    (\n  File \"/job/t.py\", line 7 in \x1b[31mstep\n");
  EXPECT_EQ(stack.line, "t.py:7 (\\x1b[31mstep)");
}

}  // namespace
}  // namespace stepscope::testing::stack_text_test
