import Foundation
import LivePage
import RecordStore
import StoreInspection
import Synchronization

/// One store of the page, opened for reading when it is first asked about, and again when another takes its place.
final class ServedStore: Sendable {
  let url: URL
  /// The device directory that it was found in; nil: it was named itself.
  let device: URL?
  private let access: StoreConfiguration
  private let hub: EventHub

  private struct Opened {
    let store: RecordStore
    let observation: CommitObservation
    /// The data file's number on its disk, by which one that takes its place is told apart.
    let file: Int
  }
  private let opened = Mutex<Opened?>(nil)

  init(at url: URL, device: URL?, access: StoreConfiguration, hub: EventHub) {
    (self.url, self.device, self.access, self.hub) = (url, device, access, hub)
  }

  var path: String { url.path }

  /// As people name it: by its place in the device, or by its path.
  var name: String { device.map { StoreLocation.relativePath(url, in: $0) } ?? url.path }

  func read<Result>(_ body: (borrowing StoreSnapshot) throws -> Result) throws -> Result {
    try reader().read(body)
  }

  /// The store for reading. Throws `StoreError` where there is none any more, or it cannot be opened.
  func reader() throws -> RecordStore {
    let file = fileNumber()
    return try opened.withLock { opened in
      if let known = opened, known.file == file { return known.store }
      opened = nil
      let store = try RecordStore.open(configuration(isReadOnly: true))
      let path = path
      let observation = store.observeCommits { [hub] number in
        hub.tell(["event": .string("commit"), "store": .string(path), "transaction": .integer(number)])
      }
      opened = Opened(store: store, observation: observation, file: file ?? 0)
      return store
    }
  }

  /// Hears of commits from here on, also before the page first asks about the store.
  func follow() {
    do {
      _ = try reader()
    } catch {
      // The page learns the reason when it asks.
      return
    }
  }

  func configuration(isReadOnly: Bool) -> StoreConfiguration {
    var configuration = access
    (configuration.url, configuration.isReadOnly) = (url, isReadOnly)
    return configuration
  }

  /// Nil: no data file is there.
  func fileNumber() -> Int? {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.appendingPathComponent("data.mdb").path)
      return attributes[.systemFileNumber] as? Int
    } catch {
      // Opening the store says what is wrong.
      return nil
    }
  }
}
