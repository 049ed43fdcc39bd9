import Foundation
import RecordStore

/// Where files lie that a transport has brought and nobody has looked at, and those that it is to bring away.
///
/// In the device's directory, under a name that no reader takes, and emptied at the beginning: what a run left that was
/// killed is worth nothing.
struct StagingFolder {
  private let url: URL
  /// Files that were fetched, in the layout of a shared folder.
  let arrivals: URL
  let departures: URL

  /// For a run that holds the directory's lock.
  init(in device: DeviceDirectory) throws {
    try self.init(url: device.url.appending(path: ".transport"))
  }

  init(url: URL) throws {
    self.url = url
    // Names with dots, for a directory that holds nothing else counts as empty.
    (arrivals, departures) = (url.appending(path: ".in"), url.appending(path: ".out"))
    try remove()
    try DurableFile.createFolder(arrivals)
    try DurableFile.createFolder(departures)
  }

  func remove() throws {
    guard try DurableFile.item(at: url) != nil else { return }
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      throw SyncError(
        .inputOutput, "cannot remove \(url.path), which held files under way: remove it by hand", cause: error)
    }
    FolderMemory.forget(url)
  }

  /// Removes what did not arrive as it was listed: cut short, or put in its place meanwhile. Returns its paths.
  func removeUnfinished(_ paths: [String], _ listing: TransportListing) throws -> [String] {
    try paths.filter { path in
      let file = arrivals.appending(path: path)
      guard let item = try DurableFile.item(at: file) else { return false }
      if case .file(let count) = item, listing.byteCounts(of: path).contains(count) { return false }
      try DurableFile.remove(file)
      return true
    }
  }
}
