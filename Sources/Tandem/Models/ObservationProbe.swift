import Observation
import Synchronization

/// Whether the current thread is inside `withObservationTracking`.
///
/// Asked at each read of an attribute: an object that nobody observes needs no registrar of its own, which would be an
/// allocation each. Observation has no question for this. ``TrackingWord`` answers it where that was found. Elsewhere
/// Observation is made to tell: it hashes the key paths that are read under tracking, and one key path's argument
/// counts its hashings. The count takes far more instructions.
///
/// A pointer file: the registrar's size belongs to another library, so a global one would be copied, and its reference
/// counted, at each use.
enum ObservationProbe {
  private struct Argument: Hashable, Sendable {
    func hash(into hasher: inout Hasher) { ObservationProbe.hashings.add(1, ordering: .relaxed) }
  }
  private final class Subject: Observable, Sendable {
    subscript(_ argument: Argument) -> Bool { false }
  }

  private static let hashings = Atomic<Int>(0)
  private struct Parts {
    let registrar = ObservationRegistrar()
    let subject = Subject()
    let path: KeyPath<Subject, Bool> = \Subject[Argument()]
  }
  // Never changed nor freed; the key path's only argument is Sendable.
  nonisolated(unsafe) private static let parts: UnsafeMutablePointer<Parts> = {
    let parts = UnsafeMutablePointer<Parts>.allocate(capacity: 1)
    parts.initialize(to: Parts())
    return parts
  }()

  @inline(__always)
  static var isTracking: Bool { TrackingWord.found?.isSet ?? isHashing }

  /// Another thread's tracking may make this true by chance, which costs a registrar and nothing else.
  @inline(never)
  static var isHashing: Bool {
    let before = hashings.load(ordering: .relaxed)
    parts.pointee.registrar.access(parts.pointee.subject, keyPath: parts.pointee.path)
    return hashings.load(ordering: .relaxed) != before
  }
}
