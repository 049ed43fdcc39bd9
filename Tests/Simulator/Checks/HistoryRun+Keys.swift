import Foundation
import RecordSync
import ScenarioRunner

// How a replica's folder stands before the engine works on it, judged by its marker alone.
extension HistoryRun {
  enum FolderStanding {
    case open
    /// Without its marker, or with a damaged one.
    case gone
    /// Encrypted with a key that the device does not have.
    case locked
  }

  func standing(of replica: String) -> FolderStanding {
    guard let found = FileManager.default.contents(atPath: marker(of: replica).path) else { return .gone }
    guard let keyID = wholeMarkers.first(where: { $0.value == found })?.key else {
      return wholeMarkers.isEmpty ? .open : .gone
    }
    guard history.isSealed else { return .open }
    guard let key = session.key(of: replica), key.id == keyID || key.formerIDs.contains(keyID),
      mayHave(keyID, replica)
    else { return .locked }
    return .open
  }

  /// False for a key that was drawn when the device was forgotten, or later.
  private func mayHave(_ keyID: String, _ replica: String) -> Bool {
    keysOfForgotten[replica]?.contains(keyID) ?? true
  }

  private func marker(of replica: String) -> URL {
    session.folder(of: replica).appending(path: "tandem1-\(ScenarioFamily.id)/STORE")
  }

  /// The first one that was made, of each key, is whole; all are the same.
  func noteMarkers() {
    for key in history.isSealed ? session.keyIDs : [""] where wholeMarkers[key] == nil {
      let found = history.replicas.lazy.compactMap { FileManager.default.contents(atPath: self.marker(of: $0).path) }
      wholeMarkers[key] = found.first { key.isEmpty || $0.count == Self.markerBytes && Self.keyID(in: $0) == key }
    }
  }

  private static let markerBytes = 46

  /// In bytes 26 to 42.
  private static func keyID(in marker: Data) -> String {
    marker[26..<42].map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// I6 and I27: work stops only where the folder is gone or locked, and there it does.
  func checkRefusal(
    of step: HistoryStep, _ code: String?, on replicas: [String], _ standings: [FolderStanding]
  ) throws {
    let isLocked = standings.contains(.locked)
    if isLocked { outcome.checked.insert(.noKeyNoWork) }
    guard let code else {
      // A process that is killed says nothing.
      if case .interrupt = step { return }
      guard isLocked else { return }
      throw fail(.noKeyNoWork, "\(replicas.joined(separator: ", ")) worked on a folder without having its key")
    }
    if code == "folderMissing", standings.contains(.gone) { return }
    if code == "keyNeeded", isLocked { return }
    // Others' copies may bring the marker that names the key.
    if code == "keyNeeded", case .sync = step, history.isSealed, standings.contains(.gone) { return }
    guard history.hasOracle || history.isSealed else { return }
    throw fail(.timeNeverStopsWork, "\(replicas.joined(separator: ", ")) stopped with \(code)")
  }

  /// I27.
  func checkNothingIsTaken(by replica: String, from before: [UInt64: UInt64]) throws {
    guard try StoreView.read(session.store(of: replica)).vector != before else { return }
    throw fail(.noKeyNoWork, "\(replica) took transactions from a folder whose key it does not have")
  }

  // MARK: What lies there

  /// Before the engine works.
  func noteLying() throws {
    guard sealedFiles != nil else { return }
    for replica in history.replicas { try sealedFiles?.noteLying(in: session.folder(of: replica)) }
  }

  /// I27 and I28, after the engine has worked.
  func noteWritten(by replicas: [String]) throws {
    guard let known = sealedFiles else { return }
    outcome.checked.insert(.foldersShowNothing)
    for replica in history.replicas {
      let folder = session.folder(of: replica)
      let isWriter = replicas.contains(replica)
      let news = try known.news(in: folder)
      for file in news {
        if let word = file.word { throw fail(.foldersShowNothing, "\(file.path) of \(replica) shows \"\(word)\"") }
        guard file.isInPlace(of: session.keyIDs) else {
          throw fail(.foldersShowNothing, "\(file.path) of \(replica) lies outside the folders of the family's keys")
        }
        let isOwn = session.replicaIDs(of: replica).contains { file.path.contains("/r/\($0)/") }
        guard isWriter, isOwn, !known.lies(file) else { continue }
        guard session.key(of: replica)?.id == file.keyID, mayHave(file.keyID, replica) else {
          throw fail(.noKeyNoWork, "\(replica) wrote \(file.path), although it does not have that key")
        }
        sealedFiles?.noteWritten(file)
      }
      sealedFiles?.noteSearched(news)
    }
  }

  /// I28, once everybody has the present key: what was encrypted with a former one is gone.
  func checkFormerKeysInTheEnd() throws {
    guard history.isSealed else { return }
    for replica in history.members {
      let folder = session.folder(of: replica).appending(path: "tandem1-\(ScenarioFamily.id)")
      let former = session.keyIDs.dropLast().first {
        FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
      }
      guard let former else { continue }
      throw fail(.foldersShowNothing, "\(replica)'s folder still has files of the key \(former), which was replaced")
    }
  }
}
