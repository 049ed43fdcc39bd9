import RecordStore
import Synchronization

/// The stores of a device, of whose saves a watch hears. Safe to use from any thread.
final class WatchedStores: Sendable {
  private struct Watched: Sendable {
    var store: RecordStore
    var observation: CommitObservation
  }

  private let options: DeviceSync.Options
  private let heard: @Sendable () -> Void
  private let watched = Mutex<[DeviceDirectory.Place: Watched]>([:])

  /// Those that are synchronised with such options.
  init(_ options: DeviceSync.Options, _ heard: @escaping @Sendable () -> Void) {
    self.options = options
    self.heard = heard
  }

  /// Hears from now on of all stores that are there, and returns what each writes under.
  func follow(_ device: DeviceDirectory) throws -> [DeviceDirectory.Place: Set<ReplicaID>] {
    let places = try options.wanted(device.places(among: options.only)).filter(device.hasStore)
    return try watched.withLock { watched in
      watched = watched.filter { places.contains($0.key) }
      var own: [DeviceDirectory.Place: Set<ReplicaID>] = [:]
      for place in places {
        // One that cannot be opened now is in the report, and tried again.
        guard let store = try watched[place]?.store ?? open(place, of: device) else { continue }
        let heard = heard
        if watched[place] == nil {
          watched[place] = Watched(store: store, observation: store.observeCommits { _ in heard() })
        }
        own[place] = try store.read { Set([try $0.replica] + (try $0.formerReplicas.map(\.replica))) }
      }
      return own
    }
  }

  private func open(_ place: DeviceDirectory.Place, of device: DeviceDirectory) throws -> RecordStore? {
    var reading = options.configuration
    reading.url = device.store(at: place)
    reading.isReadOnly = true
    reading.createsIfMissing = false
    do {
      return try RecordStore.open(reading)
    } catch is StoreError {
      return nil
    }
  }
}
