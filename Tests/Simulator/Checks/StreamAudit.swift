import Crypto
import Foundation
import RecordStore
import ScenarioRunner

/// The family of all sessions, in whose folder they exchange.
enum ScenarioFamily {
  static let id = ScenarioSession.family
}

/// One replica's files in a folder, judged by their names and bytes alone: a file is whole if its name carries the
/// hash of its contents.
struct StreamAudit {
  private struct File {
    var from: UInt64
    var to: UInt64
  }
  private var whole: [File] = []
  /// Files whose contents are not what their names say.
  private(set) var damaged = 0
  /// Whether there are copies under other names, which may hold anything.
  private(set) var hasCopies = false

  init(of author: UInt64, in folder: URL, family: RecordID) throws {
    let stream = folder.appending(path: "tandem1-\(family)/r/\(ReplicaID(author))/s")
    guard FileManager.default.fileExists(atPath: stream.path) else { return }
    for name in try FileManager.default.contentsOfDirectory(atPath: stream.path) where name.hasSuffix(".tcs") {
      let parts = name.dropLast(4).split(separator: "-")
      guard parts.count == 3, let from = UInt64(parts[0], radix: 16), let to = UInt64(parts[1], radix: 16),
        parts[2].count == 32
      else {
        hasCopies = true
        continue
      }
      let digest = SHA256.hash(data: try Data(contentsOf: stream.appending(path: name)))
      let text = digest.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      if text == parts[2] { whole.append(File(from: from, to: to)) } else { damaged += 1 }
    }
    whole.sort { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  /// How far the whole files lead without a gap.
  func end(from start: UInt64) -> UInt64 {
    var end = start
    for file in whole where file.from <= end + 1 { end = max(end, file.to) }
    return end
  }
}
