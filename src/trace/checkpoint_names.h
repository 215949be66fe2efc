// Tells what saves a checkpoint by its name. Checkpoints of activations, which save memory, are
// none, and reading one is not saving it.
#pragma once

#include <string_view>

#include "trace/frame_name.h"

namespace stepscope {

// "save_checkpoint (train.py)", torch.save, state_dict(), Orbax, DCP, safetensors, NumPy, pickle.
bool SavesCheckpoint(const FrameName& frame);
// The same of a range that the program names: "checkpoint", "save_ckpt".
bool SavesCheckpoint(std::string_view annotation);

}  // namespace stepscope
