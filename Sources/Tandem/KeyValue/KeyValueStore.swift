public import Foundation
public import RecordStore
import Synchronization

/// Settings that an app and its helpers share and devices sync: names and values, without a model.
///
/// Shaped like `UserDefaults(suiteName:)` and `NSUbiquitousKeyValueStore`. A suite lies in a store of its
/// own, or in the store of a container beside its models:
///
/// ```swift
/// let settings = try KeyValueStore(suiteName: "group.org.example.app")
/// try settings.set(true, forKey: "showsTotals")
/// let following = Task {
///   for await change in settings.changes { print(change.keys) }
/// }
/// ```
///
/// ``StoredKey`` gives a key a type, and ``Stored`` makes a property of it.
///
/// Nothing is cached: a reading sees the newest commit of any process (one look-up and the decoding of one JSON
/// value), and a `set` is durable when it returns (a device flush; several values at once by
/// ``transaction(_:)``). Between devices the later write of a key wins. Safe to use from any thread; do not
/// set values where a flush is too long to wait.
///
/// Where `UserDefaults` is silent about a full disk, this throws `StoreError`; what was there stays.
public final class KeyValueStore: Sendable {
  /// Posted after each commit that changed keys of the suite, by this or another process, with the store as
  /// its object, the names under ``changedKeysKey`` and where the change was made under ``originKey``. On a thread of
  /// the library's.
  public static let didChangeNotification = Notification.Name("KeyValueStoreDidChange")
  /// In ``didChangeNotification``: `[String]`.
  public static let changedKeysKey = "changedKeys"
  /// In ``didChangeNotification``: ``KeyValueChange/Origin``.
  public static let originKey = "origin"

  /// The name of the suite, by which processes and devices know it.
  public let suiteName: String
  /// The store that holds the suite, for `SyncEngine` and inspection.
  public let store: RecordStore
  let place: KeyValueEntry.Place
  let defaults = Mutex<[String: KeyValue]>([:])
  private let notices = Mutex<Task<Void, Never>?>(nil)

  /// Opens a suite in a store of its own, creating it if it is missing. It lies in its group's folder, as the stores of
  /// a ``ModelConfiguration`` do.
  ///
  /// - Parameters:
  ///   - suiteName: A group identifier, whose processes share the suite; or a name without dots, such as `default`, the
  ///     suite of `tandem put` where none is named; nil: the suite of this program.
  ///   - isReadOnly: Opens what is there; `set` then throws.
  /// - Throws: `StoreError`: `invalidIdentifier` for a name that no folder can have, and what keeps the store from
  ///   being opened.
  public convenience init(suiteName: String? = nil, isReadOnly: Bool = false) throws {
    let place = StorePlace(
      name: Self.storeName, isStoredInMemoryOnly: false, group: suiteName.map { Self.group(of: $0) },
      root: ModelConfiguration.containerRoot)
    if let problem = place.problem { throw problem.error }
    try self.init(
      suiteName: suiteName ?? StorePlace.appIdentity,
      configuration: StoreConfiguration(url: place.url, isReadOnly: isReadOnly))
  }

  /// Opens a suite in a store of its own, by the store's configuration.
  ///
  /// - Throws: `StoreError`, what keeps the store from being opened.
  public convenience init(suiteName: String, configuration: StoreConfiguration) throws {
    let schema = configuration.isReadOnly ? nil : StoreSchema(entities: []).addingKeyValues()
    try self.init(suiteName: suiteName, store: try RecordStore.open(configuration, schema: schema))
  }

  /// Opens a suite in the first store of a container.
  ///
  /// - Throws: `StoreError` `incompatibleSchema` where the store was last opened by a version without suites.
  public convenience init(suiteName: String, container: ModelContainer) throws {
    try self.init(suiteName: suiteName, store: container.store)
  }

  /// Opens a suite in a store that a container or another ``KeyValueStore`` made.
  ///
  /// - Throws: `StoreError` `incompatibleSchema` where the store has no entity for keys and values.
  public init(suiteName: String, store: RecordStore) throws {
    guard let place = KeyValueEntry.Place(in: try store.read { $0.catalogue }) else {
      throw StoreError(
        .incompatibleSchema,
        "the store at \(store.url.path) has no entity \(KeyValueEntry.entityName) for keys and values: "
          + "open it once for writing by a ModelContainer of this version")
    }
    self.suiteName = suiteName
    self.store = store
    self.place = place
    let changes = changes
    let task = Task { [weak self] in
      for await change in changes {
        guard let self else { return }
        NotificationCenter.default.post(
          name: Self.didChangeNotification, object: self,
          userInfo: [Self.changedKeysKey: change.keys.sorted(), Self.originKey: change.origin])
      }
    }
    notices.withLock { $0 = task }
  }

  deinit { notices.withLock { $0?.cancel() } }

  /// The suite of `tandem put` and its like where none is named.
  package static let defaultSuiteName = "default"
  /// The name of a suite's own store.
  package static let storeName = "KeyValues"

  /// The group whose folder a suite of its own lies in. A name without dots is no group identifier, and has a group
  /// made of it.
  package static func group(of suiteName: String) -> String {
    suiteName.contains(".") ? suiteName : "suite.\(suiteName)"
  }

  /// By the clock of the store, which tests set.
  var now: Date { Date(timeIntervalSince1970: Double(store.configuration.clock.now()) / 1000) }

  /// Saves several changes in one durable commit, all or none.
  ///
  /// - Throws: what `body` throws, and `StoreError`; then every key has the value that it had.
  public func transaction(_ body: (inout KeyValueEdit) throws -> Void) throws {
    var edit = KeyValueEdit()
    try body(&edit)
    guard !edit.isEmpty else { return }
    let (finished, suiteName, place) = (edit, suiteName, place)
    _ = try store.commit { (try finished.request(suite: suiteName, in: place, of: $0), ()) }
  }

  /// Here for sources written for `UserDefaults`: there is nothing to wait for, as nothing is cached.
  @discardableResult
  public func synchronize() -> Bool { true }
}
