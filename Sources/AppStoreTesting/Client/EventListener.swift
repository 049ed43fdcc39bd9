import Foundation

/// A stream of what events mean to a session: a storefront, a subscription's status.
final class EventListener: Sendable {
  private let session: Session
  private let feed: EventFeed

  /// Events from now on.
  init(_ session: Session, _ kind: LedgerEvent.Kind) {
    self.session = session
    feed = EventFeed(session, kind, from: session.nextEvent())
  }

  /// Ends with the listening task, and when the ledger cannot be read any more. `make` may find an event to mean
  /// nothing any more.
  func stream<Element: Sendable>(
    _ make: @escaping @Sendable (Session, LedgerEvent) async throws -> Element?
  ) -> AsyncStream<Element> {
    AsyncStream { [self] in
      do {
        while let event = try await feed.next() {
          if let element = try await make(session, event) { return element }
        }
        return nil
      } catch {
        // These sequences cannot throw; a ledger that cannot be read has no news.
        return nil
      }
    }
  }
}

extension Session {
  /// The number of the first event that is still to come. A short read, with no wait for anybody. When the ledger
  /// cannot be read, the launch's: the listener then finds out itself.
  func nextEvent() -> UInt64 {
    (try? ledger.readBlocking { try $0.settings().nextEventNumber }) ?? firstEvent
  }
}
