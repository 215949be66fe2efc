// Uses the installed recorder as a training program does: records one step in the directory given.
#include "stepscope/goodput.h"

int main(int, char** argv) {
  stepscope::GoodputRecorder goodput({.directory = argv[1], .job = "packaged"});
  const bool recorded = goodput.JobStart() && goodput.StepStart(0) && goodput.JobEnd();
  return recorded ? 0 : 1;
}
