import RecordStore

extension DeviceSync {
  /// Both directions in one order, since each store is synchronised as a whole.
  func turn(
    of places: [DeviceDirectory.Place], _ sides: [Side], within budget: ByteBudget?
  ) throws -> PlaceTurn {
    let found = budget == nil ? [] : try places.flatMap { place in try stores(at: place, sides).map { (place, $0) } }
    let way = sides.map(\.path).sorted().joined(separator: "\n")
    return try PlaceTurn([.taken, .given], on: way, of: found, within: budget)
  }

  /// The devices' stores of a place that can be opened. A trouble of another one is told where it is synchronised.
  func stores(at place: DeviceDirectory.Place, _ sides: [Side]) throws -> [RecordStore] {
    var configuration = options.configuration
    configuration.createsIfMissing = false
    return try sides.filter(\.isDevice).sorted { $0.path < $1.path }.compactMap { side in
      configuration.url = side.directory.store(at: place)
      do {
        return try side.directory.hasStore(at: place) ? RecordStore.open(configuration) : nil
      } catch let error where error is SyncError || error is StoreError {
        return nil
      }
    }
  }
}
