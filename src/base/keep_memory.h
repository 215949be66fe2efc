// Keeps memory that was freed for what comes next, for a command that answers once and ends.
#pragma once

namespace stepscope {

// From here on the process gives hardly any memory back to the system. What one rank needed is
// needed by the next one, and each page that comes new costs about 1 us. Does nothing where the C
// library has no such setting.
void KeepFreedMemory();

}  // namespace stepscope
