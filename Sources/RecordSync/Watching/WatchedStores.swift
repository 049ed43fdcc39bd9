import RecordStore
import Synchronization

/// The stores of a device, of whose saves a watch hears. Safe to use from any thread.
final class WatchedStores: Sendable {
  private let options: DeviceSync.Options
  private let heard: @Sendable () -> Void
  private let watched = Mutex<[DeviceDirectory.Place: CommitObservation]>([:])

  /// Those that are synchronised with such options.
  init(_ options: DeviceSync.Options, _ heard: @escaping @Sendable () -> Void) {
    self.options = options
    self.heard = heard
  }

  /// Hears from now on of all stores that are there, and returns what each writes under.
  func follow(_ device: DeviceDirectory) throws -> [DeviceDirectory.Place: Set<ReplicaID>] {
    let places = try options.wanted(device.places(among: options.only))
    return watched.withLock { watched in
      watched = watched.filter { places.contains($0.key) }
      var own: [DeviceDirectory.Place: Set<ReplicaID>] = [:]
      for place in places {
        do {
          own[place] = try follow(place, of: device, &watched[place])
        } catch {
          // One that cannot be read now is in the report of the run, and tried again.
          watched[place] = nil
        }
      }
      return own
    }
  }

  /// Nil where there is no store.
  private func follow(
    _ place: DeviceDirectory.Place, of device: DeviceDirectory, _ watched: inout CommitObservation?
  ) throws -> Set<ReplicaID>? {
    guard try device.hasStore(at: place) else {
      watched = nil
      return nil
    }
    // Opened anew, for another store may have taken the place since. One that is open already costs a look, and its
    // former observation goes when the new one is there.
    let store = try open(place, of: device)
    watched = store.observeCommits { [heard] _ in heard() }
    return try store.read { Set([try $0.replica] + (try $0.formerReplicas.map(\.replica))) }
  }

  private func open(_ place: DeviceDirectory.Place, of device: DeviceDirectory) throws -> RecordStore {
    var reading = options.configuration
    reading.url = device.store(at: place)
    reading.isReadOnly = true
    reading.createsIfMissing = false
    return try RecordStore.open(reading)
  }
}
