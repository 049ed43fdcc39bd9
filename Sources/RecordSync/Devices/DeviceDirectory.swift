public import Foundation
public import RecordStore

/// A folder that stands for one device: `<group>/<name>.store` for each store, beside it `<name>.exchange`, the
/// device's own copy of that store's exchange folder.
///
/// The same layout without stores serves as a shared folder that some other tool moves.
public struct DeviceDirectory: Hashable, Sendable {
  /// One store's place, the same on every device.
  public struct Place: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The name of the directory that holds the store, such as an app group's.
    public var group: String
    /// The name of the store, without `.store`.
    public var name: String
    /// A place of two names. They are not checked; ``init(_:)`` refuses names that cannot be folders of a device.
    public init(group: String, name: String) {
      self.group = group
      self.name = name
    }

    /// The place of a store's directory: that of the last two names of its path, `….store` left out.
    public init(ofStoreAt url: URL) {
      let path = url.standardizedFileURL
      let name = path.lastPathComponent
      self.init(
        group: path.deletingLastPathComponent().lastPathComponent,
        name: name.hasSuffix(storeSuffix) ? String(name.dropLast(storeSuffix.count)) : name)
    }

    /// `GROUP/NAME`; nil for any other text.
    public init?(_ description: String) {
      // By bytes, as the file system has it: a slash and the accent behind it are one character.
      let parts = description.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return nil }
      self.init(group: parts[0], name: parts[1])
    }

    /// `GROUP/NAME`, which ``init(_:)`` reads.
    public var description: String { "\(group)/\(name)" }

    /// The root of the store's exchange folder within a device directory, or a folder that several devices share.
    public func exchange(in directory: URL) -> URL {
      directory.appending(path: group).appending(path: name + exchangeSuffix)
    }

    /// The exchange folder in a folder that several devices share. With a key, no name there tells the place.
    func exchangeFolder(in shared: URL, key: FamilyKey?, sharing: FileSharing = .owner) -> ExchangeFolder {
      ExchangeFolder(
        root: key == nil ? exchange(in: shared) : shared, storeID: familyID(with: key), sharing: sharing, key: key)
    }

    /// The family of a store at this place: a shared one, if the key is of one.
    func familyID(with key: FamilyKey?) -> RecordID { key?.membership?.family ?? familyID }

    /// Whether a place comes before another: by group, then by name.
    public static func < (left: Place, right: Place) -> Bool {
      (left.group, left.name) < (right.group, right.name)
    }

    /// The store's family in the exchange folder, derived from the place: two devices that each made the store on
    /// their own before they ever met are of one family from the beginning, whatever their stores' own ids. A store
    /// with a ``FamilyFile`` is of that file's family instead.
    public var familyID: RecordID {
      let hash = ContentHash(of: "tandem store \(group)/\(name)".utf8)
      return RecordID(high: hash.prefix(0), low: hash.prefix(8))
    }
  }

  static let storeSuffix = ".store"
  static let exchangeSuffix = ".exchange"
  static let keySuffix = ".key"
  static let familySuffix = ".family"

  private static let suffixes = [storeSuffix, exchangeSuffix, keySuffix, familySuffix]

  /// The directory, with symbolic links resolved.
  public let url: URL

  /// Takes a directory that is there.
  ///
  /// - Throws: ``SyncError``: `unknownDevice` where nothing is at the path, or `notADirectory`.
  public init(_ url: URL) throws {
    guard let item = try DurableFile.item(at: url) else {
      throw SyncError(
        .unknownDevice,
        "there is no device directory at \(url.path); check the path, or have 'tandem sync --create' make it")
    }
    guard item == .directory else {
      let kind = if case .file = item { "is a file" } else { "is no folder" }
      throw SyncError(.notADirectory, "\(url.path) \(kind); a device directory is a folder")
    }
    // One spelling for one directory, so that symbolic links and `..` do not make two of it.
    self.url = url.standardizedFileURL.resolvingSymlinksInPath()
  }

  /// Takes a directory that is there, or that ``make(isShared:)`` makes in a folder that is there. Nothing is made yet.
  ///
  /// - Throws: ``SyncError``: `unknownDevice` where the folder around it is missing, too, or `notADirectory`.
  public init(toBeMadeAt url: URL) throws {
    if try DurableFile.item(at: url) == nil {
      let parent = try DeviceDirectory(url.standardizedFileURL.deletingLastPathComponent())
      self.init(resolved: parent.url.appending(path: url.standardizedFileURL.lastPathComponent))
    } else {
      try self.init(url)
    }
  }

  private init(resolved url: URL) { self.url = url }

  /// Makes the directory if it is missing: for its user alone, or for everybody to read.
  ///
  /// - Throws: ``SyncError`` `inputOutput`.
  public func make(isShared: Bool = false) throws {
    try DurableFile.createFolder(url, sharing: isShared ? .everybody : .owner)
  }

  /// The directory of the store at a place, whether it is there or not.
  public func store(at place: Place) -> URL {
    url.appending(path: place.group).appending(path: place.name + DeviceDirectory.storeSuffix)
  }

  /// The file with the key of one store's family, if it has one; see ``KeyFile``.
  public func keyFile(at place: Place) -> URL {
    url.appending(path: place.group).appending(path: place.name + DeviceDirectory.keySuffix)
  }

  /// The file by which one store belongs to a shared family, if it does; see ``FamilyFile``.
  public func familyFile(at place: Place) -> URL {
    url.appending(path: place.group).appending(path: place.name + DeviceDirectory.familySuffix)
  }

  /// The family of one store: that of its ``FamilyFile``, else the place's.
  ///
  /// - Throws: As ``FamilyFile/init(at:)``.
  public func familyID(at place: Place) throws -> RecordID {
    try FamilyFile.ifPresent(at: familyFile(at: place))?.family ?? place.familyID
  }

  /// The root of the exchange folder of one store.
  public func exchange(at place: Place) -> URL { place.exchange(in: url) }

  /// Whether there is a store, or in its place what is none and is refused where it is opened. A directory without data
  /// is what a creation has left that was killed.
  ///
  /// - Throws: ``SyncError`` `inputOutput` where the system cannot say, `unusableFile` for a name that is not UTF-8.
  public func hasStore(at place: Place) throws -> Bool {
    let store = store(at: place)
    let item = try DurableFile.item(at: store)
    if item == nil { try refuseUnreadableName(of: place) }
    guard item == .directory else { return item != nil }
    return try DurableFile.size(of: store.appending(path: "data.mdb")) ?? 0 > 0
  }

  /// Refuses a directory that is a store or a backup of one: stores would come to lie inside it.
  func refuseStore() throws {
    guard try DurableFile.item(at: url.appending(path: "data.mdb")) != nil else { return }
    guard try BackupManifest(ofBackupAt: url) == nil else {
      throw SyncError(
        .foreignDirectory,
        "\(url.path) is a backup, to which nothing is written: name a device directory, or have 'tandem restore' bring "
          + "the backup back")
    }
    let device = url.deletingLastPathComponent().deletingLastPathComponent().path
    throw SyncError(
      .foreignDirectory,
      "\(url.path) is a store, no device directory, which holds stores as <group>/<name>.store: name the folder around "
        + "its group, such as \(device)")
  }

  /// Refuses a directory without any place that holds something else: nobody asked for stores in it.
  ///
  /// Empty groups are no content, for a synchronisation that is killed early leaves them. Files that tools keep for
  /// themselves under hidden names are none either, in a folder that they move: `ignoringHidden`.
  func refuseForeignContent(ignoringHidden: Bool) throws {
    let entries = try DurableFile.names(in: url).filter { !(ignoringHidden && $0.hasPrefix(".")) }
    guard try ExchangeFolder.stores(in: url).isEmpty, let foreign = try entries.first(where: isContent) else { return }
    if let respelled = try ExchangeFolder.respelledStores(in: url).first {
      throw SyncError(.foreignDirectory, "\(respelled.file): \(respelled.reason)")
    }
    if foreign.hasSuffix(DeviceDirectory.storeSuffix),
      try DurableFile.item(at: url.appending(path: foreign).appending(path: "data.mdb")) != nil
    {
      throw SyncError(
        .foreignDirectory,
        "\(url.path) holds the store \(foreign) without a group around it: name the folder whose group "
          + "\(url.lastPathComponent) is, \(url.deletingLastPathComponent().path)")
    }
    throw SyncError(
      .foreignDirectory,
      "\(url.path) holds other things, such as \(foreign), and no store: name another directory, or have 'tandem sync "
        + "--create' use this one")
  }

  private func isContent(_ entry: String) throws -> Bool {
    let place = url.appending(path: entry)
    guard try DurableFile.item(at: place) == .directory else { return true }
    return try !DurableFile.names(in: place).allSatisfy { $0.hasPrefix(".") }
  }

  /// Those of some places that have something here, in order; nil: all that are here. Of the directory nothing else is
  /// looked at, for it may be a folder of which the stores are the smallest part.
  func places(among only: Set<Place>?) throws -> [Place] {
    guard let only else { return try places() }
    return try only.filter { place in
      let items = [store(at: place), exchange(at: place), keyFile(at: place), familyFile(at: place)]
      return try items.contains { try DurableFile.item(at: $0) != nil }
    }.sorted()
  }

  /// Every place with a store, an exchange folder, a key or a shared family, in order.
  ///
  /// - Throws: ``SyncError`` `unusableFile` or `inputOutput` where a folder cannot be read.
  public func places() throws -> [Place] {
    var places: Set<Place> = []
    for group in try DurableFile.names(in: url) where !group.hasPrefix(".") {
      for entry in try entries(of: group) {
        for suffix in DeviceDirectory.suffixes
        where entry.hasSuffix(suffix) && entry.count > suffix.count {
          places.insert(Place(group: group, name: String(entry.dropLast(suffix.count))))
        }
      }
    }
    return places.sorted()
  }
}
