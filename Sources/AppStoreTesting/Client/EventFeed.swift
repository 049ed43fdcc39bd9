import Foundation
import RecordStore
import Synchronization

/// The ledger's events of one kind for one session, in the order in which they arrive.
///
/// It reads them by number, so a slow listener misses none, and is woken by commits of every process. While it waits it
/// also lets the account's subscriptions renew when their time has come. One task at a time takes from it.
final class EventFeed: Sendable {
  private static let batchCount = 500

  private struct State {
    var nextEvent: UInt64
    /// Events that have not arrived yet, one for each copy, in order of arrival.
    var waiting: [(arrival: Date, event: LedgerEvent)] = []
  }

  private let session: Session
  private let kind: LedgerEvent.Kind
  private let state: Mutex<State>
  private let bell = Bell()
  private let observation: CommitObservation

  /// Events from `firstEvent` on.
  init(_ session: Session, _ kind: LedgerEvent.Kind, from firstEvent: UInt64) {
    self.session = session
    self.kind = kind
    state = Mutex(State(nextEvent: firstEvent))
    observation = session.ledger.observe { [bell] in bell.ring() }
  }

  /// The next event that has arrived; waits for it. Nil when the task was cancelled.
  func next() async throws -> LedgerEvent? {
    while !Task.isCancelled {
      try await session.settle()
      let now = try await readEvents()
      if let event = takeArrived(at: now.date) { return event }
      await bell.wait(atMost: try await timeToNext(now))
    }
    return nil
  }

  private struct Now {
    let date: Date
    let isStopped: Bool
  }

  private func readEvents() async throws -> Now {
    while true {
      let first = state.withLock { $0.nextEvent }
      let (account, kind, id) = (session.account, kind, session.id)
      let (events, now) = try await session.ledger.readNow { snapshot, settings, date in
        let conditions = [LedgerCondition("account", account), LedgerCondition("number", .greaterOrEqual, first)]
        let events = try snapshot.list(LedgerEvent.self, conditions, by: "number", limit: Self.batchCount)
        return (events, Now(date: date, isStopped: settings.stoppedAt != nil))
      }
      if let last = events.last {
        add(events.filter { $0.kind == kind && $0.origin != id }, next: last.number + 1)
      }
      if events.count < Self.batchCount { return now }
    }
  }

  private func add(_ events: [LedgerEvent], next: UInt64) {
    state.withLock { state in
      state.nextEvent = next
      state.waiting += events.flatMap { event in event.arrivalDates.map { ($0, event) } }
      state.waiting.sort { ($0.arrival, $0.event.number) < ($1.arrival, $1.event.number) }
    }
  }

  private func takeArrived(at now: Date) -> LedgerEvent? {
    state.withLock { state in
      guard let first = state.waiting.first, first.arrival <= now else { return nil }
      return state.waiting.removeFirst().event
    }
  }

  /// How long nothing happens by itself; nil: until somebody commits. While the clock stands, moving it is a commit.
  private func timeToNext(_ now: Now) async throws -> Duration? {
    guard !now.isStopped else { return nil }
    let (account, assortments) = (session.account, session.assortments)
    let charge = try await session.ledger.readNow { snapshot, settings, _ in
      try snapshot.settlement(of: account, assortments, settings)?.nextDate(snapshot, settings)
    }
    let arrival = state.withLock { $0.waiting.first?.arrival }
    return [charge, arrival].compactMap { $0 }.min().map { date in
      .milliseconds(max(date.milliseconds - now.date.milliseconds, 1))
    }
  }
}
