import Foundation
public import RecordStore

extension DeviceDirectory {
  /// How each store of the device stands with the others of its family, by place. Opens them for reading only.
  ///
  /// - Throws: `StoreError` for a store that cannot be opened, and what ``SyncStatus/init(of:folder:storeID:key:)``
  ///   throws.
  public func status(configuration: StoreConfiguration) throws -> [(place: Place, status: SyncStatus)] {
    try places().filter(hasStore).map { place in
      var reading = configuration
      reading.url = store(at: place)
      reading.isReadOnly = true
      let store = try RecordStore.open(reading)
      return (place, try SyncStatus(of: store, folder: exchange(at: place), storeID: familyID(at: place)))
    }
  }

  /// Says in every store of the device that knows the replica that it is gone; returns the places. The fact reaches the
  /// others with the next synchronisation.
  ///
  /// - Throws: ``SyncError``: `unknownReplica` where no store knows it, `busy`, and what ``SyncEngine/retire(_:)``
  ///   throws; `StoreError` for a store that cannot be opened.
  public func retire(_ replica: ReplicaID, configuration: StoreConfiguration) async throws -> [Place] {
    let lock = try DirectoryLock(url, timeoutSeconds: configuration.timeoutSeconds)
    defer { withExtendedLifetime(lock) {} }
    var done: [Place] = []
    var unknown: SyncError?
    for place in try places().filter(hasStore) {
      var writing = configuration
      writing.url = store(at: place)
      var options = SyncOptions()
      options.storeID = try familyID(at: place)
      options.displayName = url.lastPathComponent
      options.recreatesMissingFolder = true
      options.exchangesValues = false
      let engine = SyncEngine(store: try RecordStore.open(writing), folder: exchange(at: place), options: options)
      do {
        _ = try await engine.retire(replica)
        done.append(place)
      } catch let error as SyncError where error.code == .unknownReplica {
        unknown = error
      }
    }
    if done.isEmpty, let unknown { throw unknown }
    return done
  }
}
