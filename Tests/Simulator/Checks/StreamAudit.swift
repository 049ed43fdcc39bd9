import Crypto
import Foundation
import RecordStore
import ScenarioRunner

/// The family of all sessions, in whose folder they exchange.
enum ScenarioFamily {
  static let id = ScenarioSession.family
}

/// One replica's files in a folder, judged by their names and bytes alone: a file is whole if its name carries the
/// hash of its contents, in an encrypted folder if an engine wrote exactly these bytes under this name.
struct StreamAudit {
  private struct File {
    var from: UInt64
    var to: UInt64
    var name = ""
  }
  private var whole: [File] = []
  /// Files whose contents are not what their names say.
  private var strange: [File] = []
  var damaged: Int { strange.count }
  /// Whether there are copies under other names, which may hold anything.
  private(set) var hasCopies = false

  /// `replicas`: the folder of all replicas' folders.
  init(of author: UInt64, in replicas: URL, sealed: SealedFiles?) throws {
    let stream = replicas.appending(path: "\(ReplicaID(author))/s")
    let key = replicas.deletingLastPathComponent().lastPathComponent
    guard FileManager.default.fileExists(atPath: stream.path) else { return }
    for name in try FileManager.default.contentsOfDirectory(atPath: stream.path) where name.hasSuffix(".tcs") {
      let parts = name.dropLast(4).split(separator: "-")
      guard parts.count == 3, let from = UInt64(parts[0], radix: 16), let to = UInt64(parts[1], radix: 16),
        parts[2].count == 32
      else {
        hasCopies = true
        continue
      }
      let data = try Data(contentsOf: stream.appending(path: name))
      let digest = SHA256.hash(data: data)
      let text = digest.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      let path = "tandem1-\(ScenarioFamily.id)/\(key)/r/\(ReplicaID(author))/s/\(name)"
      if sealed?.isWritten(path, data) ?? (text == parts[2]) {
        whole.append(File(from: from, to: to))
      } else {
        strange.append(File(from: from, to: to, name: name))
      }
    }
    whole.sort { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  /// The names of files that an import reads which has the stream up to `start`, and that are not what they should be:
  /// those that go on from there and bring more than the import has reached.
  func refusable(from start: UInt64, reached end: UInt64) -> [String] {
    strange.filter { $0.from <= start + 1 && $0.to > max(start, end) }.map(\.name)
  }

  /// How far the whole files lead without a gap.
  func end(from start: UInt64) -> UInt64 {
    var end = start
    for file in whole where file.from <= end + 1 { end = max(end, file.to) }
    return end
  }
}
