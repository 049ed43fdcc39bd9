public import Foundation
import LocalizedTexts
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
  /// The day for which the book says prices, and from which it knows what is paid.
  public let today: CalendarDay
  let context: ModelContext
  let lastChange: LastChangeFile
  let storeURL: URL

  /// - Parameters:
  ///   - device: The folder that stands for the device; nil for the person's own data folder.
  ///   - access: The use that is made of the book.
  ///   - today: The day on the wall; the clock's day in UTC unless it is given.
  ///
  /// Throws `unknownDevice`, `noStore`, or what opening a store throws; nothing is created then.
  public init(device: URL?, access: Access = .readWrite, today: CalendarDay = CalendarDay(.now)) throws {
    if let device { try Self.checkExistence(of: device) }
    let configuration = ModelConfiguration(
      Self.storeName, allowsSave: access != .readOnly, groupContainer: .identifier(Self.groupIdentifier),
      containerRoot: device)
    let noStore = SubscriptionError(
      .noStore, Sentence(.noSubscriptionsYet, .text(configuration.url.path)))
    if access == .readWriteExisting, StoreFile(of: configuration.url) == nil { throw noStore }
    do {
      container = try Self.container(of: configuration)
    } catch let error as StoreError where error.code == .notFound {
      throw noStore
    }
    guard let file = StoreFile(of: configuration.url) else { throw noStore }
    self.file = file
    self.today = today
    storeURL = configuration.url
    lastChange = LastChangeFile(beside: storeURL)
    context = ModelContext(container)
  }

  /// A reader that finds a store of an earlier build opens it once for writing: what is new is added, and objects stay
  /// as they are.
  private static func container(of configuration: ModelConfiguration) throws -> ModelContainer {
    do {
      return try open(configuration)
    } catch let error as StoreError where error.code == .incompatibleSchema && !configuration.allowsSave {
      _ = try open(ModelConfiguration(configuration.name, url: configuration.url))
      return try open(configuration)
    }
  }

  private static func open(_ configuration: ModelConfiguration) throws -> ModelContainer {
    try ModelContainer(for: Subscription.self, PriceChange.self, Payment.self, configurations: configuration)
  }

  /// A folder that is not there is more likely a slip of the pen than a new device.
  private static func checkExistence(of device: URL) throws {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: device.path, isDirectory: &isFolder)
    guard exists && isFolder.boolValue else {
      throw SubscriptionError(.unknownDevice, Sentence(.noDevice, .text(device.path)))
    }
  }
}
