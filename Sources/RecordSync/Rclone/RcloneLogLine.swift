import Foundation

/// A line that rclone logs: JSON once it has read its flags, and plain text before.
struct RcloneLogLine {
  private struct Entry: Decodable {
    struct Stats: Decodable {
      var bytes: Int
      var totalBytes: Int
      var checks: Int?
      var transfers: Int?
      var deletes: Int?
    }
    var level: String
    var msg: String
    var object: String?
    var stats: Stats?
  }

  /// Nil where the line is no error.
  let complaint: String?
  /// The bytes that were moved, and those that are to be moved.
  let moved: (bytes: Int, total: Int)?
  /// Changes when the run comes further; nil where the line tells nothing of that.
  let progress: String?

  init(_ line: String) {
    guard let entry = RcloneLogLine.entry(line) else {
      // Without the time in front.
      let text = line.replacing(#/^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d /#, with: "")
      complaint = text.isEmpty || text.hasPrefix("NOTICE") ? nil : text
      (moved, progress) = (nil, nil)
      return
    }
    let isError = ["error", "critical", "fatal", "emergency", "alert"].contains(entry.level)
    let object = entry.object.map { $0.isEmpty ? "" : "\($0): " } ?? ""
    complaint = isError ? object + entry.msg : nil
    moved = entry.stats.map { ($0.bytes, $0.totalBytes) }
    progress = entry.stats.map { "\($0.bytes) \($0.checks ?? 0) \($0.transfers ?? 0) \($0.deletes ?? 0)" }
  }

  private static func entry(_ line: String) -> Entry? {
    do {
      return try JSONDecoder().decode(Entry.self, from: Data(line.utf8))
    } catch {
      return nil
    }
  }
}
