// Hears SIGTERM, in C because a signal handler may use nothing that Swift does not promise to leave alone: no lock, no
// memory from the heap, no value that is made at its first use.

#ifndef TANDEM_CSIGNALS_H
#define TANDEM_CSIGNALS_H

#include <stdbool.h>

// From here on SIGTERM writes a byte to `wake` while something delays it, and else ends the process as it always does.
// Installs nothing where the program has a handler of its own or ignores the signal; false then. A child of `fork` ends
// at once, and what a child executes has the system's own action again.
bool tandem_hear_termination(int wake);

// Whether SIGTERM shall be told to `wake` first.
void tandem_delay_termination(bool delays);

// Ends the process by SIGTERM. Returns only where the program took over the signal meanwhile.
void tandem_terminate(void);

#endif
