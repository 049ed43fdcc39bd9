import Foundation

/// The files of a transport, by the folders in which they lie.
///
/// A place may show two files under one path, as Google Drive does; then each length counts as being there. Paths that
/// could lead out of a folder, or that no list of files can name, are left out.
struct TransportListing: Sendable {
  private var lengths: [String: [String: Set<Int>]] = [:]
  private var subfolders: [String: Set<String>] = [:]

  init(_ files: [TransportFile] = []) {
    for file in files where TransportListing.isUsable(file.path) {
      let (folder, name) = TransportListing.split(file.path)
      lengths[folder, default: [:]][name, default: []].insert(file.byteCount)
      addFolder(folder)
    }
  }

  /// The names in the place itself.
  var topNames: [String] { (Array(lengths["", default: [:]].keys) + subfolders["", default: []]).sorted() }

  /// Names and lengths of a folder's files.
  func files(in folder: String) -> [String: Set<Int>] { lengths[folder] ?? [:] }

  /// The names of the folders in a folder, in order.
  func folders(in folder: String) -> [String] { subfolders[folder, default: []].sorted() }

  /// The lengths that are shown of a path; empty where nothing lies there.
  func byteCounts(of path: String) -> Set<Int> {
    let (folder, name) = TransportListing.split(path)
    return lengths[folder]?[name] ?? []
  }

  /// The paths of all files below a folder, in order.
  func paths(below folder: String) -> [String] {
    let here = files(in: folder).keys.map { "\(folder)/\($0)" }
    return (here + folders(in: folder).flatMap { paths(below: "\(folder)/\($0)") }).sorted()
  }

  private mutating func addFolder(_ folder: String) {
    guard !folder.isEmpty else { return }
    let (parent, name) = TransportListing.split(folder)
    // Where one is known, so are those around it.
    if subfolders[parent, default: []].insert(name).inserted { addFolder(parent) }
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
  }

  private static func isUsable(_ path: String) -> Bool {
    guard path.utf8.count < 4096, path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
    // By bytes: a slash and the accent behind it are one character, and two names to a file system.
    return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .allSatisfy { !["", ".", ".."].contains(Substring($0)) }
  }
}
