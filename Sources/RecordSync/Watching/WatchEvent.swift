/// An event of a watch: work as it happens, each trouble once, and once that it is over.
///
/// ```swift
/// func sentences<Report: WatchedReport>(of event: WatchEvent<Report>) -> [String] {
///   switch event {
///   case .synchronized(let report): report.troubles + report.warnings
///   case .warning(let sentence), .trouble(let sentence): [sentence]
///   case .over(let sentence): ["over: \(sentence)"]
///   case .progress: []
///   }
/// }
/// ```
public enum WatchEvent<Report: WatchedReport>: Sendable {
  /// A step of a run.
  case progress(SyncEvent)
  /// A run that did something, or the first one. Its troubles and warnings are told besides.
  case synchronized(Report)
  /// Something that a person may have to know, such as that the store goes on under a new id. Each is told once.
  case warning(String)
  /// A run failed, or left something out that the next ones will try again. Told once, until it is over.
  case trouble(String)
  /// A trouble that was told is over.
  case over(String)
}

/// The report of a run that a watch repeats: ``SyncReport`` of a store, ``DeviceReport`` of a device.
public protocol WatchedReport: Sendable {
  /// Nothing was done.
  var isUnchanged: Bool { get }
  /// Whether nothing at all could be done, so that the next run waits longer.
  var isFailure: Bool { get }
  /// Whether something could not be written, or a store could not be used: the next run comes after a growing wait
  /// then, and at once for what is saved or arrives.
  var isPartial: Bool { get }
  /// Whether something was left to the next run, which begins soon then.
  var hasPostponed: Bool { get }
  /// The things that were left out and are tried again: a sentence each, which names the thing.
  var troubles: [String] { get }
  /// The things that were done otherwise than one might think: a sentence each.
  var warnings: [String] { get }
}

extension SyncReport: WatchedReport {
  /// False: a run of one store that fails throws instead of reporting.
  public var isFailure: Bool { false }

  /// Whether files could not be written.
  public var isPartial: Bool { !undelivered.isEmpty }

  /// Whether the bound on bytes was reached.
  public var hasPostponed: Bool { !postponed.isEmpty }

  /// The files that were refused, could not be written, or are known to be missing.
  public var troubles: [String] {
    refused.map(\.sentence) + undelivered + missing + awaited + waiting
  }
}

extension SyncReport.Refusal {
  /// Most reasons name the file themselves.
  var sentence: String { "refused: " + (reason.contains(file) ? reason : "\(file): \(reason)") }
}

extension DeviceReport: WatchedReport {
  /// Whether there are stores, and all of them failed.
  public var isFailure: Bool { !stores.isEmpty && stores.allSatisfy { $0.failure != nil } }

  /// Whether files of a store could not be written, or one of the stores failed.
  public var isPartial: Bool {
    stores.contains { $0.failure != nil || !$0.undelivered.isEmpty || $0.devices.values.contains(where: \.isPartial) }
  }

  /// Whether the bound on bytes was reached.
  public var hasPostponed: Bool { stores.contains { !$0.postponed.isEmpty } }

  /// Those of all stores, with their places in front.
  public var troubles: [String] { stores.flatMap { store in store.troubles.map { "\(store.place): \($0)" } } }

  /// Those of all stores, with their places in front.
  public var warnings: [String] {
    stores.flatMap { store in
      var sentences: [String] = []
      for device in store.orderedDevices { sentences += device.warnings.filter { !sentences.contains($0) } }
      return sentences.map { "\(store.place): \($0)" }
    }
  }
}

extension DeviceReport.Store {
  fileprivate var orderedDevices: [SyncReport] { devices.sorted { $0.key < $1.key }.map(\.value) }

  /// Why the store failed, what was refused, could not be written, or is known to be missing.
  var troubles: [String] {
    var sentences = [failure].compactMap(\.self) + refused.map(\.sentence) + undelivered
    for device in orderedDevices { sentences += device.troubles.filter { !sentences.contains($0) } }
    return sentences
  }
}
