import CSignals
import Foundation
import Synchronization

/// The main contexts of this process with changes that nobody has saved yet, which are saved when it ends.
///
/// The end is `exit`, the end of `main`, and SIGTERM as long as the program leaves that to the system. It is arranged
/// for when the first such context comes, so handlers that the program gave to `atexit` before run afterwards.
/// Contexts belong to the main actor: where another thread ends the process, the save waits for the main actor's
/// turn, for two seconds at most. A child of `fork` saves nothing, as its changes are the parent's.
final class UnsavedContexts: Sendable {
  static let shared = UnsavedContexts()
  private static let limitSeconds = 2.0

  private struct State {
    /// By the container's identity.
    var living: [ObjectIdentifier: Living] = [:]
    var left: [LeftContext] = []

    var isEmpty: Bool { living.isEmpty && left.isEmpty }
  }

  private struct Living {
    weak var core: ContainerCore?
  }

  /// A context that nobody else holds and that no thread uses until the main actor takes it.
  // Hence unchecked: it is passed on, never shared.
  private struct LeftContext: @unchecked Sendable {
    let context: ModelContext
  }

  private let state = Mutex(State())
  private let process = getpid()

  private init() {
    atexit { UnsavedContexts.shared.saveAtEnd() }
    hearTermination()
  }

  /// The main context of a container has changes.
  func enter(_ core: ContainerCore) {
    change { $0.living[ObjectIdentifier(core)] = Living(core: core) }
  }

  /// They were saved, or there are none any more.
  func leave(_ core: ContainerCore) {
    change { $0.living[ObjectIdentifier(core)] = nil }
  }

  /// A main context went away off the main actor; this one has its changes.
  func take(_ heir: ModelContext) {
    let left = LeftContext(context: heir)
    change { $0.left.append(left) }
    Task { @MainActor in self.saveLeft() }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock {
      body(&$0)
      tandem_delay_termination(!$0.isEmpty)
    }
  }

  @MainActor private func saveLeft() {
    var left: [LeftContext] = []
    change { swap(&$0.left, &left) }
    for left in left { left.context.saveForGood() }
  }

  @MainActor private func saveAll() {
    for living in state.withLock({ Array($0.living.values) }) { living.core?.mainContext?.saveAtEnd() }
    saveLeft()
  }

  private func saveAtEnd() {
    guard getpid() == process, !state.withLock(\.isEmpty) else { return }
    if MainQueue.run(withinSeconds: Self.limitSeconds, { self.saveAll() }) { return }
    Log.error(
      "the process ends while the main actor is busy, so changes of a main context are not saved: "
        + "save them before, or end the process on the main actor")
  }

  // MARK: SIGTERM

  private func hearTermination() {
    var made: [Int32] = [-1, -1]
    guard pipe(&made) == 0 else { return }
    let ends = made
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    guard tandem_hear_termination(ends[1]) else {
      for end in ends { close(end) }
      return
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: .global())
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 64)
      _ = read(ends[0], &bytes, bytes.count)
      UnsavedContexts.shared.saveAtEnd()
      tandem_terminate()
      // Nobody else holds it, and it shall listen as long as the process lives.
      withExtendedLifetime(source) {}
    }
    source.resume()
  }
}
