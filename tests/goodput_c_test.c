/* Uses the C interface of the recorder from C, through the shared library: goodput_c_test FOLDER.
 * Prints how many events were recorded. */
#include "stepscope/goodput_c.h"

#include <stdio.h>
#include <string.h>

static void Tell(void* context, const char* sentence) {
  (void)context;
  fprintf(stderr, "%s\n", sentence);
}

static int failed = 0, recorded = 0;

static void Count(int result) {
  failed |= result != STEPSCOPE_GOODPUT_OK;
  recorded += result == STEPSCOPE_GOODPUT_OK;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  stepscope_goodput_options options;
  stepscope_goodput_defaults(&options, sizeof options);
  options.directory = argv[1];
  options.job = "from C";
  options.on_problem = Tell;
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  if (recorder == NULL) return 1;

  Count(stepscope_goodput_mark(recorder, STEPSCOPE_GOODPUT_JOB_START));
  for (int64_t step = 0; step < 100; ++step) {
    Count(stepscope_goodput_step_start(recorder, step));
    Count(stepscope_goodput_step_end(recorder, step));
  }
  const int64_t unknown = STEPSCOPE_GOODPUT_UNKNOWN;
  const stepscope_goodput_checkpoint times = {.manager = {1, 2},
                                              .checkpointer = {unknown, unknown},
                                              .wait_for_prev = {unknown, unknown},
                                              .get_old_steps = {unknown, unknown},
                                              .broadcast = {unknown, unknown}};
  stepscope_goodput_event event;
  stepscope_goodput_event_init(&event, sizeof event, STEPSCOPE_GOODPUT_CHECKPOINT_SAVE);
  event.step = 99;
  event.text = "gs://bucket and more";
  event.text_bytes = strlen("gs://bucket");
  event.checkpoint = &times;
  Count(stepscope_goodput_record(recorder, &event));
  Count(stepscope_goodput_mark_step(recorder, STEPSCOPE_GOODPUT_CHECKPOINT_SAVE_BEGIN, 99));
  Count(stepscope_goodput_mark_step(recorder, STEPSCOPE_GOODPUT_CHECKPOINT_SAVE_END, 99));
  failed |= stepscope_goodput_mark(recorder, 29) != STEPSCOPE_GOODPUT_WRONG;
  failed |= stepscope_goodput_flush(recorder);
  failed |= stepscope_goodput_dropped(recorder) != 0;
  stepscope_goodput_close(recorder);
  printf("%d\n", recorded);
  return failed;
}
