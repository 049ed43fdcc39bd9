public import Foundation
import RecordStore
public import RecordSync
public import Tandem

extension SyncEngine {
  /// Keeps a container equal with other devices through a folder, and meets what `tandem sync DEVICE --folder FOLDER`
  /// makes of a device directory.
  ///
  /// ```swift
  /// let engine = try SyncEngine(container: container, folder: folder)
  /// let report = try await engine.sync()
  /// ```
  /// `folder` is what a tool such as Syncthing moves, or a memory stick; the store must not lie in it. Devices are one
  /// family when their stores have the same place: the group's identifier, or else the name of the folder around the
  /// store, and the store's name. Where these differ, name one `place` on every device. A folder in which another place
  /// has the same entities is told of in ``SyncReport/warnings``.
  ///
  /// A store that was shared or has joined is of that family instead, and so is one whose configuration says so
  /// (`ModelConfiguration.family`): the family is founded or joined here, unless the store has one. An
  /// engine whose store changes its family afterwards throws `keyNeeded`; make it anew.
  ///
  /// `storeName` chooses one of several stores; each takes an engine of its own, as ``AutomaticSync`` makes them.
  /// Without `SyncOptions.displayName` the device is known by the machine's name. Without `SyncOptions.key` the key is
  /// taken once from the ``KeyFile`` beside the store, if there is one: what `tandem key` makes is enough to encrypt
  /// the folder. The engine keeps the store open, not the container. Nothing in the folder is read or written before
  /// the first run.
  ///
  /// - Throws: ``SyncError`` `sameDirectory` for a folder in the store's directory or around it, `unsuitableStore` for
  ///   one of several stores that is not named, or that shares its name,
  ///   and for a store in memory without a place; `unusableKey` or `keyNeeded` for a key file or an invitation that
  ///   cannot be used.
  public init(
    container: ModelContainer, storeNamed storeName: String? = nil, place: DeviceDirectory.Place? = nil, folder: URL,
    options: SyncOptions = SyncOptions()
  ) throws {
    try self.init(container, container.configuration(named: storeName), at: place, folder: folder, options: options)
  }

  /// An engine for one of the container's configurations.
  init(
    _ container: ModelContainer, _ configuration: ModelConfiguration, at place: DeviceDirectory.Place? = nil,
    folder: URL, options: SyncOptions
  ) throws {
    guard let store = container.store(of: configuration) else {
      throw SyncError(.unsuitableStore, "the container has no store named \(configuration.name)")
    }
    guard let place = place ?? configuration.place else {
      throw SyncError(
        .unsuitableStore,
        "the store \(configuration.name) lies in memory, so that nothing tells its family: name a place, the same on "
          + "every device")
    }
    // Here and not at the first run alone, so that a programmer hears of it at once, and before a family is founded.
    if !configuration.isStoredInMemoryOnly { try SyncError.requireSeparate(configuration.url, folder) }
    var options = options
    if options.displayName.isEmpty { options.displayName = machineName() }
    if options.key == nil, !configuration.isStoredInMemoryOnly {
      try configuration.takePart()
      options.familyFile = SharedStore(at: configuration.url).familyFile
      options.key = try KeyFile.familyKey(besideStoreAt: configuration.url, of: place.familyID)
    }
    self.init(store: store, at: place, sharedFolder: folder, options: options)
  }
}

/// Without a look-up in the network.
func machineName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  guard gethostname(&name, name.count - 1) == 0 else { return "" }
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

extension ModelContainer {
  /// The one of that name, or the only one.
  fileprivate func configuration(named name: String?) throws -> ModelConfiguration {
    let all = configurations.sorted { $0.name < $1.name }
    let names = all.map(\.name).joined(separator: ", ")
    guard let name else {
      guard all.count == 1 else {
        throw SyncError(
          .unsuitableStore, "the container has \(all.count) stores (\(names)); name the one to synchronise")
      }
      return all[0]
    }
    let found = all.filter { $0.name == name }
    guard let first = found.first else {
      throw SyncError(.unsuitableStore, "the container has no store named \(name); it has \(names)")
    }
    guard found.count == 1 else {
      let paths = found.map(\.url.path).sorted().joined(separator: ", ")
      throw SyncError(
        .unsuitableStore,
        "the container has \(found.count) stores named \(name) (\(paths)): give each configuration a name of its own")
    }
    return first
  }
}

extension ModelConfiguration {
  /// Nil for a store in memory, which has none.
  var place: DeviceDirectory.Place? { isStoredInMemoryOnly ? nil : DeviceDirectory.Place(ofStoreAt: url) }

  /// Founds or joins the family that the configuration asks for, unless the store has one.
  func takePart() throws {
    let shared = SharedStore(at: url)
    switch family {
    case .ofPlace: return
    case .own(let name): try shared.found(named: name)
    case .invited(let file):
      // The invitation need not be kept once it was used.
      guard try shared.family() == nil else { return }
      try shared.join(FamilyInvitation(at: file))
    }
  }
}
