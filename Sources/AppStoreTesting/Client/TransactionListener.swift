import AppStorePurchases
import Foundation
import RecordStore
import Synchronization

/// Whether a launch has replayed its unfinished transactions already.
final class LaunchReplay: Sendable {
  private let isDone = Atomic(false)

  /// True for the first that asks.
  func take() -> Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
}

/// One listener to `Transaction.updates`: the unfinished transactions if it is the launch's first, then what happens.
final class TransactionListener: Sendable {
  private struct State {
    var hasBegun = false
    /// Unfinished transactions still to be replayed, the oldest last.
    var replay: [RecordID] = []
    /// The event up to which the replay has told: these are not told twice.
    var toldBefore: UInt64 = 0
    var told: Set<UInt64> = []
    var feed: EventFeed
  }

  private let session: Session
  private let launchReplay: LaunchReplay
  private let state: Mutex<State>

  init(_ session: Session, _ launchReplay: LaunchReplay) {
    self.session = session
    self.launchReplay = launchReplay
    state = Mutex(State(feed: EventFeed(session, .transaction, from: session.nextEvent())))
  }

  func stream() -> TransactionStream {
    TransactionStream { [self] in try await session.answering { try await next() } }
  }

  private func next() async throws -> VerificationResult<Transaction>? {
    try await begin()
    while let id = state.withLock({ $0.replay.popLast() }) {
      if let result = try await session.result(for: id) { return result }
    }
    let feed = state.withLock { $0.feed }
    while let event = try await feed.next() {
      guard !isTold(event), let number = event.transactionNumber else { continue }
      let id = LedgerTransaction.id(number: number, resetCount: event.resetCount)
      if let result = try await session.result(for: id) { return result }
    }
    return nil
  }

  /// Reads what to replay. The first call of the stream does it, unless it was done before.
  func begin() async throws {
    guard state.withLock({ !$0.hasBegun }) else { return }
    try await session.failIfTold(.updates)
    try await session.settle()
    let account = session.account
    let (unfinished, nextEvent) = try await session.ledger.readNow { snapshot, settings, _ in
      let conditions = [LedgerCondition("account", account), LedgerCondition("isFinished", false)]
      return (
        try snapshot.list(LedgerTransaction.self, conditions, by: "number", isDescending: true),
        settings.nextEventNumber
      )
    }
    // Only now that it was read: a listener that fails leaves the replay to the next one.
    guard launchReplay.take() else { return state.withLock { $0.hasBegun = true } }
    // Between the launch and now, finished transactions may have been refunded.
    let feed = EventFeed(session, .transaction, from: session.firstEvent)
    state.withLock { state in
      state = State(
        hasBegun: true, replay: unfinished.map(\.id), toldBefore: nextEvent, told: Set(unfinished.map(\.number)),
        feed: feed)
    }
  }

  private func isTold(_ event: LedgerEvent) -> Bool {
    state.withLock { state in
      event.number < state.toldBefore && event.transactionNumber.map(state.told.contains) ?? false
    }
  }
}
