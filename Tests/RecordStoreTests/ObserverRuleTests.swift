import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// Which commits an observer hears of: each at most once, whatever made somebody look, and only what is new.
struct ObserverRuleTests {
  typealias Progress = CommitObservers.Progress

  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let known: Progress
    let looks: [Progress?]
    /// What an observer of transactions hears, and one of arrivals.
    let transactions: [UInt64]
    let arrivals: [UInt64]
    var testDescription: String { title }

    init(
      _ title: String, known: Progress = Progress(number: 5, generation: 1), _ looks: [Progress?],
      transactions: [UInt64],
      arrivals: [UInt64] = []
    ) {
      (self.title, self.known, self.looks) = (title, known, looks)
      (self.transactions, self.arrivals) = (transactions, arrivals)
    }
  }

  private static func at(_ number: UInt64, generation: UInt64 = 1, arrivals: UInt64 = 0) -> Progress {
    Progress(number: number, generation: generation, arrivals: arrivals)
  }

  static let rows: [Row] = [
    Row("nothing new", [at(5)], transactions: []),
    Row("one commit", [at(6)], transactions: [6]),
    Row("a commit that was told already", [at(6), at(6)], transactions: [6]),
    Row("several at once are one call with the newest", [at(9)], transactions: [9]),
    Row("one after another", [at(6), at(7), at(9)], transactions: [6, 7, 9]),
    Row("a look that comes late tells nothing old", [at(7), at(6)], transactions: [7]),
    Row("a look that cannot say tells nothing", [nil, at(6), nil], transactions: [6]),
    Row("a migration without a transaction", [at(5, generation: 2)], transactions: [5]),
    Row("which is told once", [at(5, generation: 2), at(5, generation: 2)], transactions: [5]),
    Row(
      "a way back is a change of the catalogue, too", [at(5, generation: 2), at(5, generation: 1)],
      transactions: [5, 5]),
    Row("an arrival is no transaction", [at(5, arrivals: 1)], transactions: [], arrivals: [5]),
    Row("and a transaction is no arrival", [at(6)], transactions: [6], arrivals: []),
    Row("both at once", [at(6, arrivals: 1)], transactions: [6], arrivals: [6]),
    Row(
      "an arrival that was told already", [at(5, arrivals: 1), at(6, arrivals: 1)], transactions: [6], arrivals: [5]),
    Row("arrivals that are behind", [at(5, arrivals: 2), at(5, arrivals: 1)], transactions: [], arrivals: [5]),
    Row("a number that fell is no commit", [at(4), at(5)], transactions: []),
  ]

  /// Adds an observer and gives what it will hear.
  private func listen(
    _ observers: CommitObservers, _ subject: CommitObservers.Subject, after known: Progress
  ) -> (token: UInt64, heard: () -> [UInt64]) {
    let heard = Heard()
    let token = observers.add(subject, after: known) { heard.add($0) }
    return (token, { heard.numbers })
  }

  private final class Heard: Sendable {
    private let all = Mutex<[UInt64]>([])
    var numbers: [UInt64] { all.withLock { $0 } }
    func add(_ number: UInt64) { all.withLock { $0.append(number) } }
  }

  @Test(arguments: rows) func `an observer hears what is new, once`(row: Row) {
    let observers = CommitObservers()
    let transactions = listen(observers, .transactions, after: row.known)
    let arrivals = listen(observers, .arrivals, after: row.known)
    for look in row.looks { observers.lookNow { look } }
    #expect(transactions.heard() == row.transactions)
    #expect(arrivals.heard() == row.arrivals)
  }

  @Test(arguments: rows) func `where nobody listens nobody looks`(row: Row) {
    let observers = CommitObservers()
    let (token, heard) = listen(observers, .transactions, after: row.known)
    #expect(!observers.isEmpty && !observers.hearsOfArrivals)
    observers.remove(token)
    #expect(observers.isEmpty)
    for look in row.looks {
      observers.lookNow {
        Issue.record("looked for nobody")
        return look
      }
    }
    #expect(heard().isEmpty)
    // The next one begins with what it knows, not with what an earlier one had heard.
    let next = listen(observers, .arrivals, after: Self.at(100, arrivals: 7))
    #expect(observers.hearsOfArrivals)
    observers.lookNow { Self.at(100, arrivals: 7) }
    #expect(next.heard().isEmpty)
    observers.lookNow { Self.at(100, arrivals: 8) }
    #expect(next.heard() == [100])
  }

  @Test func `observers are called in the order in which they came, until each is taken out`() {
    let observers = CommitObservers()
    let order = Mutex<[Int]>([])
    let tokens = (0..<3).map { place in
      observers.add(after: Self.at(0)) { _ in order.withLock { $0.append(place) } }
    }
    observers.lookNow { Self.at(1) }
    #expect(order.withLock { $0 } == [0, 1, 2])
    observers.remove(tokens[1])
    observers.lookNow { Self.at(2) }
    #expect(order.withLock { $0 } == [0, 1, 2, 0, 2])
    // One that is taken out twice, or never was there, is no other one.
    observers.remove(tokens[1])
    observers.remove(99)
    observers.lookNow { Self.at(3) }
    #expect(order.withLock { $0 } == [0, 1, 2, 0, 2, 0, 2])
  }

  @Test func `who comes later hears only what comes later`() {
    let observers = CommitObservers()
    let first = listen(observers, .transactions, after: Self.at(1))
    observers.lookNow { Self.at(4) }
    let second = listen(observers, .transactions, after: Self.at(4))
    observers.lookNow { Self.at(4) }
    observers.lookNow { Self.at(5) }
    #expect(first.heard() == [4, 5] && second.heard() == [5])
  }

  // MARK: Readers in the way

  /// A snapshot of another process as `tandem info` tells it.
  static let readers: [(reader: StoreReader, text: String, isInTheWay: Bool)] = [
    (
      StoreReader(processIdentifier: 4711, processName: "widget", isStopped: false, commitsBehind: 0),
      "process 4711 (widget), 0 commits behind", false
    ),
    (
      StoreReader(processIdentifier: 4711, processName: nil, isStopped: false, commitsBehind: 1),
      "process 4711, 1 commit behind", false
    ),
    (
      StoreReader(processIdentifier: nil, processName: nil, isStopped: false, commitsBehind: 999),
      "a process that cannot be seen from here, 999 commits behind", false
    ),
    (
      StoreReader(processIdentifier: 4711, processName: "widget", isStopped: true, commitsBehind: 2),
      "process 4711 (widget), stopped, 2 commits behind", true
    ),
    (
      StoreReader(processIdentifier: 1, processName: "app", isStopped: false, commitsBehind: 1_000),
      "process 1 (app), 1000 commits behind", true
    ),
  ]

  @Test(arguments: readers) func `a reader is named with what it holds up`(
    reader: StoreReader, text: String, isInTheWay: Bool
  ) {
    #expect(reader.description == text && reader.isInTheWay == isInTheWay)
  }
}
