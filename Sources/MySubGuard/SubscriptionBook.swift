public import Foundation
import RecordStore
public import Tandem

/// A person's subscriptions on one device: opens the shared store, and adds, edits, deletes, imports, reads.
///
/// The main program and the widget are two processes with a book each, on the same store. Not `Sendable`: a book has a
/// context of its own and belongs to the isolation that made it.
public final class SubscriptionBook {
  /// The group that the app's processes share.
  public static let groupIdentifier = "group.com.steeven.mysubguard"
  /// The name of the store in the group's folder.
  public static let storeName = "MySubGuard"

  /// The use that a program makes of a book.
  public enum Access: Sendable {
    /// Creates the store when it is missing.
    case readWrite
    /// For changes of what is there: throws `noStore` when it is missing.
    case readWriteExisting
    /// Throws `noStore` when it is missing.
    case readOnly
  }

  /// The container of the store.
  public let container: ModelContainer
  /// The file that this book has open.
  public let file: StoreFile
  private let context: ModelContext

  /// - Parameter device: The folder that stands for the device; nil for the person's own data folder.
  ///
  /// Throws `unknownDevice`, `noStore`, or what opening a store throws; nothing is created then.
  public init(device: URL?, access: Access = .readWrite) throws {
    if let device { try Self.checkExistence(of: device) }
    let configuration = ModelConfiguration(
      Self.storeName, allowsSave: access != .readOnly, groupContainer: .identifier(Self.groupIdentifier),
      containerRoot: device)
    let noStore = SubscriptionError(
      .noStore, "there are no subscriptions at \(configuration.url.path) yet: add some with mysubguard")
    if access == .readWriteExisting, StoreFile(of: configuration.url) == nil { throw noStore }
    do {
      container = try ModelContainer(for: Subscription.self, configurations: configuration)
    } catch let error as StoreError where error.code == .notFound {
      throw noStore
    }
    guard let file = StoreFile(of: configuration.url) else { throw noStore }
    self.file = file
    context = ModelContext(container)
  }

  /// A folder that is not there is more likely a slip of the pen than a new device.
  private static func checkExistence(of device: URL) throws {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: device.path, isDirectory: &isFolder)
    guard exists && isFolder.boolValue else {
      throw SubscriptionError(
        .unknownDevice,
        "there is no device directory at \(device.path): check the path, or create it with mkdir first")
    }
  }
}

extension SubscriptionBook {
  /// The order of a list. Names stand in the order of the alphabet, É with E, whatever the case.
  public enum Order: String, CaseIterable, Sendable {
    /// By the next billing date as it is stored, then by name, then by id.
    case next
    /// By name, then by id.
    case name
    /// The largest amount first, then by name.
    case amount
    /// The largest sum of a year first, then by name.
    case year

    fileprivate var descriptors: [SortDescriptor<Subscription>] {
      let names = [SortDescriptor(\Subscription.name, comparator: .localizedStandard), SortDescriptor(\.id)]
      return switch self {
      case .next: [SortDescriptor(\.nextBillingDate)] + names
      case .name, .year: names
      case .amount: [SortDescriptor(\.amount, order: .reverse)] + names
      }
    }
  }

  /// All subscriptions, or those of one category, or those whose names contain `text`, whatever the case and accents.
  public func subscriptions(
    in category: SubscriptionCategory? = nil, matching text: String? = nil, sortedBy order: Order = .next
  ) throws -> [SubscriptionDetails] {
    var descriptor = FetchDescriptor<Subscription>(sortBy: order.descriptors)
    if let text {
      descriptor.predicate = #Predicate { $0.name.localizedStandardContains(text) }
    } else if let category {
      descriptor.predicate = #Predicate { $0.category == category }
    }
    let found = try context.fetch(descriptor).filter { category == nil || $0.category == category }
      .map { try $0.details }
    // Worked out, so that no index has it; the order by name stays among equal sums.
    return order == .year ? found.sorted { $0.annualAmount > $1.annualAmount } : found
  }

