import Foundation
import RecordStore

// Names that are not UTF-8. Swift repairs them where it lists a folder, and no path leads to the repaired name.
extension DeviceDirectory {
  private static let repair: Character = "\u{FFFD}"

  /// Throws ``SyncError`` `unusableFile` where the store of a place has such a name, or its group.
  func refuseUnreadableName(of place: Place) throws {
    guard place.description.contains(DeviceDirectory.repair) else { return }
    let store = store(at: place)
    guard try entries(of: place.group).contains(store.lastPathComponent) else { return }
    throw SyncError(
      .unusableFile,
      "the name of \(store.path) is not UTF-8, so that it cannot be opened: rename it, and try again")
  }

  /// The names in a group, which is none where it is no folder.
  func entries(of group: String) throws -> [String] {
    let folder = url.appending(path: group)
    switch try DurableFile.item(at: folder) {
    case .directory: return try DurableFile.names(in: folder)
    case nil where group.contains(DeviceDirectory.repair): return entries(ofUnreadable: group)
    default: return []
    }
  }

  /// The names in the folders whose name is repaired to this one.
  private func entries(ofUnreadable group: String) -> [String] {
    let directory = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if directory >= 0 { close(directory) } }
    return names(in: directory).filter { String(decoding: $0, as: UTF8.self) == group }.flatMap { name in
      let folder = openat(directory, name.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { if folder >= 0 { close(folder) } }
      return names(in: folder).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The names as they are. None where the folder cannot be listed: another look tells why.
  private func names(in folder: Int32) -> [[UInt8]] {
    guard let listing = fdopendir(dup(folder)) else { return [] }
    defer { closedir(listing) }
    var names: [[UInt8]] = []
    while let entry = readdir(listing) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) })
    }
    return names
  }
}
