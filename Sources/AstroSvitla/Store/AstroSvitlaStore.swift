public import Foundation
import RecordStore
public import Tandem

/// The app's store on one device, open: the container, and which installation this is. Every service takes one.
public struct AstroSvitlaStore: Sendable {
  /// The group container of the app.
  public static let groupIdentifier = "group.com.astrosvitla"
  /// The store's name in the container.
  public static let storeName = "AstroSvitla"

  /// Whether a store is made where there is none.
  public enum Access: Sendable {
    /// Creates store and installation when they are missing.
    case readWrite
    /// Throws `noStore` when the store is missing. Changes no byte of it; only a store that an earlier build wrote gets
    /// what this one has more, such as the name of a place, before it is read.
    case readOnly
  }

  /// The open store.
  public let container: ModelContainer
  /// Which installation of the app this is.
  public let installation: Installation

  /// Opens the store of a device.
  ///
  /// - Parameters:
  ///   - device: The folder that stands for the device; nil for the person's own data folder.
  ///   - access: Whether a missing store is made.
  ///
  /// Throws `unknownDevice`, `noStore`, `unreadableFile`, or what opening a store throws.
  public init(device: URL?, access: Access = .readWrite) throws {
    if let device { try Self.checkExistence(of: device) }
    let configuration = Self.configuration(device, access)
    do {
      container = try Self.container(device, access)
    } catch let error as StoreError where error.code == .notFound && access == .readOnly {
      throw AstroSvitlaError(.noStore, .noStoreYet, "\(configuration.url.path)")
    }
    guard access == .readWrite else {
      installation = Installation(id: UUID())
      return
    }
    installation = try Installation.open(beside: configuration.url)
    try Self.createUser(installation, in: ModelContext(container))
  }

  /// A store in memory, for previews and tests.
  public init(inMemory installation: UUID) throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.uniqueness = .throw
    container = try ModelContainer(for: Self.schema, configurations: configuration)
    self.installation = Installation(id: installation)
    try Self.createUser(self.installation, in: ModelContext(container))
  }

  /// All that the app stores.
  public static let schema = Schema([
    User.self, UserProfile.self, BirthChart.self, ReportPurchase.self, PurchaseRecord.self, PurchaseCredit.self,
    PurchaseArrival.self, RevocationNotice.self, CreditConsumption.self, CreditReservation.self, FinishNote.self,
    QuarantinedTransaction.self, PlanNotice.self, AreaCharge.self,
  ])

  private static func configuration(_ device: URL?, _ access: Access) -> ModelConfiguration {
    var configuration = ModelConfiguration(
      storeName, allowsSave: access == .readWrite, groupContainer: .identifier(groupIdentifier), containerRoot: device)
    // A second reservation of one credit, or a second record of one transaction, is refused and not merged.
    configuration.uniqueness = .throw
    return configuration
  }

  private static func container(_ device: URL?, _ access: Access) throws -> ModelContainer {
    do {
      return try ModelContainer(for: schema, configurations: configuration(device, access))
    } catch let error as StoreError where error.code == .incompatibleSchema && access == .readOnly {
      // An earlier build's. Opening it for writing brings it up to this one, or says why that cannot be.
      _ = try ModelContainer(for: schema, configurations: configuration(device, .readWrite))
      return try ModelContainer(for: schema, configurations: configuration(device, access))
    }
  }

  /// A folder that is not there is more likely a slip of the pen than a new device.
  private static func checkExistence(of device: URL) throws {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: device.path, isDirectory: &isFolder)
    guard exists && isFolder.boolValue else {
      throw AstroSvitlaError(.unknownDevice, .noDevice, "\(device.path)")
    }
  }

  private static func createUser(_ installation: Installation, in context: ModelContext) throws {
    guard try context.user(installation) == nil else { return }
    context.insert(User(id: installation.id, createdAt: .now))
    do {
      try context.save()
    } catch let error as StoreError where error.code == .uniquenessViolation {
      // Another process of this installation was faster.
      context.rollback()
    }
  }
}

extension ModelContext {
  /// The user of an installation; nil before the first open.
  func user(_ installation: Installation) throws -> User? {
    let id = installation.id
    return try first(#Predicate<User> { $0.id == id })
  }

  /// The one object that a predicate names, if there is any.
  func first<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> Model? {
    var descriptor = FetchDescriptor<Model>(predicate: predicate)
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }

  /// ``commit(_:)`` of changes that another process may make at the same time: where it was faster, `changes` run again
  /// and see what it did.
  func commitRacing(_ changes: () throws -> Void) throws {
    for _ in 0..<8 {
      do {
        return try commit(changes)
      } catch let error as StoreError where [.uniquenessViolation, .recordNotFound].contains(error.code) {
        continue
      }
    }
    try commit(changes)
  }

  /// Carries out changes and saves them; if saving throws, they are undone here as they are in the store.
  func commit(_ changes: () throws -> Void) throws {
    do {
      try changes()
      try save()
    } catch {
      rollback()
      throw error
    }
  }
}
