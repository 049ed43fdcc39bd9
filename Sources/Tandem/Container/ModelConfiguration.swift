public import Foundation
import RecordStore

/// The place of one store of a container, what it holds, and whether this process may write it.
///
/// ```swift
/// var configuration = ModelConfiguration(
///   "Books", groupContainer: .identifier("group.org.example.books"), cloudKitDatabase: .none)
/// configuration.durability = .relaxed  // power loss may take the last saves
/// configuration.uniqueness = .throw  // a save that doubles a unique value fails
/// configuration.family = invitation.map { StoreFamily.invited(by: $0) } ?? .own(name: "Ann")
/// ```
public struct ModelConfiguration: Hashable, Identifiable, Sendable {
  /// The store's directory, the same as ``url``.
  public var id: URL { url }
  /// The store's name: that of its directory without `.store`.
  public let name: String
  /// The store's directory. A store in memory has `/dev/null`, which says nothing of the store.
  public let url: URL
  /// The entities that this store holds; nil: those that no other configuration of the container names.
  public var schema: Schema?
  /// False: this process reads only. Saves throw.
  public let allowsSave: Bool
  /// The store is private to the container and goes with it.
  public let isStoredInMemoryOnly: Bool
  /// The group that was asked for.
  public let groupContainer: GroupContainer
  /// The identifier of the group whose folder the store lies in.
  public let groupAppContainerIdentifier: String?
  /// The CloudKit database that was named; without effect here.
  public let cloudKitDatabase: CloudKitDatabase
  /// The name of ``cloudKitDatabase``; nil where none was named.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.name }

  /// How much of a save that returned survives power loss. In-memory stores do without.
  public var durability: Durability = .full
  /// The effect of an insert whose unique value another object has.
  public var uniqueness: Uniqueness = .upsert
  /// Whether history keeps what changed properties were and became, for ``DefaultHistoryUpdate/oldValues``. Of
  /// saves and
  /// merges through this container; each costs the size of those values.
  public var keepsChangedValues = false
  /// How long a save waits for another process's save, and an opening for a process that creates, migrates, opens or
  /// closes the store, in seconds.
  public var timeoutSeconds: Double = 5
  /// The stores with which this one is kept equal, by the module `TandemSync`.
  public var family: StoreFamily = .ofPlace
  /// How many copies of the store from before its migrations are kept in its directory; 0: none is made. A copy is
  /// made where a migration rewrites objects, not where it only adds.
  public var backupCount = 3
  /// From so many bytes on, a value of an attribute with `.externalStorage` lies in a file beside the store; between 64
  /// and 131,072, which is the default. The container throws for any other number.
  ///
  /// Decides about what this process saves from now on; what is there stays where it is until it is replaced. Devices
  /// and processes may have different numbers.
  public var largeValueBytes = 128 << 10
  /// Read and write rights for the group of users too: 0770 and 0660, whatever the process's `umask`.
  public var isSharedWithUserGroup = false

  /// The folder that group containers lie in, before `TANDEM_CONTAINER_ROOT` and its defaults:
  /// `ModelConfiguration.$containerRoot.withValue(folder) { … }`.
  @TaskLocal public static var containerRoot: URL?

  let problem: Problem?
  /// Set where this stands for the configuration of a data store of another kind.
  var foreign: ForeignConfiguration?

  /// A store of the app's own, or one in memory, for the models that no other configuration of the container names.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store of the app's own, or one in memory, for the given models and those that their relationships reach.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store by name: in the group's folder, or in the app's own.
  ///
  /// A name or identifier that may not be used is reported by ``validate()``, which the container calls.
  /// Groups' folders lie in the `containerRoot` given; nil: in ``containerRoot``, else `TANDEM_CONTAINER_ROOT`,
  /// else `$XDG_DATA_HOME/tandem`, else `~/.local/share/tandem`.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic,
    containerRoot: URL? = nil, family: StoreFamily = .ofPlace
  ) {
    let place = StorePlace(
      name: name, isStoredInMemoryOnly: isStoredInMemoryOnly, group: groupContainer.identifier,
      root: containerRoot ?? Self.containerRoot)
    self.init(
      name: place.name, url: place.url, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly,
      allowsSave: allowsSave, groupContainer: groupContainer, cloudKitDatabase: cloudKitDatabase,
      problem: place.problem)
    self.family = family
  }

  /// A store in a directory of its own, by custom named `….store`.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic, family: StoreFamily = .ofPlace
  ) {
    self.init(
      name: name ?? url.deletingPathExtension().lastPathComponent, url: url, schema: schema,
      isStoredInMemoryOnly: false, allowsSave: allowsSave, groupContainer: .none, cloudKitDatabase: cloudKitDatabase,
      problem: nil)
    self.family = family
  }

  private init(
    name: String, url: URL, schema: Schema?, isStoredInMemoryOnly: Bool, allowsSave: Bool,
    groupContainer: GroupContainer, cloudKitDatabase: CloudKitDatabase, problem: Problem?
  ) {
    self.name = name
    self.url = url
    self.schema = schema
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    groupAppContainerIdentifier = groupContainer.identifier
    self.cloudKitDatabase = cloudKitDatabase
    self.problem = problem
  }

  /// Throws what is wrong with the name or the group identifier. Touches no file.
  ///
  /// - Throws: `SwiftDataError`.
  public func validate() throws {
    if let problem { throw problem.error }
  }
}

extension ModelConfiguration: CustomDebugStringConvertible {
  /// The name, and where the store lies.
  public var debugDescription: String { "\(name): \(isStoredInMemoryOnly ? "in memory" : url.path)" }
}
