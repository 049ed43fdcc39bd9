import Foundation
import RecordStore

extension DeviceSync {
  /// Makes a device equal with others over a transport, which has the files of each store in the layout of a shared
  /// folder: ``synchronize(_:folder:beginningAnew:)`` of another device may use the same place.
  ///
  /// The device's own copy of each store's exchange folder is the local side; there is no other mirror. One call of the
  /// transport lists, one fetches what the device lacks, one brings what the place lacks, and one removes own files
  /// that others have replaced. Large values take a call of their own for each 64 MiB, and so does a missing marker.
  /// Nothing but the list is asked where nothing is new.
  ///
  /// What is fetched lies beside the stores until it was checked, and gets into the own copy only whole and durable.
  /// Whole files, chunks of snapshots among them, that a run has fetched before it was cut off are not fetched again.
  ///
  /// A place that cannot be listed throws, and nothing was done. A later failure is in
  /// ``DeviceReport/Store/undelivered``, and everything else was done; the next run goes on from there.
  ///
  /// - Throws: ``SyncError`` `transportFailed` as the transport does, `folderMissing` where its place is not there,
  ///   `sameDirectory` where it is a folder that holds the device's stores or lies in one, `foreignDirectory`,
  ///   `unknownPlace` or `busy`; `CancellationError`, with whole files on both sides.
  public func synchronize(
    _ device: DeviceDirectory, transport: any ExchangeTransport, beginningAnew: Bool = false
  ) async throws -> DeviceReport {
    let lock = try DirectoryLock(device.url, timeoutSeconds: options.timeoutSeconds)
    defer { withExtendedLifetime(lock) {} }
    // Refused before anything is asked.
    _ = try places(of: device, nil, TransportListing())
    let listing = try await list(transport, for: device)
    let places = try places(of: device, transport, listing)
    let staging = try StagingFolder(in: device) { try takeLeft($0, at: places, of: device) }
    do {
      let report = try await run(places, device, transport, staging, listing, beginningAnew: beginningAnew)
      try staging.remove()
      return report
    } catch let error as CancellationError {
      try staging.leaveArrivals()
      throw error
    } catch {
      try staging.remove()
      throw error
    }
  }

  // MARK: Steps

  /// Refuses a folder of this machine that holds the device's stores, or lies in one of them or in its own copy of the
  /// exchange folder: it would bring the device its own files. Beside the stores, in the same directory, it may lie.
  private nonisolated func requireSeparate(_ transport: any ExchangeTransport, from device: DeviceDirectory) throws {
    guard let folder = transport.localFolder else { return }
    let places = try device.places()
    let taken = places.isEmpty ? [device.url] : places.flatMap { [device.store(at: $0), device.exchange(at: $0)] }
    for directory in taken { try SyncError.requireSeparate(directory, folder) }
  }

  func list(_ transport: any ExchangeTransport, for device: DeviceDirectory) async throws -> TransportListing {
    try requireSeparate(transport, from: device)
    if let files = try await transport.list() { return TransportListing(files) }
    let used = try options.wanted(device.places(among: options.only)).filter(device.hasStore).contains { place in
      try noteOfUse(of: transport, place, by: open(side(of: device, at: place), place))
    }
    guard used || options.acceptsForeignDirectories else {
      throw SyncError(
        .folderMissing,
        "there is nothing at \(transport.name); check the name and the path, or have 'tandem sync --create' make it")
    }
    return TransportListing()
  }

  /// The places of the device and of what is listed. `transport` nil: nothing was listed yet.
  nonisolated func places(
    of device: DeviceDirectory, _ transport: (any ExchangeTransport)?, _ listing: TransportListing
  ) throws -> [DeviceDirectory.Place] {
    try device.refuseStore()
    let own = try device.places(among: options.only)
    if !options.acceptsForeignDirectories, try own.isEmpty && device.places().isEmpty {
      try device.refuseForeignContent(ignoringHidden: false)
    }
    guard let transport else { return [] }
    let listed = listing.folders(in: "").filter { !$0.hasPrefix(".") }.flatMap { group in
      listing.folders(in: group).compactMap { folder in
        folder.hasSuffix(DeviceDirectory.exchangeSuffix)
          ? DeviceDirectory.Place("\(group)/\(folder.dropLast(DeviceDirectory.exchangeSuffix.count))") : nil
      }
    }
    if listed.isEmpty { try refuseForeign(listing, at: transport) }
    let all = Set(own + listed)
    if let missing = options.only?.subtracting(all).min() {
      let found = Set(try device.places() + listed).sorted()
      let there = found.isEmpty ? "none" : found.map(\.description).joined(separator: ", ")
      throw SyncError(.unknownPlace, "there is no store \(missing) on either side; there are: \(there)")
    }
    return options.wanted(options.only ?? all)
  }

