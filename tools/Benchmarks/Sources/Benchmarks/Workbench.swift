import Foundation
import Tandem

/// A folder of stores that goes with it, and the repeating and timing that all benchmarks share.
struct Workbench {
  let folder: URL
  let runs: Int
  /// Only our own side runs, as a profiler wants it.
  let isAlone: Bool

  /// Only comparisons whose name contains this run; nil: all.
  let nameFilter: String?
  /// Nil: this peer is left out.
  let objectBox: ObjectBoxLibrary?

  init(
    runs: Int, isAlone: Bool = false, nameFilter: String? = nil, objectBox: ObjectBoxLibrary? = nil
  ) throws {
    self.objectBox = objectBox
    self.runs = runs
    self.isAlone = isAlone
    self.nameFilter = nameFilter
    folder = FileManager.default.temporaryDirectory.appending(
      path: "tandem-bench-\(ProcessInfo.processInfo.processIdentifier)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw BenchmarkError("\(folder.path) cannot be made: TMPDIR names a folder that can be written to")
    }
  }

  /// Whether a comparison of that name was asked for.
  func seeks(_ name: String) -> Bool { nameFilter.map(name.contains) ?? true }

  func remove() throws { try FileManager.default.removeItem(at: folder) }

  /// A container on a device directory of that name, with durable commits.
  func container(_ name: String) throws -> ModelContainer {
    try Self.container(Self.configuration(folder.appending(path: name)))
  }

  static func container(_ configuration: ModelConfiguration) throws -> ModelContainer {
    try ModelContainer(
      for: Subscription.self, PurchaseRecord.self, PurchaseCredit.self, configurations: configuration)
  }

  /// A context that saves when it is told to.
  static func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  static func insert(_ rows: ArraySlice<SubscriptionRow>, into container: ModelContainer) throws {
    let context = context(container)
    for row in rows { context.insert(Subscription(row)) }
    try context.save()
  }

  static func insertAll(
    _ rows: some Sequence<SubscriptionRow>, into container: ModelContainer, chunk: Int? = nil,
    progress: ((BulkProgress) -> Void)? = nil
  ) throws {
    try context(container).insertAll(Subscription.self, rows, chunk: chunk, progress: progress) { row, subscription in
      subscription.id = row.id
      subscription.name = row.name
      subscription.amount = row.amount
      subscription.frequency = row.frequency
      subscription.nextBillingDate = row.nextBillingDate
      subscription.category = row.category
      subscription.createdAt = row.createdAt
      subscription.notes = row.notes
    }
  }

  static func configuration(_ device: URL, allowsSave: Bool = true) -> ModelConfiguration {
    ModelConfiguration(
      "Bench", allowsSave: allowsSave, groupContainer: .identifier("group.tandem.bench"), containerRoot: device)
  }

  /// The times of so many runs; one more comes first and is thrown away, so that files and caches are warm.
  func times(_ body: (Int) throws -> Double) rethrows -> [Double] {
    _ = try body(-1)
    return try (0..<runs).map(body)
  }

  /// Bytes of all files below a folder, as they are on the disk's books.
  static func bytes(below url: URL) throws -> Int {
    let keys: Set<URLResourceKey> = [.fileSizeKey, .isRegularFileKey]
    guard let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: Array(keys)) else { return 0 }
    var total = 0
    for case let file as URL in files {
      let values = try file.resourceValues(forKeys: keys)
      if values.isRegularFile == true { total += values.fileSize ?? 0 }
    }
    return total
  }
}
