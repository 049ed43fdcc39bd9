import CThreads
import Foundation

/// Whether a program can have the threads that it needs.
///
/// The library that hands out work to threads waits for one that the system refuses, without a word and for as long as
/// that lasts: under a limit of the program's own, for ever.
package enum ThreadRoom {
  /// The library's own threads, one that follows child processes and one that hears of their ends, one that writes, and
  /// some that read at the same time, or answer a browser.
  private static let threads: Int32 = 10

  /// A sentence that refuses to begin where the system has no room for them; nil where it has. The C library keeps the
  /// stacks of threads that have ended for others, so that room stays theirs.
  ///
  /// Asked once, before there is a second thread. Costs some tenths of a millisecond.
  package static var refusal: String? {
    let isLimited = tandem_has_address_limit()
    // Where there is little, addresses that are set aside for memory are wanting for threads.
    if isLimited { tandem_share_heap() }
    let code = tandem_try_threads(threads)
    guard code != 0 else { return nil }
    let remedy =
      isLimited
      ? "raise the limit of its address space ('ulimit -v')"
      : "raise the limit of processes ('ulimit -u', or that of the container), or end other programs"
    return "the system has no room for the \(threads) threads of this program (\(String(cString: strerror(code)))); "
      + remedy
  }
}
