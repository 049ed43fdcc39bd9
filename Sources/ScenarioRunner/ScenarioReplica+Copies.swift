import Foundation

// Copies of a device, as tools make them that know nothing of stores.
extension ScenarioReplica {
  /// Takes the place of a copy of `other`, store and folder.
  func become(_ other: ScenarioReplica) throws {
    try replaceStore(with: other.dataFile, id: other.id)
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: other.folder, to: folder)
  }

  func backUp() throws {
    if FileManager.default.fileExists(atPath: backupFile.path) { try FileManager.default.removeItem(at: backupFile) }
    try FileManager.default.copyItem(at: dataFile, to: backupFile)
  }

  func restore() throws {
    guard FileManager.default.fileExists(atPath: backupFile.path) else {
      throw ScenarioError("there is no backup of \(name) to restore")
    }
    try replaceStore(with: backupFile, id: id)
  }
}
