import Foundation
import LivePage
import RecordSync
import StoreInspection
import Synchronization

/// One synchronisation at a time, in the background; pages hear of each step, and of its end.
final class PageSync: Sendable {
  private let options: DeviceSync.Options
  private let folder: DeviceDirectory?
  private let hub: EventHub

  private struct State {
    var task: Task<Void, Never>?
    /// The words of the running one, or the outcome of the last one.
    var outcome: JSON = .null
    var progress = SyncProgressText()
  }
  private let state = Mutex(State())

  init(options: DeviceSync.Options, folder: DeviceDirectory?, hub: EventHub) {
    (self.options, self.folder, self.hub) = (options, folder, hub)
  }

  /// The words on the running synchronisation, or on the last one; null before the first.
  var json: JSON { state.withLock { $0.outcome } }

  /// Begins one between two devices, or with the exchange folder; its outcome is an event.
  ///
  /// Throws where another one is running, or there is nothing to meet.
  func start(_ first: DeviceDirectory, _ second: DeviceDirectory?) throws(PageRefusal) {
    guard let other = second ?? folder else {
      throw PageRefusal("there is no other device; start 'tandem serve' with two devices, or with --folder")
    }
    var options = options
    options.progress = { [weak self] place, _, event in self?.note(event, of: place) }
    let sync = DeviceSync(options: options)
    try state.withLock { state throws(PageRefusal) in
      guard state.task == nil else { throw PageRefusal("a synchronisation is running; wait for its end") }
      state.progress = SyncProgressText()
      state.outcome = PageSync.running("begins")
      state.task = Task { [self] in
        await end(with: outcome(of: sync, first, other, isFolder: second == nil))
      }
    }
    hub.tell(["event": .string("sync"), "sync": json])
  }

  /// A run that is cancelled leaves complete steps behind.
  func cancel() { state.withLock { $0.task?.cancel() } }

  private func outcome(
    of sync: DeviceSync, _ first: DeviceDirectory, _ second: DeviceDirectory, isFolder: Bool
  ) async -> JSON {
    do {
      let report =
        isFolder
        ? try await sync.synchronize(first, folder: second) : try await sync.synchronize(first, second)
      let text = SyncText(report: report)
      return [
        "running": .bool(false), "complete": .bool(report.isComplete),
        "lines": .array(text.lines.map { .string($0) }), "trouble": .array(text.trouble.map { .string($0) }),
      ]
    } catch {
      let sentence = TandemTool.sentence(of: error) ?? String(describing: error)
      return [
        "running": .bool(false), "complete": .bool(false), "lines": .array([]), "trouble": .array([.string(sentence)]),
      ]
    }
  }

  private func note(_ event: SyncEvent, of place: DeviceDirectory.Place) {
    let isNews = state.withLock { state in
      guard state.task != nil, let text = state.progress.note(event, of: place) else { return false }
      state.outcome = PageSync.running(text)
      return true
    }
    if isNews { hub.tell(["event": .string("sync"), "sync": json]) }
  }

  private func end(with outcome: JSON) async {
    state.withLock { state in
      state.task = nil
      state.outcome = outcome
    }
    hub.tell(["event": .string("sync"), "sync": outcome])
  }

  private static func running(_ text: String) -> JSON {
    ["running": .bool(true), "complete": .bool(false), "lines": .array([.string(text)]), "trouble": .array([])]
  }
}
