import Foundation
import LivePage
import StoreInspection
import Synchronization

/// Integrity checks of the page, one at a time, each in a process of its own.
final class PageChecks: Sendable {
  private let stores: ServedStores
  private let access: AccessOptions
  private let turn = Mutex<Void>(())

  private struct State {
    var process: Process?
    var isEnding = false
  }
  private let state = Mutex(State())

  init(stores: ServedStores, access: AccessOptions) { (self.stores, self.access) = (stores, access) }

  var route: PageRoute {
    PageRoute("check") { [self] question in
      let store = try stores.store(PageQuestion(json: question).text("store"))
      // The second waits here: a check reads all that there is.
      return try turn.withLock { _ in
        try IntegrityChild(store: store.url, access: access).run(reading).json
      }
    }
  }

  /// Ends the running check, and those that wait as they begin. They change nothing.
  func end() {
    state.withLock { state in
      state.isEnding = true
      state.process?.terminate()
    }
  }

  private func reading(_ process: Process, _ read: () throws -> Data) throws -> Data {
    state.withLock { state in
      if state.isEnding { process.terminate() }
      state.process = process
    }
    defer { state.withLock { $0.process = nil } }
    return try read()
  }
}
