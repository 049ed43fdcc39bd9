import Foundation
import RecordStore
import ScenarioRunner

// I18: nobody writes in another's directory.
extension HistoryRun {
  /// Contents of every file that none of the replicas may write: in their folders, all directories but their own.
  /// A full exchange copies files between folders as a tool would, so it says nothing.
  func foreignFiles(of replicas: [String], _ step: HistoryStep) throws -> [String: Int] {
    if case .sync = step { return [:] }
    var found: [String: Int] = [:]
    for replica in history.replicas {
      let root = session.streams(of: replica)
      guard FileManager.default.fileExists(atPath: root.path) else { continue }
      for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
        let isOwn = replicas.contains(replica) && path.hasPrefix("\(session.replicaID(of: replica))")
        let file = root.appending(path: path)
        guard !isOwn, let bytes = FileManager.default.contents(atPath: file.path) else { continue }
        found["\(replica)/\(path)"] = bytes.hashValue
      }
    }
    return found
  }

  func compareFolders(_ before: [String: Int], with after: [String: Int]) throws {
    outcome.checked.insert(.ownDirectoriesOnly)
    guard before != after else { return }
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
    throw fail(.ownDirectoriesOnly, "the engine wrote \(changed.first ?? "a file"), which belongs to another replica")
  }
}
