import Synchronization

/// The bytes that one synchronisation may move, and the files that it leaves to the next one. Safe to use from any
/// thread.
///
/// A bound stops no work for ever: the first file of each direction is moved however large it is. Once a file was left,
/// all that come after it in its direction are left, too: a stream keeps its order, and a file that is small does not
/// overtake the one that it needs.
final class ByteBudget: Sendable {
  /// Seen from the device that synchronises; of two devices, from the first one.
  enum Direction { case taken, given }

  private struct State {
    var used = 0
    /// Whether the first file was moved.
    var begun: Set<Direction> = []
    var closed: Set<Direction> = []
    /// By store and file.
    var left: [String: [String: Int]] = [:]
  }

  /// Bounds the run under way; nil where that has no bound.
  @TaskLocal static var current: ByteBudget?

  private let maximum: Int
  private let state = Mutex(State())

  /// Nil without a bound.
  init?(_ maximum: Int?) {
    guard let maximum else { return nil }
    self.maximum = maximum
  }

  /// Whether nothing was moved, and nothing left.
  var isUnused: Bool { state.withLock { $0.begun.isEmpty && $0.left.isEmpty } }

  func isClosed(_ direction: Direction) -> Bool { state.withLock { $0.closed.contains(direction) } }

  /// Whether a file may be moved now. It is counted; else it is noted that it was left. `store` and `file`: names that
  /// are the same whenever the file is looked at.
  func admits(_ file: String, of store: String, byteCount: Int, _ direction: Direction) -> Bool {
    state.withLock { state in
      let isFirst = !state.begun.contains(direction)
      guard !state.closed.contains(direction), isFirst || state.used + byteCount <= maximum else {
        state.closed.insert(direction)
        state.left[store, default: [:]][file] = byteCount
        return false
      }
      state.begun.insert(direction)
      state.used += byteCount
      return true
    }
  }

  /// A file that was admitted and could not be used does not count: else a damaged one might keep all others away.
  func giveBack(_ byteCount: Int, _ direction: Direction) {
    state.withLock { state in
      state.used -= byteCount
      if state.used == 0 { state.begun.remove(direction) }
    }
  }

  func hasLeft(_ file: String, of store: String) -> Bool { state.withLock { $0.left[store]?[file] != nil } }

  /// Sentences on what was left of a store.
  func sentences(on store: String) -> [String] {
    guard let left = state.withLock({ $0.left[store] }) else { return [] }
    let count = left.values.reduce(0, +)
    return left.count == 1
      ? ["1 file of \(count) bytes is left to the next synchronisation, for this one may move no more"]
      : ["\(left.count) files of \(count) bytes are left to the next synchronisation, for this one may move no more"]
  }
}
