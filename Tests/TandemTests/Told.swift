import Synchronization

/// How often an observer was told.
final class Told: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .relaxed) }
  func note() { value.add(1, ordering: .relaxed) }
}
