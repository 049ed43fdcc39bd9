import Synchronization

/// The last results of a function without side effects, for callers that often ask the same. Safe to use from any
/// thread.
///
/// Stores of one app have one schema: a program that opens many of them, or one again and again, reads and compares it
/// once.
final class RecentResults<Result: Sendable>: Sendable {
  /// A container's stores have a schema each.
  private static var capacity: Int { 8 }

  private let results = Mutex<[Result]>([])

  /// The latest result for which the body says that it is meant.
  func first(where isMeant: (Result) -> Bool) -> Result? { results.withLock { $0.last(where: isMeant) } }

  /// Keeps a result, and lets the oldest one go where there are many.
  func add(_ result: Result) {
    results.withLock { results in
      if results.count == Self.capacity { results.removeFirst() }
      results.append(result)
    }
  }
}
