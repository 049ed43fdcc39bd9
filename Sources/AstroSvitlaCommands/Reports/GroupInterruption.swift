import Foundation
import Synchronization

/// Ends a program that this process has started, with all that it started in turn, when a signal asks this process to
/// end. What waits for the program then fails, and can put away what it holds before this process ends.
///
/// A terminal sends Ctrl-C to the group in front alone, and a program that Foundation starts has a group of its own.
struct GroupInterruption {
  /// The signal that came first; 0 before.
  private static let received = Atomic<Int32>(0)
  /// The program's group; 0 while there is none.
  private static let group = Atomic<Int32>(0)

  private let watched: [Int32]

  /// Watches until ``end()``: made before the program is, so that no signal falls between. A signal that this process
  /// ignores stays ignored.
  init() {
    // The handler finds both made: only loads, stores and `kill` are allowed there.
    _ = (Self.received.load(ordering: .relaxed), Self.group.load(ordering: .relaxed))
    watched = [SIGINT, SIGTERM, SIGHUP].filter { number in
      let former = signal(number) { number in Self.take(number) }
      if former != nil { signal(number, former) }
      return former == nil
    }
  }

  /// The program runs; a signal that came meanwhile ends it.
  func begin(_ process: Process) {
    Self.group.store(process.processIdentifier, ordering: .sequentiallyConsistent)
    if Self.hasHappened { kill(-process.processIdentifier, SIGKILL) }
  }

  func end() {
    Self.group.store(0, ordering: .sequentiallyConsistent)
    for number in watched { signal(number, SIG_DFL) }
  }

  private static func take(_ number: Int32) {
    _ = received.compareExchange(expected: 0, desired: number, ordering: .sequentiallyConsistent)
    let group = group.load(ordering: .sequentiallyConsistent)
    if group > 0 { kill(-group, SIGKILL) }
  }

  /// Whether a signal has ended a program.
  static var hasHappened: Bool { received.load(ordering: .sequentiallyConsistent) != 0 }

  /// Ends this process by the signal that has ended the program, so that its caller sees it; nothing without one.
  static func endProcess() {
    let number = received.load(ordering: .sequentiallyConsistent)
    guard number != 0 else { return }
    // To the process, as the threads of tasks take no signals. One of another thread ends it while this one waits.
    kill(getpid(), number)
    sleep(10)
    exit(128 + number)
  }
}
