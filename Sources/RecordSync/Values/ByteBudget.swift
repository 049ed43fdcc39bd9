import RecordStore
import Synchronization

/// The bytes that one synchronisation may move, and the files that it leaves to the next one. Safe to use from any
/// thread.
///
/// A bound stops no work for ever: the first file of each direction is moved however large it is. Once a file was left,
/// all that come after it in its direction are left, too: a stream keeps its order, and a file that is small does not
/// overtake the one that it needs.
///
/// Heads take room from files, and never the place of the first one: they are written anew again and again. One of
/// each store for which there is no room moves in each direction, so that a family in which nothing else happens comes
/// to rest.
final class ByteBudget: Sendable {
  /// Seen from the device that synchronises; of two devices, from the first one.
  enum Direction { case taken, given }
  enum Kind: String { case files, heads }

  private struct State {
    var used = 0
    /// How many files were moved, heads left out.
    var moved: [Direction: Int] = [:]
    var closed: Set<Direction> = []
    var movedHeads: [Direction: Int] = [:]
    /// By store: where a head was moved for which there was no room.
    var extraHeads: [String: Set<Direction>] = [:]
    /// Where a head was left.
    var headsLeft: Set<Direction> = []
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
  var isUnused: Bool { state.withLock { $0.moved.values.allSatisfy { $0 == 0 } && $0.left.isEmpty } }

  var hasLeftAnything: Bool { state.withLock { !$0.left.isEmpty } }

  /// How many files, or replicas' heads, were moved and not given back.
  func movedCount(_ kind: Kind, _ direction: Direction) -> Int {
    state.withLock { state in
      switch kind {
      case .files: state.moved[direction, default: 0]
      case .heads: state.movedHeads[direction, default: 0]
      }
    }
  }

  func isClosed(_ direction: Direction) -> Bool { state.withLock { $0.closed.contains(direction) } }

  func hasLeftHeads(_ direction: Direction) -> Bool { state.withLock { $0.headsLeft.contains(direction) } }

  /// Whether a file may be moved now. It is counted; else it is noted that it was left. `store` and `file`: names that
  /// are the same whenever the file is looked at.
  func admits(_ file: String, of store: String, byteCount: Int, _ direction: Direction) -> Bool {
    state.withLock { state in
      let isFirst = state.moved[direction, default: 0] == 0
      guard !state.closed.contains(direction), isFirst || state.used + byteCount <= maximum else {
        state.closed.insert(direction)
        state.left[store, default: [:]][file] = byteCount
        return false
      }
      state.moved[direction, default: 0] += 1
      state.used += byteCount
      return true
    }
  }

  /// Whether a replica's heads may be moved now. They are counted; else it is noted that they were left.
  func admitsHeads(_ heads: String, of store: String, byteCount: Int, _ direction: Direction) -> Bool {
    state.withLock { state in
      let hasRoom = state.used + byteCount <= maximum
      guard hasRoom || state.extraHeads[store, default: []].insert(direction).inserted else {
        state.headsLeft.insert(direction)
        state.left[store, default: [:]][heads] = byteCount
        return false
      }
      state.movedHeads[direction, default: 0] += 1
      state.used += byteCount
      return true
    }
  }

  /// Counts an own head, which is written in any case: others forget and remove by its word.
  func count(ownHead byteCount: Int) { state.withLock { $0.used += byteCount } }

  /// A file that was admitted and could not be used does not count: else a damaged one might keep all others away.
  func giveBack(_ byteCount: Int, _ direction: Direction) {
    state.withLock { state in
      state.used -= byteCount
      state.moved[direction, default: 0] -= 1
    }
  }

  /// Moves what admitted files wait for, in their place: else they, which are read again as long as they wait, would
  /// take the room in every run. `body` says whether they can be used now; then they count again.
  func inPlace(of files: [Int], _ direction: Direction, _ body: () throws -> Bool) rethrows -> Bool {
    for byteCount in files { giveBack(byteCount, direction) }
    let wasClosed = state.withLock { state in
      state.moved[direction, default: 0] == 0 && state.closed.remove(direction) != nil
    }
    // Files that were left stay left.
    defer { if wasClosed { state.withLock { _ = $0.closed.insert(direction) } } }
    guard try body() else { return false }
    state.withLock { state in
      state.moved[direction, default: 0] += files.count
      state.used += files.reduce(0, +)
    }
    return true
  }

  func hasLeft(_ file: String, of store: String) -> Bool { state.withLock { $0.left[store]?[file] != nil } }

  /// Sentences on what was left of a store.
  func sentences(on store: String) -> [String] {
    guard let left = state.withLock({ $0.left[store] }) else { return [] }
    let count = left.values.saturatingSum
    return left.count == 1
      ? ["1 file of \(count) bytes is left to the next synchronisation, for this one may move no more"]
      : ["\(left.count) files of \(count) bytes are left to the next synchronisation, for this one may move no more"]
  }
}
