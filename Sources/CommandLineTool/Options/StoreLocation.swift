import Foundation
import RecordStore
import RecordSync

/// Finds stores in directories by their shape alone; nothing is opened.
enum StoreLocation {
  /// The store at a path, or the only one of the device directory at it.
  ///
  /// A path that is neither is returned as it is: opening it says what is wrong with it.
  static func store(at path: String) throws -> URL {
    let url = URL(fileURLWithPath: path, isDirectory: true)
    if isStore(url) || isClosedStore(url) { return url }
    let stores = try stores(inDevice: url)
    if stores.count > 1 {
      let names = stores.map { relativePath($0, in: url) }.joined(separator: ", ")
      throw CommandFailure("\(path) holds \(stores.count) stores; name one of them: \(names)")
    }
    if stores.isEmpty {
      try requireFolders(above: url)
      try refuseGroup(url)
    }
    return stores.first ?? url
  }

  /// The store at a path, or the only one of the device directory at it. Either may be lost: what lies beside a store
  /// tells its place.
  static func lostStore(at path: String) throws -> URL {
    let url = URL(fileURLWithPath: path, isDirectory: true)
    guard url.pathExtension != "store", !isStore(url), isDirectory(url) else { return url }
    let places = try DeviceDirectory(url).places()
    if places.count > 1 {
      let names = places.map { "\($0).store" }.joined(separator: ", ")
      throw CommandFailure("\(path) holds \(places.count) stores; name one of them: \(names)")
    }
    return places.first.map { url.appendingPathComponent("\($0).store", isDirectory: true) } ?? url
  }

  /// Throws where a file stands in the way to a path, which then leads nowhere.
  static func requireFolders(above url: URL) throws(CommandFailure) {
    let names = url.standardizedFileURL.pathComponents
    for count in names.indices.dropFirst() {
      let path = "/" + names[1..<count].joined(separator: "/")
      if FileManager.default.fileExists(atPath: path), !isDirectory(URL(fileURLWithPath: path)) {
        throw CommandFailure("\(path) is a file, so there is no store at \(url.path); check the path")
      }
    }
  }

  /// `<container>/<name>.store`.
  static func store(named name: String, in container: GroupContainer) throws(CommandFailure) -> URL {
    guard !name.isEmpty, !name.hasPrefix("."), !name.contains(where: { "/\\\0".contains($0) }) else {
      throw CommandFailure(
        "\(name.debugDescription) is no name of a store in a group; give its name alone, such as default")
    }
    return container.directory.appendingPathComponent(name + ".store", isDirectory: true)
  }

  /// The stores of a device directory, `<group>/<name>.store`, by name; none if the path is no directory.
  static func stores(inDevice url: URL) throws -> [URL] {
    var stores: [URL] = []
    for group in try directories(in: url) {
      for candidate in try directories(in: group) where candidate.pathExtension == "store" && isStore(candidate) {
        stores.append(candidate)
      }
    }
    return stores
  }

  /// Throws where a folder holds stores without a group around them, and names them.
  static func refuseGroup(_ url: URL) throws {
    let stores = try directories(in: url).filter { isStore($0) }
    guard !stores.isEmpty else { return }
    let names = stores.map { DisplayText.visible($0.lastPathComponent) }.joined(separator: ", ")
    throw CommandFailure(
      "\(url.path) is no store, and holds \(DisplayText.count(stores.count, "store")); name one of them: \(names)")
  }

  static func isStore(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.appendingPathComponent("data.mdb").path)
  }

  /// Whether a directory that this user may not look into has the name of a store. Opening it says so.
  static func isClosedStore(_ url: URL) -> Bool {
    url.pathExtension == "store" && isDirectory(url) && !FileManager.default.isReadableFile(atPath: url.path)
  }

  static func relativePath(_ url: URL, in folder: URL) -> String {
    url.pathComponents.dropFirst(folder.pathComponents.count).joined(separator: "/")
  }

  private static func directories(in url: URL) throws -> [URL] {
    guard isDirectory(url) else { return [] }
    return try FileItem.names(in: url).sorted().map { url.appendingPathComponent($0, isDirectory: true) }.filter {
      isDirectory($0)
    }
  }

  private static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
  }
}
