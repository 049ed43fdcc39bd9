import Foundation
import RecordStore

/// Where files lie that a transport has brought and nobody has looked at, and those that it is to bring away.
///
/// In the device's directory, under a name that no reader takes. A run begins with a look at what a killed or cancelled
/// one has left there, and empties it.
struct StagingFolder {
  private let url: URL
  /// Files that were fetched, in the layout of a shared folder.
  let arrivals: URL
  let departures: URL

  /// For a run that holds the directory's lock. `takeLeft` gets the arrivals of a run that was cut off, if there are
  /// any.
  init(in device: DeviceDirectory, takeLeft: (_ arrivals: URL) throws -> Void) throws {
    try self.init(url: device.url.appending(path: ".transport"), takeLeft: takeLeft)
  }

  init(url: URL, takeLeft: (_ arrivals: URL) throws -> Void = { _ in }) throws {
    self.url = url
    // Names with dots, for a directory that holds nothing else counts as empty.
    (arrivals, departures) = (url.appending(path: ".in"), url.appending(path: ".out"))
    if try DurableFile.item(at: arrivals) == .directory { try takeLeft(arrivals) }
    try remove()
    try DurableFile.createFolder(arrivals)
    try DurableFile.createFolder(departures)
  }

  func remove() throws { try StagingFolder.remove(url) }

  /// Removes all but what has arrived, for the next run to look at.
  func leaveArrivals() throws {
    let isEmpty = try arrivalPaths().allSatisfy { path in
      try DurableFile.item(at: arrivals.appending(path: path)) == .directory
    }
    try StagingFolder.remove(isEmpty ? url : departures)
  }

  private func arrivalPaths() throws -> [String] {
    do {
      return try FileManager.default.subpathsOfDirectory(atPath: arrivals.path)
    } catch {
      throw SyncError(.inputOutput, "cannot list \(arrivals.path): check the disk and the path", cause: error)
    }
  }

  private static func remove(_ url: URL) throws {
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
