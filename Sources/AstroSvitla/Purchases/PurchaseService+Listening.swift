import AppStorePurchases
import Foundation
import Tandem

// Listening.
extension PurchaseService {
  /// Delivers what the App Store reports from this moment on, until this service goes away. Calling it again does
  /// nothing.
  ///
  /// The listening task does not keep the service: it holds it only while a transaction is delivered. A transaction
  /// that cannot be delivered does not stop the next ones; it comes again at the next ``launch(listens:)``. If the App
  /// Store fails, the task waits, a second at first and at most a minute, listens anew, and delivers what it missed.
  public func listen() {
    guard listener == nil else { return }
    listener = Task { [weak self, client] in
      var pause = ListeningPause()
      while !Task.isCancelled {
        do {
          let updates = client.transactionUpdates()
          if pause.hasFailed { try await self?.catchUp() }
          for try await signed in updates {
            pause.reset()
            guard let service = self else { return }
            await service.deliverUpdate(signed)
          }
        } catch is CancellationError {
          return
        } catch {
          guard let service = self else { return }
          await service.note(error)
        }
        guard (try? await Task.sleep(for: pause.next())) != nil else { return }
      }
    }
    planListener = Task { [weak self, client] in
      for await status in client.subscriptionStatusUpdates() {
        guard let service = self else { return }
        await service.noteUpdate(status)
      }
    }
  }

  private func noteUpdate(_ status: Product.SubscriptionInfo.Status) {
    do {
      try note(status)
    } catch {
      note(error)
    }
  }

  private func deliverUpdate(_ signed: VerificationResult<Transaction>) async {
    do {
      _ = try await deliver(signed, by: .updates)
    } catch {
      note(error)
    }
  }

  /// What happened while nobody listened.
  private func catchUp() async throws { _ = try await recover() }

  /// An error of the listener that nobody waits for.
  func note(_ error: any Error) {
    listenerErrors.append("\(error)")
    if listenerErrors.count > 100 { listenerErrors.removeFirst() }
  }
}

/// How long to wait before listening to an App Store that failed: 1 second, then twice as long each time, up to 60.
struct ListeningPause {
  private var seconds = 0.0

  var hasFailed: Bool { seconds > 0 }

  mutating func next() -> Duration {
    seconds = min(max(1, seconds * 2), 60)
    return .seconds(seconds)
  }

  mutating func reset() { seconds = 0 }
}
