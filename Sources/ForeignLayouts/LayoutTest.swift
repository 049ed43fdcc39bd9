import Synchronization

/// The self-test of one reading of a foreign layout, run until it has passed once.
///
/// Threads that come first together run it each, which does no harm.
package struct LayoutTest: ~Copyable, Sendable {
  private let layout: ForeignLayout
  private let hasPassed = Atomic<Bool>(false)

  package init(of layout: ForeignLayout) { self.layout = layout }

  /// Whether the reading may be used.
  ///
  /// - Parameter test: compares the reading with the library's own answer. Nil where what is at hand shows nothing;
  ///   then there is nothing wrong to use either, and the next use tests again.
  package func passes(_ test: () throws -> Bool?) rethrows -> Bool {
    guard layout.isOn else { return false }
    if hasPassed.load(ordering: .relaxed) { return true }
    guard let isRight = try test() else { return true }
    layout.settle(isRight)
    hasPassed.store(isRight, ordering: .relaxed)
    return isRight
  }
}