  /// Refuses a place that holds other things and no store: nobody asked for files in it.
  private nonisolated func refuseForeign(_ listing: TransportListing, at transport: any ExchangeTransport) throws {
    guard !options.acceptsForeignDirectories,
      !listing.folders(in: "").contains(where: { $0.hasPrefix("tandem1-") }),
      let foreign = listing.topNames.first(where: { !$0.hasPrefix(".") })
    else { return }
    throw SyncError(
      .foreignDirectory,
      "\(transport.name) holds other things, such as \(foreign), and no store: name another place, or have 'tandem "
        + "sync --create' use this one")
  }

  private func run(
    _ places: [DeviceDirectory.Place], _ device: DeviceDirectory, _ transport: any ExchangeTransport,
    _ staging: StagingFolder, _ listing: TransportListing, beginningAnew: Bool
  ) async throws -> DeviceReport {
    var run = TransportRun(
      transport: transport, staging: staging, largeValues: options.largeValues,
      budget: ByteBudget(options.maximumBytes), progress: options.progress)
    for place in places {
      run.reports[place] = DeviceReport.Store(place: place)
      do {
        let member = try member(place, device, transport, listing, beginningAnew: beginningAnew)
        try member.family.removeReplacedChunks(for: member.arrivals, of: member.own?.replica)
        run.members[place] = member
      } catch let error as SyncError {
        run.reports[place]?.failure = error.message
      } catch let error as StoreError {
        run.reports[place]?.failure = error.message
      }
    }
    try run.beginTurns()
    try await run.fetch(listing)
    let sides = [Side(directory: device, isDevice: true), try arrivals(in: staging)]
    for place in places where run.members[place] != nil {
      let fetched = run.reports[place] ?? DeviceReport.Store(place: place)
      var report = try await synchronize(place, sides, beginningAnew: run.members[place]?.isGone ?? false)
      report.refused = report.refused.map { SyncReport.Refusal(file: $0.file, reason: run.renamed($0.reason)) }
      report.failure = report.failure.map(run.renamed)
      report.refused += fetched.refused
      run.reports[place] = report
      try reopen(place, device, in: &run)
      try run.noteDeclined(at: place)
      run.reports[place]?.undelivered += fetched.undelivered
    }
    try await run.fetchValues(listing, of: device.url.path)
    try await run.bring(listing, of: device.url.path, beginningAnew: beginningAnew)
    for place in places { try conclude(place, &run) }
    try run.endTurns()
    var report = DeviceReport()
    report.stores = places.compactMap { run.reports[$0] }
    return report
  }

  /// Takes the whole files of a cut-off run, and the chunks of snapshots, into the own copies, and large values into
  /// the stores.
  private func takeLeft(
    _ arrivals: URL, at places: [DeviceDirectory.Place], of device: DeviceDirectory
  ) throws {
    for place in places {
      do {
        let key = try familyKey(of: device, at: place)
        let own = ExchangeFolder(root: device.exchange(at: place), storeID: place.familyID(with: key))
        var copy = ExchangeCopy(source: place.exchangeFolder(in: arrivals, key: key), target: own)
        (copy.copiesValues, copy.keepsChunks) = (false, true)
        _ = try copy.run()
        try takeLeftValues(place.exchangeFolder(in: arrivals, key: key), at: place, of: device)
      } catch let error where error is SyncError || error is StoreError {
        // The run tells why.
        continue
      }
    }
  }

  private func takeLeftValues(
    _ folder: ExchangeFolder, at place: DeviceDirectory.Place, of device: DeviceDirectory
  ) throws {
    let names = try ValueNames(in: folder)
    guard !names.isEmpty, try device.hasStore(at: place) else { return }
    var report = SyncReport()
    let store = try open(side(of: device, at: place), place)
    try values(of: store, place, device.url.path).receive(from: [.folder(folder, names)], into: &report)
  }

  private nonisolated func familyKey(of device: DeviceDirectory, at place: DeviceDirectory.Place) throws -> FamilyKey? {
    try KeyFile.familyKey(at: device.keyFile(at: place), of: place.familyID, passphrase: options.passphrase)
  }

  nonisolated func arrivals(in staging: StagingFolder) throws -> Side {
    Side(directory: try DeviceDirectory(staging.arrivals), isDevice: false, isArrival: true)
  }

