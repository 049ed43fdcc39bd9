import AppStorePurchases
import Foundation
import Tandem

// Listening.
extension PurchaseService {
  /// Delivers what the App Store reports from this moment on, until this service goes away. Calling it again does
  /// nothing.
  ///
  /// The listening task does not keep the service: it holds it only while a transaction is delivered. A transaction
  /// that cannot be delivered, as while another process writes for long, does not stop the next ones; it is taken up
  /// again after a second, then after twice as long each time, at most a minute. If the App Store fails, the task waits
  /// as long, listens anew, and delivers what it missed.
  public func listen() {
    guard listener == nil else { return }
    defer { if leavesUndone { takeUpLater() } }
    listener = Task { [weak self, client] in
      var pause = ListeningPause()
      while !Task.isCancelled {
        do {
          let updates = client.transactionUpdates()
          if pause.hasFailed { await self?.catchUp() }
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
      takeUpLater()
    }
  }

  private func deliverUpdate(_ signed: VerificationResult<Transaction>) async {
    do {
      _ = try await deliver(signed, by: .updates)
    } catch {
      note(error)
    }
  }

  /// What happened while nobody listened, or could not be done then.
  private func catchUp() async {
    do {
      _ = try await recover()
    } catch {
      note(error)
    }
  }

  /// Does again what a launch does, after growing waits, until nothing is left that could not be stored or told. A
  /// service that does not listen leaves it to the next launch: its program does one thing and ends.
  func takeUpLater() {
    leavesUndone = true
    guard listener != nil, resumption == nil else { return }
    resumption = Task { [weak self] in
      var pause = ListeningPause()
      while (try? await Task.sleep(for: pause.next())) != nil, await self?.takeUp() ?? false {}
    }
  }

  /// False when nothing is left. What fails meanwhile elsewhere counts as left: it may have come too late for this.
  private func takeUp() async -> Bool {
    leavesUndone = false
    await catchUp()
    if !leavesUndone { resumption = nil }
    return leavesUndone
  }

  /// An error of the listener that nobody waits for.
  func note(_ error: any Error) {
    listenerErrors.append("\(error)")
    if listenerErrors.count > 100 { listenerErrors.removeFirst() }
  }
}

/// How long to wait before trying again what failed: 1 second, then twice as long each time, up to 60.
struct ListeningPause {
  private var seconds = 0.0

  var hasFailed: Bool { seconds > 0 }

  mutating func next() -> Duration {
    seconds = min(max(1, seconds * 2), 60)
    return .seconds(seconds)
  }

  mutating func reset() { seconds = 0 }
}
