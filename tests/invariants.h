// Checks what must hold between the numbers of every answer, whatever the input.
#pragma once

#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::testing {

// What does not hold in `answer`, a sentence each; empty when all is well. `answer` must hold the
// reports of all analyses; those that are unavailable are passed over.
//
//   per device and per step   idle + busy = span, compute + non_compute = busy, nothing negative
//   per device                overlapped + exposed = communication, exposed <= non_compute
//   per rank                  the rows of `kinds` add up to the busy time of its devices, those
//   with
//                             compute to the compute time, likewise communication and overlap
//   per kernel                min <= mean <= max, and count times each bounds the sum
//   per rank                  as many events on its streams as kernels in its breakdown
//   per stream                gaps + busy fit into the span of its device; no gap is negative
//   per rank                  matched + unmatched collectives = communication kernels, and
//                             wait + transfer <= their durations + the error bar of its clock
//   over all ranks            the waiting that was caused is that which was done
//   per rank and step         compute + exposed + idle <= step_time
//   per rank                  the bounds and segments of the critical path tile its span, and
//                             removing something saves no more than its time on the path
//   per device                phases divide the busy time; what is launched is queued; copies take
//   no
//                             longer than the device is busy
//   per allocator             what is held at its peak adds up to it
//   per device                exposed all-reduces <= all of them; gaps between steps fit into its
//                             span, and their idle time into its idle time
//   of all steps              the MFU lies between that of the lowest and of the highest step
//   per finding               the table that it names is in its report, and has rows
//   per row                   its kind is one of ColumnKind
std::vector<std::string> BrokenInvariants(const ReportSet& answer);

}  // namespace stepscope::testing