  /// A store as it is known before the run. Throws where it must not go on.
  func member(
    _ place: DeviceDirectory.Place, _ device: DeviceDirectory, _ transport: any ExchangeTransport,
    _ listing: TransportListing, beginningAnew: Bool
  ) throws -> TransportRun.Member {
    let family = try family(place, device, transport, listing)
    if let marker = family.markers.first(where: { family.isOversized($0, limit: StoreMarker.maximumFileBytes) }) {
      throw transport.excess(of: marker)
    }
    let membership = family.remote.seal?.key.membership
    try membership?.check(
      family.isMarked ? .present : .absent, of: transport.name, hasMet: family.own.isPresent())
    let store = try device.hasStore(at: place) ? open(side(of: device, at: place), place) : nil
    var member = TransportRun.Member(
      family: family, store: store, declined: try DeclinedFiles(by: transport.name, of: store))
    if let store {
      member.isGone = try !family.isMarked && noteOfUse(of: transport, place, by: store)
      guard !member.isGone || beginningAnew else { throw transport.absence(of: place) }
      let replica = try store.read { try $0.replica }
      member.own = (replica, try family.ownPaths(of: replica))
    }
    let applied = try store?.read { try $0.versionVector } ?? VersionVector()
    for var arrival in try family.arrivals(applied: applied) {
      if let path = family.oversizedFile(of: arrival) {
        member.refused.append(SyncReport.Refusal(file: path, reason: transport.excess(of: path).message))
        continue
      }
      guard let reason = member.declined.reason(for: arrival.path, arrival.look) else {
        arrival.files = try family.lackingFiles(of: arrival)
        member.arrivals.append(arrival)
        continue
      }
      if !reason.isEmpty { member.refused.append(SyncReport.Refusal(file: arrival.path, reason: reason)) }
    }
    return member
  }

  private func family(
    _ place: DeviceDirectory.Place, _ device: DeviceDirectory, _ transport: any ExchangeTransport,
    _ listing: TransportListing
  ) throws -> TransportFamily {
    let key = try familyKey(of: device, at: place)
    let own = ExchangeFolder(root: device.exchange(at: place), storeID: place.familyID(with: key))
    let family = TransportFamily(place, own: own, key: key, listing: listing)
    guard !family.isSealedElsewhere else {
      throw SyncError(
        .keyNeeded,
        "\(place) is encrypted at \(transport.name), and this device has no key for it: run 'tandem key join' here and "
          + "'tandem key add-device' on a device that has the key")
    }
    return family
  }

  /// The store may have been made by the run.
  private func reopen(_ place: DeviceDirectory.Place, _ device: DeviceDirectory, in run: inout TransportRun) throws {
    guard run.members[place]?.store == nil, try device.hasStore(at: place), run.reports[place]?.failure == nil else {
      return
    }
    run.members[place]?.store = try open(side(of: device, at: place), place)
  }

  /// The device as a side, with the family of its store at a place.
  private nonisolated func side(of device: DeviceDirectory, at place: DeviceDirectory.Place) throws -> Side {
    var side = Side(directory: device, isDevice: true)
    side.family = try FamilyFile.ifPresent(at: device.familyFile(at: place))?.family
    return side
  }

  /// Adds what is known besides, and notes that the place was used, and when.
  private func conclude(_ place: DeviceDirectory.Place, _ run: inout TransportRun) throws {
    guard let member = run.members[place], var report = run.reports[place] else { return }
    report.refused += member.refused
    report.refused += member.family.clearFolders.map { folder in
      ExchangeFolder.refusal(ofClear: "\(run.transport.name)/\(folder)")
    }
    report.postponed = run.budget?.sentences(on: place.description) ?? []
    run.reports[place] = report
    guard let store = member.store, report.failure == nil, report.undelivered.isEmpty, report.postponed.isEmpty,
      report.devices.values.allSatisfy(\.undelivered.isEmpty)
    else { return }
    if try !noteOfUse(of: run.transport, place, by: store) {
      let key = useKey(of: run.transport, place)
      _ = try store.commit(SaveRequest(attachments: [StoreAttachment(key: key, value: [1])]))
    }
    try LastSynchronization.note(run.transport.name, in: store, hasChanged: !report.isUnchanged)
  }

  private nonisolated func useKey(of transport: any ExchangeTransport, _ place: DeviceDirectory.Place) -> [UInt8] {
    SyncAttachment.folders + ContentHash(of: "transport \(transport.name)\n\(place)".utf8).bytes
  }

  /// Whether the store notes that it has used the place.
  private func noteOfUse(
    of transport: any ExchangeTransport, _ place: DeviceDirectory.Place, by store: RecordStore
  ) throws -> Bool {
    let key = useKey(of: transport, place)
    return try store.read { try $0.attachment(key) } != nil
  }
}

extension ExchangeTransport {
  fileprivate func excess(of path: String) -> SyncError {
    SyncError(
      .damagedFile, "\(path) at \(name) is larger than any file of its kind may be, and is not fetched; remove it")
  }

  fileprivate func absence(of place: DeviceDirectory.Place) -> SyncError {
    SyncError(
      .folderMissing,
      "\(name) held \(place) before and does not any more: it was emptied, or is another place than before; bring the "
        + "files back, or \(SyncError.remedyOfEmptiedFolder)")
  }
}
