import Foundation

/// LMDB reads a file through the memory map and has no checksums of its own: a damaged page can end the process by a
/// signal. A person then reads what that means instead of a dump of addresses.
enum CrashSentence {
  private static let signals = [SIGSEGV, SIGBUS, SIGABRT]

  /// Back to a plain death, which a parent process can see.
  static func remove() {
    for number in signals { signal(number, SIG_DFL) }
  }

  /// From here on.
  static func install() {
    for number in signals {
      signal(number) { _ in
        // Only calls that are safe inside a signal handler: write and _exit.
        let text: StaticString =
          """
          tandem: reading the store crashed, so its file is probably damaged; run 'tandem check' on it, then restore a \
          backup, or rebuild it from its exchange folder with 'tandem rebuild'

          """
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        _exit(2)
      }
    }
  }
}
