import RecordStore

// Large values go from the store into the folder and back, without a stop in the device's own copy of the folder; and
// from store to store between two devices.
extension DeviceSync {
  /// Merges what has come, maintains the stores, and moves large values; once a day it looks at lengths of files.
  func importAll(
    _ place: DeviceDirectory.Place, _ sides: [Side], _ stores: [String: RecordStore],
    _ report: inout DeviceReport.Store
  ) async throws {
    var maintained: Set<String> = []
    for side in sides {
      guard let store = stores[side.path] else { continue }
      var own = report.devices[side.path] ?? SyncReport()
      own.add(try await engine(for: store, side, place).import())
      let before = try lastMaintenance(of: store)
      own.add(try await engine(for: store, side, place).maintain())
      if try lastMaintenance(of: store) != before { maintained.insert(side.path) }
      report.devices[side.path] = own
    }
    try await receiveValues(place, sides, stores, &report)
    try deliverValues(place, sides, stores, verifying: maintained, &report)
  }

  private func lastMaintenance(of store: RecordStore) throws -> [UInt8]? {
    try store.read { try $0.attachment(SyncAttachment.maintained) }
  }

  /// Puts what is here and lies in no part of a shared folder there. `verifying`: the paths of the devices that
  /// look at the lengths of files, too.
  func deliverValues(
    _ place: DeviceDirectory.Place, _ sides: [Side], _ stores: [String: RecordStore], verifying: Set<String> = [],
    _ report: inout DeviceReport.Store
  ) throws {
    for side in sides where !side.isDevice && !side.isArrival && !side.isClosed {
      let folder = exchange(side, place)
      guard try folder.isPresent() else { continue }
      for (path, store) in stores.sorted(by: { $0.key < $1.key }) {
        var own = report.devices[path] ?? SyncReport()
        do {
          try values(of: store, place, path).deliverAll(
            to: folder, verifying: verifying.contains(path), into: &own)
        } catch let error as SyncError where error.isOfWriting {
          // Values that others have put there can be taken all the same.
          if !own.undelivered.contains(error.message) { own.undelivered.append(error.message) }
        }
        report.devices[path] = own
      }
    }
  }

  func values(of store: RecordStore, _ place: DeviceDirectory.Place, _ path: String) -> ValueExchange {
    var exchange = ValueExchange(store: store) { [options] in options.progress?(place, path, $0) }
    exchange.budget = ByteBudget.current
    exchange.place = place.description
    return exchange
  }

  /// Brings what the stores await from the other sides.
  private func receiveValues(
    _ place: DeviceDirectory.Place, _ sides: [Side], _ stores: [String: RecordStore],
    _ report: inout DeviceReport.Store
  ) async throws {
    for (path, store) in stores.sorted(by: { $0.key < $1.key }) {
      // After a run that ended between values and keys.
      try store.renewProvisionalKeys()
      try values(of: store, place, path).awaitLost()
      while try await receiveSomeValues(place, sides, stores, at: path, &report) {}
      // Over a transport more is fetched before anybody can say what does not come.
      guard !sides.contains(where: \.isArrival) else { continue }
      var own = report.devices[path] ?? SyncReport()
      let exchange = values(of: store, place, path)
      let chosen = try exchange.chosen(options.largeValues.chosen, isWaiting: !own.waiting.isEmpty)
      own.awaited = try exchange.awaited(among: chosen)
      try exchange.noteLeft(besides: chosen, in: &own)
      report.devices[path] = own
    }
  }

  /// Returns whether a stream went on that had waited for a value, so that more may be awaited now.
  private func receiveSomeValues(
    _ place: DeviceDirectory.Place, _ sides: [Side], _ stores: [String: RecordStore], at path: String,
    _ report: inout DeviceReport.Store
  ) async throws -> Bool {
    guard let store = stores[path], let side = sides.first(where: { $0.path == path }) else { return false }
    var own = report.devices[path] ?? SyncReport()
    let exchange = values(of: store, place, path)
    let chosen = try exchange.chosen(options.largeValues.chosen, isWaiting: !own.waiting.isEmpty)
    guard try exchange.isAwaiting(among: chosen) else { return false }
    let sources = try sides.filter { $0.path != path }.compactMap { side -> ValueSource? in
      if side.isDevice { return stores[side.path]?.externalFolder.map { .store($0) } }
      let folder = self.exchange(side, place)
      guard try folder.isPresent() else { return nil }
      let names = try ValueNames(in: folder)
      report.refused += names.refused.filter { !report.refused.contains($0) }
      return .folder(folder, names)
    }
    let before = own.valuesReceived
    try exchange.receive(from: sources, only: chosen, direction(to: side, among: sides), into: &own)
    report.devices[path] = own
    guard own.valuesReceived > before, !own.waiting.isEmpty else { return false }
    report.devices[path]?.waiting = []
    report.devices[path]?.add(try await engine(for: store, side, place).import())
    return true
  }
}
