import Foundation
import LMDB

/// Makes a store's data file apart, in a directory of its own, and moves it to its place with the first commit in it:
/// whatever a crash or a power cut leaves, there is a whole store or none.
///
/// LMDB alone writes the beginning of a new file without waiting for it, so a cut within the first commit can leave
/// later pages without it: a file that nobody can tell from a damaged store.
struct NewDataFile {
  /// Inside the store's directory. One that a crash left holds no data, and goes when the store is created.
  static let folder = "creating"
  private static let rest = "the rest of another store or of a creation that was cut off"

  private let store: URL
  private let configuration: StoreConfiguration

  init(store: URL, _ configuration: StoreConfiguration) {
    self.store = store
    self.configuration = configuration
  }

  /// Used while no other process creates, where there is no data file, or an empty one.
  func make(_ content: FirstCommit) throws {
    let folder = store.appendingPathComponent(NewDataFile.folder)
    try FileItem.remove(folder, Self.rest)
    try StoreOpening.makeDirectory(folder, mode: configuration.directoryMode)
    let outcome = Result {
      try fill(folder, content)
      try Interruption.point("before a data file gets its name")
      try publish(folder)
    }
    try FileItem.remove(folder, Self.rest)
    try outcome.get()
  }

  /// Closes the file again: LMDB must not have one under two names.
  private func fill(_ folder: URL, _ content: FirstCommit) throws {
    try StoreError.translating(store: store.path) {
      var options = configuration.environmentOptions
      // The file gets its name once it is safe, also where later commits wait for no flush.
      if options.durability == .relaxed { options.durability = .full }
      try content.write(to: Environment.open(at: folder.path, options: options))
    }
  }

  private func publish(_ folder: URL) throws {
    // One of a data file that was taken away belongs to no other.
    try FileItem.remove(store.appendingPathComponent(Environment.formerRedoLogName), Self.rest)
    let target = store.appendingPathComponent("data.mdb").path
    guard rename(folder.appendingPathComponent("data.mdb").path, target) == 0 else {
      throw StoreError(systemError: errno, doing: "name the new data file", path: target)
    }
    try Interruption.point("after a data file got its name")
    try Directory.flush(store)
    // A new directory is lost with its name.
    try Directory.flush(store.deletingLastPathComponent())
  }
}
