import Observation
import Synchronization

/// Whether the current thread is inside `withObservationTracking`.
///
/// Observation has no question for this, but it hashes the key paths that are read under tracking: a key
/// path whose argument counts its hashings gives the answer. So an object that nobody observes needs no
/// registrar of its own, which would be an allocation each.
enum ObservationProbe {
  private struct Argument: Hashable, Sendable {
    func hash(into hasher: inout Hasher) { ObservationProbe.hashings.add(1, ordering: .relaxed) }
  }
  private final class Subject: Observable, Sendable {
    subscript(_ argument: Argument) -> Bool { false }
  }

  private static let hashings = Atomic<Int>(0)
  private static let registrar = ObservationRegistrar()
  private static let subject = Subject()
  // Immutable, and its only argument is Sendable.
  nonisolated(unsafe) private static let path: KeyPath<Subject, Bool> = \Subject[Argument()]

  /// Another thread's tracking may make this true by chance, which costs a registrar and nothing else.
  static var isTracking: Bool {
    let before = hashings.load(ordering: .relaxed)
    registrar.access(subject, keyPath: path)
    return hashings.load(ordering: .relaxed) != before
  }
}
