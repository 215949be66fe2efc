// Tests which names save a checkpoint.
#include "trace/checkpoint_names.h"

#include <gtest/gtest.h>

namespace stepscope::checkpoint_names_test {
namespace {

TEST(CheckpointNames, TellSavingFromOthers) {
  for (const char* name :
       {"train.py(88): save_checkpoint", "torch/serialization.py(945): save",
        "torch/nn/modules/module.py(2200): state_dict", "pickle.py(471): dump",
        "torch/distributed/checkpoint/state_dict_saver.py(100): async_save",
        "orbax/checkpoint/checkpoint_manager.py(9): save", "numpy/lib/npyio.py(500): save",
        "<built-in function dump>", "$checkpointer.py:5 save_model"}) {
    const bool saves = SavesCheckpoint(ParseFrameName(name));
    EXPECT_EQ(saves, std::string_view(name) != "<built-in function dump>") << name;
  }
  for (const char* name :
       {"torch/utils/checkpoint.py(480): checkpoint", "train.py(3): load_checkpoint",
        "torch/nn/modules/module.py(2500): load_state_dict", "train.py(9): step",
        "fairscale/checkpoint.py(2): checkpoint_wrapper", "torch/serialization.py(1200): load",
        "graph.py(3): save_for_backward"})
    EXPECT_FALSE(SavesCheckpoint(ParseFrameName(name))) << name;
  EXPECT_TRUE(SavesCheckpoint("checkpoint"));
  EXPECT_TRUE(SavesCheckpoint("Save CKPT"));
  EXPECT_FALSE(SavesCheckpoint("restore_checkpoint"));
  EXPECT_FALSE(SavesCheckpoint("CheckpointFunction"));
  EXPECT_FALSE(SavesCheckpoint("ProfilerStep#3"));
}

}  // namespace
}  // namespace stepscope::checkpoint_names_test
