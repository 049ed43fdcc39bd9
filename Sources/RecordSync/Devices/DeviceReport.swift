/// The work of a synchronisation of device directories, store by store.
///
/// ```swift
/// let report: DeviceReport = try await DeviceSync(options: options).synchronize(phone, laptop)
/// for store: DeviceReport.Store in report.stores where !store.isComplete {
///   print(store.place, store.failure ?? store.refused.map(\.reason).joined(separator: "; "))
/// }
/// ```
public struct DeviceReport: Hashable, Codable, Sendable {
  /// The work on one store.
  public struct Store: Hashable, Codable, Sendable {
    /// The store's place.
    public var place: DeviceDirectory.Place
    /// For each device (by the directory's path), what its store exported and merged.
    public var devices: [String: SyncReport] = [:]
    /// Change sets that were copied between the directories.
    public var filesCopied = 0
    /// Files that no side could use, such as damaged ones in a shared folder; an intact copy is taken later.
    public var refused: [SyncReport.Refusal] = []
    /// Sentences about files that could not be written into a directory. What was there was taken all the same.
    public var undelivered: [String] = []
    /// Sentences about files that were left to the next run, for the bound on bytes was reached.
    public var postponed: [String] = []
    /// The devices on which the store was created.
    public var created: [String] = []
    /// Why this store could not be synchronised; the others were.
    public var failure: String?

    /// The report of a store for which nothing was done yet.
    public init(place: DeviceDirectory.Place) { self.place = place }

    /// Nothing was done.
    public var isUnchanged: Bool {
      filesCopied == 0 && created.isEmpty && failure == nil && devices.values.allSatisfy(\.isUnchanged)
    }

    /// Nothing failed, every file was taken and delivered, and no device is known to have more.
    public var isComplete: Bool {
      failure == nil && refused.isEmpty && undelivered.isEmpty && postponed.isEmpty
        && devices.values.allSatisfy(\.isComplete)
    }
  }

  /// The stores of the run, in the order of their places.
  public var stores: [Store] = []

  /// A report without stores.
  public init() {}

  /// Nothing was done. Whether the devices are equal, ``isComplete`` says.
  public var isUnchanged: Bool { stores.allSatisfy(\.isUnchanged) }

  /// The devices are equal, as far as any of them has said what it knows.
  public var isComplete: Bool { stores.allSatisfy(\.isComplete) }
}
