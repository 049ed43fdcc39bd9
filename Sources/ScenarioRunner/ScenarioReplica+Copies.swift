import Foundation

// Copies of a device, as tools make them that know nothing of stores.
extension ScenarioReplica {
  /// Takes the place of a copy of `other`, store and folder.
  func become(_ other: ScenarioReplica) throws {
    try replaceStore(with: other.dataFile, values: other.valueFiles, id: other.id)
    keyRing = other.keyRing
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: other.folder, to: folder)
  }

  func backUp() throws {
    for file in [backupFile, backupOfValues] where FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.removeItem(at: file)
    }
    try FileManager.default.copyItem(at: dataFile, to: backupFile)
    guard let valueFiles, FileManager.default.fileExists(atPath: valueFiles.path) else { return }
    try FileManager.default.copyItem(at: valueFiles, to: backupOfValues)
  }

  func restore() throws {
    guard FileManager.default.fileExists(atPath: backupFile.path) else {
      throw ScenarioError("there is no backup of \(name) to restore")
    }
    try replaceStore(with: backupFile, values: backupOfValues, id: id)
  }
}