  /// The one subscription that `text` names: a whole id, the first four or more characters of an id, or a name in
  /// any case.
  ///
  /// Throws `notFound`, or `ambiguous` with the candidates.
  public func subscription(named text: String) throws -> SubscriptionDetails {
    if let id = UUID(uuidString: text) {
      guard let model = try model(id) else { throw Self.notFound(text) }
      return try model.details
    }
    let name = text.lowercased()
    let all = try subscriptions()
    let byName = all.filter { $0.name.lowercased() == name }
    let matches =
      byName.isEmpty && text.count >= 4 ? all.filter { $0.id.uuidString.hasPrefix(text.uppercased()) } : byName
    guard let match = matches.first else { throw Self.notFound(text) }
    guard matches.count == 1 else {
      let list = matches.map { "\($0.id.uuidString) \($0.name)" }.joined(separator: "; ")
      throw SubscriptionError(.ambiguous, "“\(text)” names \(matches.count) subscriptions, use an id: \(list)")
    }
    return match
  }

  private func model(_ id: UUID) throws -> Subscription? {
    var descriptor = FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }

  private static func notFound(_ text: String) -> SubscriptionError {
    SubscriptionError(.notFound, "there is no subscription “\(text)”: see mysubguard list for names and ids")
  }
}

extension SubscriptionBook {
  /// The outcome of an import, by rows.
  public struct ImportSummary: Hashable, Sendable, Codable {
    /// The number of rows that were new.
    public var added = 0
    /// The number of rows with other values.
    public var updated = 0
    /// The number of rows with the values that were there.
    public var unchanged = 0

    /// A summary of no rows.
    public init() {}
  }

  /// One durable save. Throws when the id is taken; then nothing was added.
  public func add(_ details: SubscriptionDetails) throws {
    guard try model(details.id) == nil else {
      throw SubscriptionError(.ambiguous, "the id \(details.id) is taken: edit that subscription instead")
    }
    try save { context.insert(Subscription(details)) }
  }

  /// Writes the values that differ, in one durable save. Returns whether there were any.
  @discardableResult
  public func replace(with details: SubscriptionDetails) throws -> Bool {
    guard let model = try model(details.id) else { throw Self.notFound(details.id.uuidString) }
    var isChanged = false
    try save { isChanged = model.apply(details) }
    return isChanged
  }

  /// Deletes a subscription, in one durable save.
  /// - Throws: ``SubscriptionError`` `notFound`.
  public func delete(_ id: UUID) throws {
    guard let model = try model(id) else { throw Self.notFound(id.uuidString) }
    try save { context.delete(model) }
  }

  /// Adds what is new, updates what the list has different values for, by id. Subscriptions that the list does not name
  /// stay.
  ///
  /// - Parameter rowsPerSave: Nil: one save, all or nothing. Otherwise a save for each so many rows, so that others
  ///   see a long import grow; a crash then leaves whole saves, and importing again completes it.
  public func importList(_ list: SubscriptionList, rowsPerSave: Int? = nil) throws -> ImportSummary {
    var summary = ImportSummary()
    let known = try Dictionary(
      uniqueKeysWithValues: context.fetch(FetchDescriptor<Subscription>()).map { ($0.id, $0) })
    let rows = list.subscriptions
    let step = max(1, rowsPerSave ?? rows.count)
    for start in stride(from: 0, to: rows.count, by: step) {
      try save {
        for details in rows[start..<min(start + step, rows.count)] { put(details, over: known[details.id], &summary) }
      }
    }
    return summary
  }

  private func put(_ details: SubscriptionDetails, over model: Subscription?, _ summary: inout ImportSummary) {
    guard let model else {
      context.insert(Subscription(details))
      summary.added += 1
      return
    }
    if model.apply(details) { summary.updated += 1 } else { summary.unchanged += 1 }
  }

  /// Carries out changes and saves them; if saving throws, they are undone here as they are in the store.
  private func save(_ changes: () throws -> Void) throws {
    do {
      try changes()
      try context.save()
    } catch {
      context.rollback()
      throw error
    }
  }
}
