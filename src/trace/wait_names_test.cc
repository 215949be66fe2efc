// Tests which functions of Python wait, and for what.
#include "trace/wait_names.h"

#include <gtest/gtest.h>

namespace stepscope::wait_names_test {
namespace {

FrameName Of(const char* function, const char* file = "") {
  FrameName name;
  name.function = function;
  name.file = file;
  return name;
}

TEST(WaitNames, TellForWhatAFunctionWaits) {
  EXPECT_TRUE(WaitsForWorker(Of("select.poll.poll")));
  EXPECT_TRUE(WaitsForWorker(Of("_thread.lock.acquire")));
  EXPECT_FALSE(WaitsForWorker(Of("_pickle.loads")));
  EXPECT_TRUE(WaitsForThread(Of("_thread.lock.acquire")));
  EXPECT_TRUE(WaitsForThread(Of("_queue.SimpleQueue.get")));
  EXPECT_FALSE(WaitsForThread(Of("select.poll.poll")));
  EXPECT_TRUE(OnlyWaits(Of("torch.distributed.Work.wait")));
  EXPECT_TRUE(OnlyWaits(Of("barrier")));
  EXPECT_FALSE(OnlyWaits(Of("waiter")));
}

TEST(WaitNames, FunctionsOfFilesAreNotPythonsOwn) {
  EXPECT_FALSE(WaitsForWorker(Of("poll", "mine.py")));
  EXPECT_FALSE(WaitsForThread(Of("Lock.acquire", "mine.py")));
}

}  // namespace
}  // namespace stepscope::wait_names_test
