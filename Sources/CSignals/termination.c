#include "CSignals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_bool is_delayed;
static int wake_descriptor = -1;
static pid_t owner;

static void hear(int number) {
  (void)number;
  int kept = errno;
  char byte = 0;
  // A full pipe wakes as well.
  if (atomic_load(&is_delayed) && getpid() == owner &&
      (write(wake_descriptor, &byte, 1) == 1 || errno == EAGAIN)) {
    errno = kept;
    return;
  }
  tandem_terminate();
}

bool tandem_hear_termination(int wake) {
  struct sigaction action;
  if (sigaction(SIGTERM, NULL, &action) != 0) return false;
  if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL) return false;
  wake_descriptor = wake;
  owner = getpid();
  memset(&action, 0, sizeof action);
  action.sa_handler = hear;
  // The program's own calls go on.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGTERM, &action, NULL) == 0;
}

void tandem_delay_termination(bool delays) { atomic_store(&is_delayed, delays); }

void tandem_terminate(void) {
  struct sigaction action;
  // The program's own handler, if it has set one since: it decides.
  if (sigaction(SIGTERM, NULL, &action) != 0) return;
  if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != hear) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);
  // Worker threads and the handler itself block the signal.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  raise(SIGTERM);
}
