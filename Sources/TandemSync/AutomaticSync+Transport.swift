import Foundation
public import RecordSync
public import Tandem

extension AutomaticSync {
  /// Begins at once, over a transport, such as a place that rclone reaches.
  ///
  /// ```swift
  /// let transport = try RcloneTransport("backup:notes")
  /// let sync = try AutomaticSync(container: container, transport: transport)
  /// ```
  /// Meets what `tandem sync DEVICE --remote REMOTE` makes of the device directory around the container's stores: the
  /// folder that holds the group's folder. Nobody tells of files that arrive at the other end, so that the place is
  /// listed every half minute, or as often as ``WatchOptions/pollInterval`` says. The place is made where nothing is
  /// there yet; one that held the store before and does not any more is a trouble, and nothing is written to it.
  ///
  /// Files that are fetched, and the device's own copy of the exchange folder, lie beside the stores. A key file beside
  /// a store is used as it is found in each run. Of `options`, ``DeviceSync/Options/only`` is set to the container's
  /// stores, and the device is known by the machine's name unless a name is given.
  ///
  /// - Throws: ``SyncError`` `unsuitableStore` where the container has no store in a file, or one of another name than
  ///   `….store`; `unknownDevice` where a store's folder is not there;
  ///   `unusableKey` for an invitation that cannot be used.
  public convenience init(
    container: ModelContainer, transport: any ExchangeTransport, options: DeviceSync.Options = DeviceSync.Options(),
    watch: WatchOptions = WatchOptions()
  ) throws {
    self.init(
      try container.devices().map { device, places in
        var options = options
        options.only = places
        // The code names the place, as it names a folder.
        options.acceptsForeignDirectories = true
        if options.displayName.isEmpty { options.displayName = machineName() }
        return Part(device.url, transport, options, watch)
      })
  }
}

extension AutomaticSync.Part {
  fileprivate init(
    _ device: URL, _ transport: any ExchangeTransport, _ options: DeviceSync.Options, _ watch: WatchOptions
  ) {
    // One of its own, which waits for the run under way.
    @Sendable func run(_ options: DeviceSync.Options, beginningAnew: Bool = false) async throws -> SyncReport {
      let report = try await DeviceSync(options: options).synchronize(
        DeviceDirectory(device), transport: transport, beginningAnew: beginningAnew)
      for store in report.stores {
        guard let sentence = store.failure ?? store.undelivered.first else { continue }
        throw SyncError(.transportFailed, sentence)
      }
      return report.summary
    }
    synchronize = { try await run(options) }
    beginAnew = { try await run(options, beginningAnew: true) }
    load = { digest in
      var options = options
      options.largeValues = .named([digest])
      return try await run(options)
    }
    follow = { tell in
      var options = options
      options.timeoutSeconds = 0
      let given = options.progress
      options.progress = { place, path, event in
        given?(place, path, event)
        tell(.progress(event))
      }
      await DeviceSync(options: options).follow(device: device, transport: transport, watch, yieldsToOthers: true) {
        tell($0.summary)
      }
    }
  }
}

extension ModelContainer {
  /// The device directories in which the container's stores lie, and their places there.
  fileprivate func devices() throws -> [(device: DeviceDirectory, places: Set<DeviceDirectory.Place>)] {
    var found: [DeviceDirectory: Set<DeviceDirectory.Place>] = [:]
    for configuration in try configurationsInFiles() {
      guard let place = configuration.place else { continue }
      let url = configuration.url.standardizedFileURL
      let device = try DeviceDirectory(url.deletingLastPathComponent().deletingLastPathComponent())
      guard url.lastPathComponent == device.store(at: place).lastPathComponent else {
        throw SyncError(
          .unsuitableStore,
          "\(url.path) cannot be synchronised over a transport, for its name does not end in .store: give the "
            + "configuration another url")
      }
      try configuration.takePart()
      found[device, default: []].insert(place)
    }
    return found.sorted { $0.key.url.path < $1.key.url.path }.map { ($0.key, $0.value) }
  }
}

extension DeviceReport {
  /// All stores together.
  fileprivate var summary: SyncReport {
    var sum = SyncReport()
    for store in stores {
      for device in store.devices.sorted(by: { $0.key < $1.key }) { sum.add(device.value) }
      var besides = SyncReport()
      besides.refused = store.refused
      besides.postponed = store.postponed
      besides.undelivered = [store.failure].compactMap(\.self) + store.undelivered
      sum.add(besides)
    }
    return sum
  }
}

extension WatchEvent<DeviceReport> {
  fileprivate var summary: WatchEvent<SyncReport> {
    switch self {
    case .progress(let event): .progress(event)
    case .synchronized(let report): .synchronized(report.summary)
    case .warning(let sentence): .warning(sentence)
    case .trouble(let sentence): .trouble(sentence)
    case .over(let sentence): .over(sentence)
    }
  }
}
